import type { IncidentStatus } from '../../incident/incident-row';
import { html } from '../../platform/text/html';
import { piecesOf } from '../incident-words';
import type { StatusIncident, StatusUpdate } from '../page-incidents';
import { affected } from './maintenance-html';
import { pill, timeBetween } from './page-parts';
import { stamp } from './times';

/** What was said, in a word. */
export const STATUS_WORDS: Readonly<Record<IncidentStatus, string>> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
  postmortem: 'Postmortem',
};

/** Of an incident that is over this many updates are seen at once, the others are unfolded. */
const SEEN = 1;
/** A text of people as HTML. */
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

function updates({ updates: all, ended_at, more }: StatusIncident): string {
  const seen = ended_at === null ? all : all.slice(0, SEEN);
  const rest = all.slice(seen.length);
  const older = more ? OLDER : '';
  const list = `<ol class="said">${seen.map(said).join('')}</ol>`;
  if (rest.length === 0) return list + older;
  const count = `${rest.length} earlier ${rest.length === 1 ? 'update' : 'updates'}`;
  return `${list}<details class="small"><summary>${count}</summary><ol class="said">${rest.map(said).join('')}</ol>${older}</details>`;
}

/** One incident, below a heading of this level. `now`: for how long it has gone on. */
function incidentItem(incident: StatusIncident, heading: 'h2' | 'h3', now: string): string {
  const { title, status, started_at, ended_at } = incident;
  const state = ended_at === null ? 'incident' : 'up';
  return `<li class="${ended_at === null ? 'open' : 'over'}"><div class="row"><${heading} dir="auto">${html(title)}</${heading}>${pill(state, STATUS_WORDS[status])}</div>
<p class="small soft when">Affects ${html(affected(incident))}. ${ended_at === null ? 'Since' : 'Began'} ${stamp(started_at)}, ${ended_at === null ? 'for' : 'took'} ${timeBetween(started_at, ended_at ?? now)}.</p>
${updates(incident)}</li>`;
}

const list = (incidents: readonly StatusIncident[], heading: 'h2' | 'h3', now: string): string =>
  `<ul class="incidents">\n${incidents.map((each) => incidentItem(each, heading, now)).join('\n')}\n</ul>`;

/** Those that are open, at the top of the page; empty without. */
export function openIncidents(all: readonly StatusIncident[], now: string): string {
  const open = all.filter(({ ended_at }) => ended_at === null);
  return open.length === 0 ? '' : `\n${list(open, 'h2', now)}`;
}

/** Those that are over, below a heading of their own; empty without. */
export function pastIncidents(all: readonly StatusIncident[], now: string): string {
  const over = all.filter(({ ended_at }) => ended_at !== null);
  return over.length === 0 ? '' : `\n<h2>Past incidents</h2>\n${list(over, 'h3', now)}`;
}

/** All of them, in their order; empty without. */
export const incidentList = (all: readonly StatusIncident[], now: string): string =>
  all.length === 0 ? '' : `\n${list(all, 'h3', now)}`;
