import type { StatusHistory } from '../status-snapshot';
import { incidentList } from './incident-html';
import { documentEnd, documentStart, outageList } from './page-parts';
import { monthName } from './times';

/**
 * Yields a month of a page as one HTML document, in the same layout as the page itself. `root` is the path prefix for
 * each URL.
 */
export function* historyHtml(history: StatusHistory, root: string): Generator<string> {
  const { slug, month, earlier, later, incidents, outages, updated_at } = history;
  const path = `${root}/status/${slug}/history`;
  const to = (other: string | null, rel: string, arrow: string) =>
    other === null
      ? '<span></span>'
      : `<a href="${path}?month=${other}" rel="${rel}">${arrow.replace('%', monthName(other))}</a>`;
  const title = `History of ${monthName(month)}`;
  yield documentStart(history, title, `${path}.json?month=${month}`, root);
  yield `<p class="lead"><a href="${root}/status/${slug}">Current status</a></p>
<h2>${title}</h2>
<nav class="row months" aria-label="Months">${to(earlier, 'prev', '← %')}${to(later, 'next', '% →')}</nav>`;
  if (incidents.length === 0 && outages.length === 0) yield '\n<p class="soft">No incidents or outages in this month.</p>';
  yield* incidentList(incidents, updated_at);
  if (outages.length > 0) {
    yield `\n<h2>${incidents.length === 0 ? 'Outages' : 'Other outages'}</h2>\n`;
    yield* outageList(outages, updated_at, '');
  }
  yield documentEnd(`${path}.json?month=${month}`);
}
