import { html } from '../../platform/text/html';
import { nonEmptyLines } from '../../platform/text/non-empty-lines';
import { publicText } from '../incident-words';
import { MAX_PER_WINDOW, type StatusMaintenance } from '../page-maintenance';
import type { PagePaths } from './page-paths';
import { range, stamp } from './times';

/** The maximum number of names to list. The rest are only counted. */
const MAX_NAMES = 5;

/** Describes which part of the page a window affects. */
export function affected({ endpoints, everything }: Pick<StatusMaintenance, 'endpoints' | 'everything'>): string {
  if (everything && endpoints.length > 1) return 'everything on this page';
  const names = endpoints.length > MAX_NAMES + 1 ? endpoints.slice(0, MAX_NAMES) : endpoints;
  const more = endpoints.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

const paragraphs = (text: string): string =>
  nonEmptyLines(publicText(text))
    .map((line) => `<p>${html(line)}</p>`)
    .join('');

const about = (work: StatusMaintenance): string =>
  `${paragraphs(work.description)}<p class="small soft">Affects ${html(affected(work))}.</p>`;

/** Yields the maintenance that is in progress, or nothing if there is none. */
export function* activeWork(all: readonly StatusMaintenance[]): Generator<string> {
  const active = all.filter(({ state }) => state === 'active');
  if (active.length === 0) return;
  yield '\n<ul class="announced now">';
  for (const work of active)
    yield `\n<li><div class="row"><h2>${html(work.name)}</h2><span class="small soft">Maintenance until ${stamp(work.ends_at)}</span></div>${about(work)}</li>`;
  yield '\n</ul>';
}

/** Returns when the next planned maintenance starts, with a link to the full list. Empty if there is none. */
export function nextWork(all: readonly StatusMaintenance[]): string {
  const next = all.find(({ state }) => state === 'planned');
  return next ? ` · <a href="#planned">Planned maintenance</a>: next on ${stamp(next.starts_at)}` : '';
}

/** Yields the planned maintenance, or nothing if there is none. Each window appears once with all its times. */
export function* plannedWork(all: readonly StatusMaintenance[], paths: PagePaths): Generator<string> {
  const byWindow = new Map<string, StatusMaintenance[]>();
  for (const work of all) {
    if (work.state === 'planned') byWindow.set(work.window, [...(byWindow.get(work.window) ?? []), work]);
  }
  if (byWindow.size === 0) return;
  yield '\n<h2 id="planned">Planned maintenance</h2>\n<ul class="announced">';
  for (const occurrences of byWindow.values()) yield `\n${plannedItem(occurrences, paths)}`;
  yield '\n</ul>';
}

function plannedItem(occurrences: readonly StatusMaintenance[], paths: PagePaths): string {
  const [first] = occurrences as [StatusMaintenance];
  const times = occurrences.slice(0, MAX_PER_WINDOW).map((work) => `<li>${range(work.starts_at, work.ends_at)}</li>`);
  const more = occurrences.length > MAX_PER_WINDOW ? '<li class="soft">and more times</li>' : '';
  const add = `<a class="small" href="${paths.calendar}">Add to calendar</a>`;
  return `<li><div class="row"><h3>${html(first.name)}</h3>${add}</div><ul class="times small">${times.join('')}${more}</ul>${about(first)}</li>`;
}
