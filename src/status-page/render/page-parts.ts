import { html } from '../../platform/text/html';
import type { StatusSnapshot } from '../status-snapshot';
import { TODAY_SYMBOL } from './day-bars';
import type { PagePaths } from './page-paths';
import type { PageState } from './page-state';
import { accentStyle } from './status-policy';
import { STATUS_SCRIPT, STATUS_STYLE } from './status-style';

/** The part of a page that its layout shows. */
type Framed = Pick<StatusSnapshot, 'name' | 'look'>;

/** The links of one rendering of a page. */
export interface PageLinks {
  /** Relative to where the page was requested. */
  paths: PagePaths;
  /** `null` if the installation doesn't know its own URL. */
  absolute: PagePaths | null;
}

/** The description of a document, as plain text. */
export interface DocumentHead {
  title: string;
  /** For search engines, and for the card of a shared link. */
  description: string;
  /** The same content for programs. */
  json: string;
  /** The URL of this document among all that show it, or `null` if it is unknown. */
  canonical: string | null;
}

/** The maximum number of characters of a description that search engines and chats show. */
const DESCRIBED = 200;

function metaTags({ name, look }: Framed, { title, description, canonical }: DocumentHead, links: PageLinks): string {
  const text = html(clipped(description, DESCRIBED));
  const logo = look.hasLogo ? (links.absolute?.logo ?? null) : null;
  return [
    `<meta name="description" content="${text}">`,
    ...(look.indexed ? [] : ['<meta name="robots" content="noindex">']),
    ...(canonical === null ? [] : [`<link rel="canonical" href="${html(canonical)}">`]),
    '<meta property="og:type" content="website">',
    `<meta property="og:site_name" content="${html(name)}">`,
    `<meta property="og:title" content="${html(`${name}: ${title}`)}">`,
    `<meta property="og:description" content="${text}">`,
    ...(canonical === null ? [] : [`<meta property="og:url" content="${html(canonical)}">`]),
    ...(logo === null ? [] : [`<meta property="og:image" content="${html(logo)}">`]),
    '<meta name="twitter:card" content="summary">',
  ].join('\n');
}

/** Returns everything before the content. It loads no stylesheet, and no image except the logo and the icon. */
export function documentStart(frame: Framed, head: DocumentHead, links: PageLinks): string {
  const { name, look } = frame;
  const { paths } = links;
  const color = accentStyle(look.accent);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(name)}: ${html(head.title)}</title>
${metaTags(frame, head, links)}
<link rel="icon" type="image/svg+xml" href="${paths.icon}">${look.hasLogo ? `\n<link rel="apple-touch-icon" href="${paths.logo}">` : ''}
<link rel="alternate" type="application/json" href="${head.json}">
<link rel="alternate" type="application/atom+xml" title="Incidents, outages and maintenance" href="${paths.feed}">
<style>${STATUS_STYLE}</style>${color === '' ? '' : `\n<style>${color}</style>`}
</head>
<body>
${SHAPE_SYMBOLS}
<main>
<header>${mark(frame, paths)}<h1>${html(name)}</h1>${supportLink(look.supportUrl)}${subscribeMenu(links)}</header>
`;
}

const mark = ({ name, look }: Framed, paths: PagePaths): string =>
  look.hasLogo
    ? `<img class="logo" src="${paths.logo}" alt="">`
    : `<span class="mark" aria-hidden="true">${html([...name.trim()][0]?.toUpperCase() ?? '')}</span>`;

const supportLink = (url: string | null): string =>
  url === null ? '' : `<a class="button" href="${html(url)}" rel="noreferrer">Report a problem</a>`;

/** The menu works without a script. Calendar programs subscribe to `webcal:` URLs. */
function subscribeMenu({ paths, absolute }: PageLinks): string {
  const calendar = absolute === null ? paths.calendar : absolute.calendar.replace(/^https?:/, 'webcal:');
  const entries = [
    [paths.feed, 'Feed', 'Incidents, outages, and maintenance (Atom)'],
    [html(calendar), 'Calendar', 'Planned maintenance (iCalendar)'],
    [paths.json, 'JSON', 'This page for programs'],
  ];
  const items = entries.map(
    ([href, title, text]) => `<li><a href="${href}"><strong>${title}</strong><span>${text}</span></a></li>`,
  );
  return `<details class="menu"><summary class="button main">Subscribe</summary><ul>${items.join('')}</ul></details>`;
}

/** Returns everything after the content. The script only converts times to the reader's time zone. */
export const documentEnd = ({ paths }: PageLinks, json: string, refresh = ''): string => `
<footer><p id="zone">Times and days are in UTC.</p>
<p>${refresh}<a href="${paths.history}">History</a> · <a href="${paths.feed}">Feed</a> · <a href="${paths.calendar}">Calendar</a> · <a href="${json}">JSON</a></p></footer>
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

/** Returns the first characters of a text on one line, with `…` if there are more. */
export function clipped(text: string, most: number): string {
  const line = text
    .slice(0, most * 4)
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= most
    ? line
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
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

/** The shapes are in the document once, because each pill shows one of them. */
const SHAPE_SYMBOLS = `<svg width="0" height="0" class="sr" aria-hidden="true"><defs>${Object.entries(SHAPES)
  .map(([state, path]) => `<path id="s-${state}" fill-rule="evenodd" d="${path}"/>`)
  .join('')}${TODAY_SYMBOL}</defs></svg>`;

export const shape = (state: PageState): string =>
  `<svg class="i" viewBox="0 0 12 12" aria-hidden="true"><use href="#s-${state}"/></svg>`;

/** Renders a state as a word with its shape. `text` is HTML. */
export const pill = (state: PageState, text: string): string =>
  `<span class="pill ${state}">${shape(state)} ${text}</span>`;
