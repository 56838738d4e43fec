import { html } from '../../platform/text/html';
import { nonEmptyLines } from '../../platform/text/non-empty-lines';
import { publicText } from '../incident-words';
import { SHOWN_DAYS } from '../shown-days';
import type { StatusEndpoint, StatusSnapshot } from '../status-snapshot';
import { barsLabel, dayBars, dayItems, legend } from './day-bars';
import { openIncidents, pastList } from './incident-html';
import { activeWork, nextWork, plannedWork } from './maintenance-html';
import { clipped, documentEnd, documentStart, type PageLinks, pill, shape, timeBetween } from './page-parts';
import { type EndpointState, endpointState, groupSum, headline, outageTitle, pageState } from './page-state';
import { STATUS_STYLE } from './status-style';
import { stamp } from './times';
import { percent, uptimeOf, uptimeText } from './uptime';

const WORDS: Readonly<Record<EndpointState, string>> = {
  up: 'Operational',
  down: 'Down',
  degraded: 'Degraded',
  maintenance: 'Maintenance',
  unknown: 'Unknown',
  paused: 'Paused',
};

/** The maximum number of ongoing outages to list. The title counts all of them. */
const MAX_ONGOING = 5;
/** How often a page reloads itself, in seconds. */
export const REFRESH_SECONDS = 60;

/** Describes the information that the pill of an endpoint doesn't show. */
function explanation({ status, degraded, maintenance }: StatusEndpoint): string {
  if (maintenance !== null && status !== 'paused') {
    const works = { up: ' Currently up.', down: ' Currently down.', unknown: '' }[status];
    return `\n<p class="small soft">${html(maintenance.name)} until ${stamp(maintenance.until)}.${works}</p>`;
  }
  return degraded ? '\n<p class="small soft">Up, with a warning.</p>' : '';
}

/** The bars open the list of days with failures. Without such days there is nothing to open. */
function days({ days: all }: StatusEndpoint): string {
  const bars = dayBars(all, barsLabel(all, percent(uptimeOf(all))));
  const items = dayItems(all);
  if (items === '') return bars;
  return `<details><summary>${bars}</summary><ul class="days small">${items}</ul></details>`;
}

function endpointItem(endpoint: StatusEndpoint): string {
  const heading = endpoint.group === '' ? 'h3' : 'h4';
  const state = endpointState(endpoint);
  return `<li><div class="row"><${heading}>${html(endpoint.name)}</${heading}><span class="small soft share">${uptimeText(endpoint.days)}</span>${pill(state, WORDS[state])}</div>${explanation(endpoint)}
${days(endpoint)}</li>`;
}

/** Endpoints with the same heading that follow each other. */
interface Group {
  name: string;
  endpoints: StatusEndpoint[];
}

function groupsOf(endpoints: readonly StatusEndpoint[]): Group[] {
  const groups: Group[] = [];
  for (const endpoint of endpoints) {
    const last = groups.at(-1);
    if (last?.name === endpoint.group) last.endpoints.push(endpoint);
    else groups.push({ name: endpoint.group, endpoints: [endpoint] });
  }
  return groups;
}

/** Yields each group below its heading. With several groups, those in which everything is operational are folded. */
function* services(endpoints: readonly StatusEndpoint[]): Generator<string> {
  const groups = groupsOf(endpoints);
  yield '\n<div class="card services">';
  for (const { name, endpoints: own } of groups) {
    if (name !== '') {
      const sum = groupSum(own);
      const isFolded = groups.length > 1 && sum.state === 'up';
      yield `\n<details class="fold"${isFolded ? '' : ' open'}><summary><div class="row"><h3 class="group">${html(name)}</h3>${pill(sum.state, sum.text)}</div></summary>`;
    }
    yield '\n<ul class="endpoints">';
    for (const endpoint of own) yield `\n${endpointItem(endpoint)}`;
    yield name === '' ? '\n</ul>' : '\n</ul></details>';
  }
  yield '\n</div>';
}

/** The names of the endpoints that are down without announced maintenance. */
const downNames = ({ endpoints }: Pick<StatusSnapshot, 'endpoints'>): Set<string> =>
  new Set(endpoints.filter((endpoint) => endpointState(endpoint) === 'down').map(({ name }) => name));

