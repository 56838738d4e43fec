import { html } from '../../platform/text/html';
import { nonEmptyLines } from '../../platform/text/non-empty-lines';
import { publicText } from '../incident-words';
import { SHOWN_DAYS } from '../shown-days';
import type { StatusEndpoint, StatusSnapshot } from '../status-snapshot';
import { dayBars, dayItems, PLANNED_SAMPLE } from './day-bars';
import { openIncidents, pastIncidents } from './incident-html';
import { activeWork, nextWork, plannedWork } from './maintenance-html';
import { documentEnd, documentStart, outageList, pill, shape } from './page-parts';
import { type EndpointState, endpointState, groupSum, headline, pageState } from './page-state';
import { STATUS_STYLE } from './status-style';
import { stamp } from './times';
import { percent, uptimeFigures, uptimeOf } from './uptime';

const WORDS: Readonly<Record<EndpointState, string>> = {
  up: 'Up',
  down: 'Down',
  degraded: 'Degraded',
  maintenance: 'Maintenance',
  unknown: 'Unknown',
  paused: 'Paused',
};

/** Describes the information that the pill of an endpoint doesn't show. */
function explanation({ status, degraded, maintenance }: StatusEndpoint): string {
  if (maintenance !== null && status !== 'paused') {
    const works = { up: ' Currently up.', down: ' Currently down.', unknown: '' }[status];
    return `\n<p class="small soft">${html(maintenance.name)} until ${stamp(maintenance.until)}.${works}</p>`;
  }
  return degraded ? '\n<p class="small soft">Up, with a warning.</p>' : '';
}

function endpointItem(endpoint: StatusEndpoint): string {
  const { name, group, days } = endpoint;
  const heading = group === '' ? 'h3' : 'h4';
  const state = endpointState(endpoint);
  const bad = days.filter((day) => day.down > 0).length;
  const planned = days.filter((day) => day.planned).length;
  const also = planned === 0 ? '' : `, ${planned} with planned maintenance`;
  const label = `${SHOWN_DAYS} days: ${percent(uptimeOf(days))} up, ${bad} ${bad === 1 ? 'day' : 'days'} with failures${also}`;
  return `<li><div class="row"><${heading}>${html(name)}</${heading}>${pill(state, WORDS[state])}</div>${explanation(endpoint)}
${dayBars(days, label)}
<div class="axis small soft"><span>${SHOWN_DAYS} days ago</span><span>${uptimeFigures(days)}</span><strong>today</strong></div>
<details class="small"><summary>Day by day<span class="sr"> of ${html(name)}</span></summary><ul class="days">${dayItems(days)}</ul></details></li>`;
}

/** Renders a heading with a summary of its endpoints. */
function groupHead(group: string, endpoints: readonly StatusEndpoint[]): string {
  const sum = groupSum(endpoints.filter((endpoint) => endpoint.group === group));
  return `<div class="row head"><h3 class="group">${html(group)}</h3>${sum === null ? '' : pill(sum.state, sum.text)}</div>`;
}

/** Yields each group below its heading. */
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

/**
 * Yields the page as one HTML document, in pieces of one endpoint, update, or outage each. `root` is the path prefix
 * for each URL.
 */
export function* statusHtml(snapshot: StatusSnapshot, root: string): Generator<string> {
  const { slug, description, endpoints, incidents, otherOutages, maintenance, updated_at } = snapshot;
  const state = pageState(snapshot);
  const path = `${root}/status/${slug}`;
  const paragraphs = nonEmptyLines(publicText(description));
  const hasPlanned = endpoints.some(({ days }) => days.some(({ planned }) => planned));
  yield documentStart(snapshot, headline(snapshot), `${path}.json`, root);
  yield `${paragraphs.map((text) => `<p class="lead">${html(text)}</p>\n`).join('')}<div class="overall ${state}">${shape(state, 20)}<p>${html(headline(snapshot))}</p><a class="small" href="${path}/feed.atom">${FEED} Subscribe<span class="sr"> to incidents, outages, and maintenance with a feed reader</span></a></div>`;
  yield* openIncidents(incidents, updated_at);
  yield* activeWork(maintenance);
  yield `
<p class="small soft">As of ${stamp(updated_at)}</p>${nextWork(maintenance)}
<h2>Last ${SHOWN_DAYS} days</h2>`;
  if (endpoints.length === 0) yield '\n<p class="soft">Nothing is monitored yet.</p>';
  else yield* endpointLists(endpoints);
  if (hasPlanned)
    yield `\n<p class="legend small soft">${PLANNED_SAMPLE} Planned maintenance, not part of the uptime</p>`;
  yield* plannedWork(maintenance);
  yield* pastIncidents(incidents, updated_at);
  yield `\n<h2>${incidents.length === 0 ? 'Outages' : 'Other outages'}</h2>\n`;
  yield* outageList(otherOutages, updated_at, `No outages in ${SHOWN_DAYS} days.`);
  yield `\n<p class="small more"><a href="${path}/history">History by month</a></p>`;
  yield documentEnd(`${path}.json`);
}

const FEED =
  '<svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" stroke-width="1.8" aria-hidden="true"><path d="M1 6.2A4.8 4.8 0 0 1 5.8 11M1 1.5A9.5 9.5 0 0 1 10.5 11"/><circle cx="2" cy="10" r=".6" fill="currentColor"/></svg>';

/** Renders the page for a 404. The bytes are the same whether a page never existed or isn't published. */
export const notFoundPage = (root: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Status page not found</title>
<link rel="icon" type="image/svg+xml" href="${root}/favicon.svg">
<style>${STATUS_STYLE}</style>
</head>
<body>
<main>
<h1>Status page not found</h1>
<p class="lead">There is no page at this URL, or it is not public. Check the URL, or ask the site’s owner.</p>
</main>
</body>
</html>
`;
