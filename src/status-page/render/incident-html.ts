import type { IncidentStatus } from '../../incident/incident-row';
import { capitalized } from '../../platform/text/capitalized';
import { html } from '../../platform/text/html';
import { piecesOf, publicText } from '../incident-words';
import { downtimeMs, type StatusIncident, type StatusUpdate } from '../page-incidents';
import type { StatusOutage, StatusSnapshot } from '../status-snapshot';
import { affected } from './maintenance-html';
import { clipped, documentEnd, documentStart, durationText, type PageLinks, pill, timeBetween } from './page-parts';
import { stamp } from './times';

export const STATUS_WORDS: Readonly<Record<IncidentStatus, string>> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
  postmortem: 'Postmortem',
};

/** The number of updates that an open incident shows on the page itself. Its own page has all of them. */
const SEEN = 3;
/** The maximum number of characters of an update in a list of past incidents. */
const SUMMARY = 240;

/** Renders user-written text as HTML. */
export const linked = (text: string): string =>
  piecesOf(text)
    .map((piece) =>
      piece.href === null
        ? html(piece.text)
        : `<a href="${html(piece.href)}" rel="nofollow noreferrer">${html(piece.text)}</a>`,
    )
    .join('');

const said = ({ at, status, text }: StatusUpdate): string =>
  `<li>${text === '' ? '' : `<p class="text" dir="auto">${linked(text)}</p>`}<p class="small soft"><strong>${status === null ? 'Update' : STATUS_WORDS[status]}</strong> · ${stamp(at)}</p></li>`;

function* listed(updates: readonly StatusUpdate[]): Generator<string> {
  yield '<ol class="said">';
  for (const update of updates) yield said(update);
  yield '</ol>';
}

const statusPill = ({ status, ended_at }: StatusIncident): string =>
  pill(ended_at === null ? 'incident' : 'up', STATUS_WORDS[status]);

const OLDER = '<p class="small soft">Older updates are not shown.</p>';

/** Returns how long the incident took. The time between two outages doesn't count. */
function lengthText(incident: StatusIncident, now: string): string {
  const { ended_at, outages } = incident;
  const length = durationText(downtimeMs(incident, now));
  if (outages) return `${ended_at === null ? 'so far ' : ''}${length} in ${outages.length} outages`;
  return ended_at === null ? `ongoing, ${length}` : length;
}

/** Describes what an incident affects, since when, and how long it took. `now` determines its duration so far. */
function timesOf(incident: StatusIncident, now: string): string {
  const { started_at, ended_at, outages } = incident;
  const began = `Started ${stamp(started_at)}`;
  const times =
    ended_at !== null
      ? `${stamp(started_at)} to ${stamp(ended_at)}, ${lengthText(incident, now)}.`
      : outages
        ? `${began}, ${lengthText(incident, now)}.`
        : `${began}, ${timeBetween(started_at, now)} ago.`;
  return `<p class="small soft">Affects ${html(affected(incident))}. ${times}</p>`;
}

/** Yields the open incidents as the first thing on the page, or nothing if there are none. */
export function* openIncidents(
  all: readonly StatusIncident[],
  downNames: ReadonlySet<string>,
  { updated_at: now }: Pick<StatusSnapshot, 'updated_at'>,
  { paths }: PageLinks,
): Generator<string> {
  for (const incident of all) {
    if (incident.ended_at !== null) continue;
    const isDown = incident.endpoints.some((name) => downNames.has(name));
    yield `\n<section class="hero ${isDown ? 'down' : 'incident'}"><div class="row"><h2 dir="auto">${html(incident.title)}</h2>${statusPill(incident)}</div>${timesOf(incident, now)}`;
    yield* listed(incident.updates.slice(0, SEEN));
    const rest = incident.updates.length - SEEN;
    const link = rest > 0 || incident.more ? 'All updates' : 'Permalink';
    yield `<p class="small"><a href="${paths.incident(incident.id)}">${link}</a></p></section>`;
  }
}

/** The newest text of an incident, for a line below its title. */
const summaryOf = ({ updates }: StatusIncident): string =>
  clipped(publicText(updates.find(({ text }) => text !== '')?.text ?? ''), SUMMARY);

interface PastItem {
  at: string;
  html: string;
}

function pastIncident(incident: StatusIncident, now: string, { paths }: PageLinks): PastItem {
  const { id, title, started_at } = incident;
  const summary = summaryOf(incident);
  return {
    at: started_at,
    html: `<li><div class="row"><h3 dir="auto"><a href="${paths.incident(id)}">${html(title)}</a></h3><span class="small soft">${stamp(started_at)} · ${lengthText(incident, now)}</span></div>${
      summary === '' ? '' : `<p class="small soft" dir="auto">${html(summary)}</p>`
    }</li>`,
  };
}

function pastOutage({ endpoint, started_at, ended_at, reason }: StatusOutage, now: string): PastItem {
  const verb = ended_at === null ? 'is' : 'was';
  const lasted = `${ended_at === null ? 'ongoing, ' : ''}${timeBetween(started_at, ended_at ?? now)}`;
  return {
    at: started_at,
    html: `<li><div class="row"><h3>${html(endpoint)} ${verb} down</h3><span class="small soft">${stamp(started_at)} · ${lasted}</span></div><p class="small soft">${html(capitalized(reason ?? 'not reachable'))}</p></li>`,
  };
}

/** Yields incidents and outages as one list, newest first, or the text `none` if there are none. */
export function* pastList(
  { incidents, outages }: { incidents: readonly StatusIncident[]; outages: readonly StatusOutage[] },
  now: string,
  links: PageLinks,
  none: string,
): Generator<string> {
  const items = [
    ...incidents.map((incident) => pastIncident(incident, now, links)),
    ...outages.map((outage) => pastOutage(outage, now)),
  ].sort((a, b) => (a.at > b.at ? -1 : a.at < b.at ? 1 : 0));
  if (items.length === 0) {
    yield `\n<p class="soft">${none}</p>`;
    return;
  }
  yield '\n<ul class="card past">';
  for (const item of items) yield `\n${item.html}`;
  yield '\n</ul>';
}

/** An incident with the parts of its page that are needed to show it on its own. */
export type ShownIncident = Pick<StatusSnapshot, 'name' | 'look' | 'updated_at'> & { incident: StatusIncident };

/** Yields the page of one incident, with all its public updates. */
export function* incidentHtml(shown: ShownIncident, links: PageLinks): Generator<string> {
  const { incident, updated_at } = shown;
  const { paths, absolute } = links;
  const { id, title, ended_at, endpoints } = incident;
  const head = {
    title,
    description: summaryOf(incident) || `Affects ${endpoints.join(', ')}.`,
    json: paths.json,
    canonical: absolute?.incident(id) ?? null,
  };
  yield documentStart(shown, head, links);
  yield `<p class="small back"><a href="${paths.home}">Current status</a></p>
<section class="hero ${ended_at === null ? 'incident' : 'up'}"><div class="row"><h2 dir="auto">${html(title)}</h2>${statusPill(incident)}</div>${timesOf(incident, updated_at)}`;
  yield* listed(incident.updates);
  yield `${incident.more ? OLDER : ''}</section>`;
  yield documentEnd(links, paths.json);
}
