import type { IncidentStatus } from '../../incident/incident-row';
import { html } from '../../platform/text/html';
import { piecesOf } from '../incident-words';
import { downtimeMs, type StatusIncident, type StatusUpdate } from '../page-incidents';
import { affected } from './maintenance-html';
import { durationText, pill } from './page-parts';
import { stamp } from './times';

export const STATUS_WORDS: Readonly<Record<IncidentStatus, string>> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
  postmortem: 'Postmortem',
};

/** The number of updates that a completed incident shows initially. The others can be expanded. */
const SEEN = 1;
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
  `<li><p class="small"><strong>${status === null ? 'Update' : STATUS_WORDS[status]}</strong> <span class="soft">${stamp(at)}</span></p>${
    text === '' ? '' : `<p class="text" dir="auto">${linked(text)}</p>`
  }</li>`;

const OLDER = '<p class="small soft">Older updates are not shown.</p>';

function* listed(updates: readonly StatusUpdate[]): Generator<string> {
  yield '<ol class="said">';
  for (const update of updates) yield said(update);
  yield '</ol>';
}

function* updates({ updates: all, ended_at, more }: StatusIncident): Generator<string> {
  const seen = ended_at === null ? all : all.slice(0, SEEN);
  const rest = all.slice(seen.length);
  const older = more ? OLDER : '';
  yield* listed(seen);
  if (rest.length === 0) yield older;
  else {
    yield `<details class="small"><summary>${rest.length} earlier ${rest.length === 1 ? 'update' : 'updates'}</summary>`;
    yield* listed(rest);
    yield `${older}</details>`;
  }
}

/** Returns how long the incident took. The time between two outages doesn't count. */
function lengthText(incident: StatusIncident, now: string): string {
  const { ended_at, outages } = incident;
  const length = durationText(downtimeMs(incident, now));
  if (outages) return `${ended_at === null ? 'so far ' : ''}${length} in ${outages.length} outages`;
  return `${ended_at === null ? 'for' : 'took'} ${length}`;
}

/** Yields one incident with a heading of this level. `now` determines its duration so far. */
function* incidentItem(incident: StatusIncident, heading: 'h2' | 'h3', now: string): Generator<string> {
  const { title, status, started_at, ended_at } = incident;
  const state = ended_at === null ? 'incident' : 'up';
  yield `<li class="${ended_at === null ? 'open' : 'over'}"><div class="row"><${heading} dir="auto">${html(title)}</${heading}>${pill(state, STATUS_WORDS[status])}</div>
<p class="small soft when">Affects ${html(affected(incident))}. ${ended_at === null ? 'Since' : 'Began'} ${stamp(started_at)}, ${lengthText(incident, now)}.</p>\n`;
  yield* updates(incident);
  yield '</li>';
}

function* list(incidents: readonly StatusIncident[], heading: 'h2' | 'h3', now: string): Generator<string> {
  if (incidents.length === 0) return;
  yield '\n<ul class="incidents">';
  for (const incident of incidents) {
    yield '\n';
    yield* incidentItem(incident, heading, now);
  }
  yield '\n</ul>';
}

/** Yields the open incidents, or nothing if there are none. */
export const openIncidents = (all: readonly StatusIncident[], now: string): Generator<string> =>
  list(
    all.filter(({ ended_at }) => ended_at === null),
    'h2',
    now,
  );

/** Yields the incidents that have ended, below a heading, or nothing if there are none. */
export function* pastIncidents(all: readonly StatusIncident[], now: string): Generator<string> {
  const over = all.filter(({ ended_at }) => ended_at !== null);
  if (over.length > 0) yield '\n<h2>Past incidents</h2>';
  yield* list(over, 'h3', now);
}

/** Yields all incidents in their order, or nothing if there are none. */
export const incidentList = (all: readonly StatusIncident[], now: string): Generator<string> => list(all, 'h3', now);
