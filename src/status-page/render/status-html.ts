import { html } from '../../platform/text/html';
import { SHOWN_DAYS } from '../shown-days';
import { type StatusEndpoint, type StatusOutage, type StatusSnapshot } from '../status-snapshot';
import { dayBars, dayItems, PLANNED_SAMPLE } from './day-bars';
import { activeWork, nextWork, plannedWork } from './maintenance-html';
import { endpointState, groupSum, headline, type PageState, pageState } from './page-state';
import { accentStyle } from './status-policy';
import { STATUS_SCRIPT, STATUS_STYLE } from './status-style';
import { stamp } from './times';
import { percent, uptimeFigures, uptimeOf } from './uptime';

const WORDS: Readonly<Record<PageState, string>> = {
  up: 'Up',
  down: 'Down',
  degraded: 'Degraded',
  maintenance: 'Maintenance',
  unknown: 'Unknown',
  paused: 'Paused',
};

/** `2 h 5 min`: the two largest parts. */
function length(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** What the pill of an endpoint leaves open. */
function explanation({ status, degraded, maintenance }: StatusEndpoint): string {
  if (maintenance !== null && status !== 'paused') {
    const works = { up: ' It works at the moment.', down: ' It does not work at the moment.', unknown: '' }[status];
    return `\n<p class="small soft">${html(maintenance.name)} until ${stamp(maintenance.until)}.${works}</p>`;
  }
  return degraded ? '\n<p class="small soft">It works, with a warning.</p>' : '';
}

function endpointItem(endpoint: StatusEndpoint): string {
  const { name, group, days } = endpoint;
  const heading = group === '' ? 'h3' : 'h4';
  const state = endpointState(endpoint);
  const bad = days.filter((day) => day.down > 0).length;
  const planned = days.filter((day) => day.planned).length;
  const also = planned === 0 ? '' : `, ${planned} with planned maintenance`;
  const label = `${SHOWN_DAYS} days: ${percent(uptimeOf(days))} up, ${bad} ${bad === 1 ? 'day' : 'days'} with failures${also}`;
  return `<li><div class="row"><${heading}>${html(name)}</${heading}><span class="pill ${state}">${shape(state, 11)} ${WORDS[state]}</span></div>${explanation(endpoint)}
${dayBars(days, label)}
<div class="axis small soft"><span>${SHOWN_DAYS} days ago</span><span>${uptimeFigures(days)}</span><strong>today</strong></div>
<details class="small"><summary>Day by day<span class="sr"> of ${html(name)}</span></summary><ul class="days">${dayItems(days)}</ul></details></li>`;
}

/** A heading with the sum of what stands below it. */
function groupHead(group: string, endpoints: readonly StatusEndpoint[]): string {
  const sum = groupSum(endpoints.filter((endpoint) => endpoint.group === group));
  const pill = sum === null ? '' : `<span class="pill ${sum.state}">${shape(sum.state, 11)} ${sum.text}</span>`;
  return `<div class="row head"><h3 class="group">${html(group)}</h3>${pill}</div>`;
}

/** Each group below its heading. */
function* endpointLists(endpoints: readonly StatusEndpoint[]): Generator<string> {
  for (const [index, endpoint] of endpoints.entries()) {
    const before = endpoints[index - 1];
    if (!before || before.group !== endpoint.group) {
      if (before) yield '\n</ul>';
      if (endpoint.group !== '') yield `\n${groupHead(endpoint.group, endpoints)}`;
      yield '\n<ul class="endpoints">';
    }
    yield `\n${endpointItem(endpoint)}`;
  }
  yield '\n</ul>';
}

function outageItem({ endpoint, started_at, ended_at, reason }: StatusOutage, now: string): string {
  const took = length(Date.parse(ended_at ?? now) - Date.parse(started_at));
  return `<li><strong>${html(endpoint)}</strong><span>${ended_at === null ? `ongoing, ${took}` : took}</span>
<span class="small soft">${reason === null ? 'not reachable' : html(reason)}</span><span class="small soft">${stamp(started_at)}</span></li>`;
}

/**
 * The page as one HTML document, in pieces of one endpoint each: no stylesheet or script to load, and no image but the logo
 * and the icon. The script only writes times in the reader's zone.
 */
export function* statusHtml(snapshot: StatusSnapshot): Generator<string> {
  const { name, slug, description, look, endpoints, outages, maintenance, updated_at } = snapshot;
  const state = pageState(snapshot);
  const list = outages.map((outage) => outageItem(outage, updated_at)).join('\n');
  const paragraphs = description.split(/\s*\n\s*/).filter((text) => text !== '');
  const color = accentStyle(look.accent);
  const hasPlanned = endpoints.some(({ days }) => days.some(({ planned }) => planned));
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(name)}: ${headline(snapshot)}</title>
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="alternate" type="application/json" href="/status/${slug}.json">
<link rel="alternate" type="application/atom+xml" title="Outages and maintenance" href="/status/${slug}/feed.atom">
<style>${STATUS_STYLE}</style>${color === '' ? '' : `\n<style>${color}</style>`}
</head>
<body>
<main>
<header>${look.hasLogo ? `<img class="logo" src="/status/${slug}/logo" alt="">` : ''}<h1>${html(name)}</h1></header>
${paragraphs.map((text) => `<p class="lead">${html(text)}</p>\n`).join('')}<div class="overall ${state}">${shape(state, 20)}<p>${headline(snapshot)}</p><a class="small" href="/status/${slug}/feed.atom">${FEED} Subscribe<span class="sr"> to outages and maintenance, by a feed</span></a></div>${activeWork(maintenance)}
<p class="small soft">As of ${stamp(updated_at)}</p>${nextWork(maintenance)}
<h2>Last ${SHOWN_DAYS} days</h2>`;
  if (endpoints.length === 0) yield '\n<p class="soft">Nothing is monitored yet.</p>';
  else yield* endpointLists(endpoints);
  if (hasPlanned)
    yield `\n<p class="legend small soft">${PLANNED_SAMPLE} Planned maintenance, not part of the uptime</p>`;
  yield `${plannedWork(maintenance)}
<h2>Outages</h2>
${outages.length === 0 ? `<p class="soft">None in ${SHOWN_DAYS} days.</p>` : `<ol class="outages">\n${list}\n</ol>`}
<footer><p id="zone">Times and days are in UTC.</p>
<p><a href="/status/${slug}.json">This page for programs</a></p></footer>
</main>
<script>${STATUS_SCRIPT}</script>
</body>
</html>
`;
}

/** The sign of a feed. */
const FEED =
  '<svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" stroke-width="1.8" aria-hidden="true"><path d="M1 6.2A4.8 4.8 0 0 1 5.8 11M1 1.5A9.5 9.5 0 0 1 10.5 11"/><circle cx="2" cy="10" r=".6" fill="currentColor"/></svg>';

/** One shape per state, so that colour alone conveys nothing. */
const SHAPES: Readonly<Record<PageState, string>> = {
  up: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0ZM3.2 6.2 5.2 8.2 8.9 4.2 8 3.4 5.2 6.4 4 5.3Z',
  down: 'M6 .4 11.8 11H.2ZM5.3 4v3.6h1.4V4Zm0 4.4v1.3h1.4V8.4Z',
  degraded: 'M6 0l6 6-6 6-6-6ZM5.3 2.7v4h1.4v-4Zm0 4.9V9h1.4V7.6Z',
  maintenance:
    'M11.7 2.7 9.6 4.8 7.7 4.3 7.2 2.4 9.3.3A3.6 3.6 0 0 0 4.6 4.9L.6 8.9a1.77 1.77 0 0 0 2.5 2.5l4-4a3.6 3.6 0 0 0 4.6-4.7Z',
  unknown: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0Zm0 1.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2ZM4.7 5.3h2.6v1.4H4.7Z',
  paused: 'M2 1h3v10H2Zm5 0h3v10H7Z',
};

const shape = (state: PageState, size: number): string =>
  `<svg width="${size}" height="${size}" viewBox="0 0 12 12" fill="currentColor" fill-rule="evenodd" aria-hidden="true"><path d="${SHAPES[state]}"/></svg>`;

/** What people see where no page is: the same bytes whether there never was one or it is not published. */
export const NOT_FOUND_PAGE = Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No status page here</title>
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<style>${STATUS_STYLE}</style>
</head>
<body>
<main>
<h1>No status page here</h1>
<p class="lead">There is no page at this address, or it is not public. Check the address, or ask whoever gave it to you.</p>
</main>
</body>
</html>
`);
