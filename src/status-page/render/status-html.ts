import { DAYS, type StatusDay, type StatusEndpoint, type StatusOutage, type StatusSnapshot } from '../status-snapshot';
import { html } from './escape';
import { accentStyle } from './status-policy';
import { STATUS_SCRIPT } from './status-script';
import { STATUS_STYLE } from './status-style';
import { percent, uptimeOf, uptimeText } from './uptime';

const WORDS = { up: 'Up', down: 'Down', unknown: 'Unknown', paused: 'Paused' } as const;

/** One shape per status, so that colour alone conveys nothing. */
const SHAPES = {
  up: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0ZM3.2 6.2 5.2 8.2 8.9 4.2 8 3.4 5.2 6.4 4 5.3Z',
  down: 'M6 .4 11.8 11H.2ZM5.3 4v3.6h1.4V4Zm0 4.4v1.3h1.4V8.4Z',
  unknown: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0Zm0 1.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2ZM4.7 5.3h2.6v1.4H4.7Z',
  paused: 'M2 1h3v10H2Zm5 0h3v10H7Z',
} as const;

const shape = (status: keyof typeof SHAPES, size: number): string =>
  `<svg width="${size}" height="${size}" viewBox="0 0 12 12" fill="currentColor" fill-rule="evenodd" aria-hidden="true"><path d="${SHAPES[status]}"/></svg>`;

/** The headline of the page. */
export function summary({ status, endpoints }: Pick<StatusSnapshot, 'status' | 'endpoints'>): string {
  const down = endpoints.filter((endpoint) => endpoint.status === 'down').length;
  switch (status) {
    case 'up':
      return 'Everything works';
    case 'down':
      return down === endpoints.length
        ? 'Nothing works'
        : `${down} of ${endpoints.length} ${down === 1 ? 'does' : 'do'} not work`;
    case 'paused':
      return 'Monitoring is paused';
    case 'unknown':
      return 'No data yet';
    default:
      return status satisfies never;
  }
}

/** `2 h 5 min`: the two largest parts. */
function length(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const WIDTH = 6;
const HEIGHT = 34;

/** The bar of one day: green from below, red from above and never too small to see; a stub for a day without data. */
function bar({ date, up, down }: StatusDay, index: number): string {
  const x = index * WIDTH + 1;
  const share = up + down === 0 ? null : down / (up + down);
  const failed = share === null || share === 0 ? 0 : Math.min(HEIGHT, Math.max(6, Math.round(share * HEIGHT)));
  const part = (kind: string, y: number, height: number) =>
    height > 0 ? `<path class="${kind}" d="M${x} ${y}h4v${height}h-4z"/>` : '';
  const parts =
    share === null ? part('none', HEIGHT - 4, 4) : part('bad', 0, failed) + part('ok', failed, HEIGHT - failed);
  return `<g><title>${date}: ${checksText(up, down)}</title>${parts}</g>`;
}

const checksText = (up: number, down: number): string =>
  up + down === 0 ? 'no data' : `${percent(up / (up + down))} of ${up + down} ${up + down === 1 ? 'check' : 'checks'}`;

/** 0: no data, 1: all up, 2: something failed. */
const kindOf = ({ up, down }: StatusDay): number => (down > 0 ? 2 : Math.min(1, up));

/** What the bars say, for everybody who cannot point at them: each day with failures; the others together. Newest first. */
function dayItems(days: readonly StatusDay[]): string {
  const runs: StatusDay[][] = [];
  for (const day of days.toReversed()) {
    const [newest] = runs.at(-1) ?? [];
    if (newest && kindOf(day) < 2 && kindOf(day) === kindOf(newest)) runs.at(-1)?.push(day);
    else runs.push([day]);
  }
  return runs
    .map((run) => {
      const [newest, oldest] = [run[0]?.date, run.at(-1)?.date];
      const sum = (part: 'up' | 'down') => run.reduce((total, day) => total + day[part], 0);
      const dates = newest === oldest ? `${newest}` : `${oldest} to ${newest}`;
      return `<li><span>${dates}</span><span>${checksText(sum('up'), sum('down'))}</span></li>`;
    })
    .join('');
}

function endpointItem({ name, group, status, days }: StatusEndpoint): string {
  const heading = group === '' ? 'h3' : 'h4';
  const bad = days.filter((day) => day.down > 0).length;
  const label = `${DAYS} days: ${percent(uptimeOf(days))} up, ${bad} ${bad === 1 ? 'day' : 'days'} with failures`;
  return `<li><div class="row"><${heading}>${html(name)}</${heading}><span class="pill ${status}">${shape(status, 11)} ${WORDS[status]}</span></div>
<svg class="bars" viewBox="0 0 ${DAYS * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${days.map(bar).join('')}</svg>
<div class="row small soft"><span>${DAYS} days ago</span><span>${uptimeText(days)} uptime</span><span>today</span></div>
<details class="small"><summary>Day by day<span class="sr"> of ${html(name)}</span></summary><ul class="days">${dayItems(days)}</ul></details></li>`;
}

/** Each group below its heading. */
function* endpointLists(endpoints: readonly StatusEndpoint[]): Generator<string> {
  for (const [index, endpoint] of endpoints.entries()) {
    const before = endpoints[index - 1];
    if (!before || before.group !== endpoint.group) {
      if (before) yield '\n</ul>';
      if (endpoint.group !== '') yield `\n<h3 class="group">${html(endpoint.group)}</h3>`;
      yield '\n<ul class="endpoints">';
    }
    yield `\n${endpointItem(endpoint)}`;
  }
  yield '\n</ul>';
}

const stamp = (iso: string): string => `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;

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
  const { name, slug, description, status, look, endpoints, outages, updated_at } = snapshot;
  const list = outages.map((outage) => outageItem(outage, updated_at)).join('\n');
  const paragraphs = description.split(/\s*\n\s*/).filter((text) => text !== '');
  const color = accentStyle(look.accent);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(name)}: ${summary(snapshot)}</title>
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="alternate" type="application/json" href="/status/${slug}.json">
<link rel="alternate" type="application/atom+xml" title="Outages" href="/status/${slug}/feed.atom">
<style>${STATUS_STYLE}</style>${color === '' ? '' : `\n<style>${color}</style>`}
</head>
<body>
<main>
<header>${look.hasLogo ? `<img class="logo" src="/status/${slug}/logo" alt="">` : ''}<h1>${html(name)}</h1></header>
${paragraphs.map((text) => `<p class="lead">${html(text)}</p>\n`).join('')}<p class="overall ${status}">${shape(status, 20)} ${summary(snapshot)}</p>
<p class="small soft">As of ${stamp(updated_at)}</p>
<h2>Last ${DAYS} days</h2>`;
  if (endpoints.length === 0) yield '\n<p class="soft">Nothing is monitored yet.</p>';
  else yield* endpointLists(endpoints);
  yield `
<h2>Outages</h2>
${outages.length === 0 ? `<p class="soft">None in ${DAYS} days.</p>` : `<ol class="outages">\n${list}\n</ol>`}
<footer><p id="zone">Times and days are in UTC.</p>
<p><a href="/status/${slug}/feed.atom">Feed of outages</a> · <a href="/status/${slug}.json">This page for programs</a></p></footer>
</main>
<script>${STATUS_SCRIPT}</script>
</body>
</html>
`;
}