/** Renders the ongoing outages that no incident covers. */
function ongoing({ otherOutages, updated_at }: StatusSnapshot): string {
  const open = otherOutages.filter(({ ended_at }) => ended_at === null);
  if (open.length === 0) return '';
  const items = open
    .slice(0, MAX_ONGOING)
    .map(
      ({ endpoint, started_at, reason }) =>
        `<li><strong>${html(endpoint)}</strong> <span class="soft">${html(reason ?? 'not reachable')} · since ${stamp(started_at)}, ${timeBetween(started_at, updated_at)}</span></li>`,
    );
  return `<ul class="ongoing small">${items.join('')}</ul>`;
}

/**
 * Yields what matters now: each open incident, and the state of everything that the incidents don't explain. If no
 * incident is open, the state is always shown.
 */
function* now(snapshot: StatusSnapshot, links: PageLinks): Generator<string> {
  const { incidents, endpoints } = snapshot;
  const open = incidents.filter(({ ended_at }) => ended_at === null);
  const down = downNames(snapshot);
  const told = new Set(open.flatMap((incident) => incident.endpoints));
  const untold = [...down].filter((name) => !told.has(name));
  const state = pageState(snapshot);
  if (open.length === 0 || untold.length > 0) {
    const title = open.length === 0 ? headline(snapshot) : outageTitle(untold, endpoints.length);
    yield `<section class="hero ${open.length === 0 ? state : 'down'}"><h2>${shape(open.length === 0 ? state : 'down')}<span>${html(title)}</span></h2>${ongoing(snapshot)}</section>`;
  }
  yield* openIncidents(incidents, down, snapshot, links);
}

/** Describes the page for search engines and shared links. */
function describe(snapshot: StatusSnapshot): string {
  const about = clipped(publicText(snapshot.description), 120);
  return `${headline(snapshot)}. ${about === '' ? `Current status and history of ${snapshot.name}.` : about}`;
}

/**
 * Yields the page as one HTML document, in pieces of one endpoint, update, or outage each. `isRefreshed` says whether the
 * page reloads itself, which the response's headers do.
 */
export function* statusHtml(snapshot: StatusSnapshot, links: PageLinks, isRefreshed: boolean): Generator<string> {
  const { description, endpoints, incidents, otherOutages, maintenance, updated_at } = snapshot;
  const { paths, absolute } = links;
  const head = {
    title: headline(snapshot),
    description: describe(snapshot),
    json: paths.json,
    canonical: absolute?.home ?? null,
  };
  const paragraphs = nonEmptyLines(publicText(description));
  yield documentStart(snapshot, head, links);
  yield paragraphs.map((text) => `<p class="lead">${html(text)}</p>\n`).join('');
  yield* now(snapshot, links);
  yield* activeWork(maintenance);
  yield `\n<p class="small soft as-of">As of ${stamp(updated_at)}${nextWork(maintenance)}</p>
<div class="row head"><h2>Services</h2><span class="small soft">Last ${SHOWN_DAYS} days, today is outlined</span></div>`;
  if (endpoints.length === 0) yield '\n<p class="soft">Nothing is monitored yet.</p>';
  else yield* services(endpoints);
  yield legend(endpoints.map((endpoint) => endpoint.days));
  yield* plannedWork(maintenance, paths);
  yield `\n<div class="row head"><h2>Past incidents</h2><a class="small" href="${paths.history}">History by month</a></div>`;
  const past = {
    incidents: incidents.filter(({ ended_at }) => ended_at !== null),
    outages: otherOutages.filter(({ ended_at }) => ended_at !== null),
  };
  yield* pastList(past, updated_at, links, `No outages in ${SHOWN_DAYS} days.`);
  const refresh = isRefreshed
    ? `Updates every minute · <a href="${paths.home}?refresh=off">Pause updates</a> · `
    : `Updates are paused · <a href="${paths.home}">Resume updates</a> · `;
  yield documentEnd(links, paths.json, refresh);
}

/** Renders the page for a 404. The bytes are the same whether a page never existed or isn't published. */
export const notFoundPage = (root: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Status page not found</title>
<meta name="robots" content="noindex">
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
