import { html } from '../../platform/text/html';
import type { StatusOutage, StatusSnapshot } from '../status-snapshot';
import type { PageState } from './page-state';
import { accentStyle } from './status-policy';
import { STATUS_SCRIPT, STATUS_STYLE } from './status-style';
import { stamp } from './times';

/** The part of a page that its layout shows. */
type Framed = Pick<StatusSnapshot, 'slug' | 'name' | 'look'>;

/**
 * Returns everything before the content. It loads no stylesheet, and no image except the logo and the icon. `title` is
 * plain text. `root` is the path prefix for each URL (`rootFor`).
 */
export function documentStart({ slug, name, look }: Framed, title: string, jsonPath: string, root: string): string {
  const color = accentStyle(look.accent);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(name)}: ${html(title)}</title>
<link rel="icon" type="image/svg+xml" href="${root}/favicon.svg">
<link rel="alternate" type="application/json" href="${jsonPath}">
<link rel="alternate" type="application/atom+xml" title="Incidents, outages and maintenance" href="${root}/status/${slug}/feed.atom">
<style>${STATUS_STYLE}</style>${color === '' ? '' : `\n<style>${color}</style>`}
</head>
<body>
<main>
<header>${look.hasLogo ? `<img class="logo" src="${root}/status/${slug}/logo" alt="">` : ''}<h1>${html(name)}</h1></header>
`;
}

/** Returns everything after the content. The script only converts times to the reader's time zone. */
export const documentEnd = (jsonPath: string): string => `
<footer><p id="zone">Times and days are in UTC.</p>
<p><a href="${jsonPath}">This page as JSON</a></p></footer>
</main>
<script>${STATUS_SCRIPT}</script>
</body>
</html>
`;

/** Returns a duration such as `2 h 5 min`, using the two largest units. */
export const timeBetween = (from: string, until: string): string => durationText(Date.parse(until) - Date.parse(from));

/** Returns a duration in milliseconds as text, such as `2 h 5 min`. */
export function durationText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Yields the outages in order, or the text `none` if there are none. */
export function* outageList(outages: readonly StatusOutage[], now: string, none: string): Generator<string> {
  if (outages.length === 0) {
    yield `<p class="soft">${none}</p>`;
    return;
  }
  yield '<ol class="outages">';
  for (const { endpoint, started_at, ended_at, reason } of outages)
    yield `\n<li><strong>${html(endpoint)}</strong><span>${ended_at === null ? 'ongoing, ' : ''}${timeBetween(started_at, ended_at ?? now)}</span>
<span class="small soft">${reason === null ? 'not reachable' : html(reason)}</span><span class="small soft">${stamp(started_at)}</span></li>`;
  yield '\n</ol>';
}

/** Each state has its own shape, so that no information depends on color alone. */
const SHAPES: Readonly<Record<PageState, string>> = {
  up: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0ZM3.2 6.2 5.2 8.2 8.9 4.2 8 3.4 5.2 6.4 4 5.3Z',
  down: 'M6 .4 11.8 11H.2ZM5.3 4v3.6h1.4V4Zm0 4.4v1.3h1.4V8.4Z',
  degraded: 'M6 0l6 6-6 6-6-6ZM5.3 2.7v4h1.4v-4Zm0 4.9V9h1.4V7.6Z',
  incident:
    'M1.5.5h9A1.5 1.5 0 0 1 12 2v6a1.5 1.5 0 0 1-1.5 1.5H6.2L2.6 12V9.5H1.5A1.5 1.5 0 0 1 0 8V2A1.5 1.5 0 0 1 1.5.5ZM5.3 2.2v3.3h1.4V2.2Zm0 4.2v1.3h1.4V6.4Z',
  maintenance:
    'M11.7 2.7 9.6 4.8 7.7 4.3 7.2 2.4 9.3.3A3.6 3.6 0 0 0 4.6 4.9L.6 8.9a1.77 1.77 0 0 0 2.5 2.5l4-4a3.6 3.6 0 0 0 4.6-4.7Z',
  unknown: 'M6 0a6 6 0 1 1 0 12A6 6 0 0 1 6 0Zm0 1.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2ZM4.7 5.3h2.6v1.4H4.7Z',
  paused: 'M2 1h3v10H2Zm5 0h3v10H7Z',
};

export const shape = (state: PageState, size: number): string =>
  `<svg width="${size}" height="${size}" viewBox="0 0 12 12" fill="currentColor" fill-rule="evenodd" aria-hidden="true"><path d="${SHAPES[state]}"/></svg>`;

/** Renders a state as a word with its shape. `text` is HTML. */
export const pill = (state: PageState, text: string): string =>
  `<span class="pill ${state}">${shape(state, 11)} ${text}</span>`;
