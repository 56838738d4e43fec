import type { StatusHistory } from '../status-snapshot';
import { pastList } from './incident-html';
import { documentEnd, documentStart, type PageLinks } from './page-parts';
import { monthName } from './times';

/** Yields a month of a page as one HTML document, in the same layout as the page itself. */
export function* historyHtml(history: StatusHistory, links: PageLinks): Generator<string> {
  const { name, month, earlier, later, incidents, outages, updated_at } = history;
  const { paths, absolute } = links;
  const to = (other: string | null, rel: string, arrow: string) =>
    other === null
      ? '<span></span>'
      : `<a href="${paths.history}?month=${other}" rel="${rel}">${arrow.replace('%', monthName(other))}</a>`;
  const title = `History of ${monthName(month)}`;
  const json = `${paths.history}.json?month=${month}`;
  const head = {
    title,
    description: `Incidents and outages of ${name} in ${monthName(month)}.`,
    json,
    canonical: absolute === null ? null : `${absolute.history}?month=${month}`,
  };
  yield documentStart(history, head, links);
  yield `<p class="small back"><a href="${paths.home}">Current status</a></p>
<h2>${title}</h2>
<nav class="row months" aria-label="Months">${to(earlier, 'prev', '← %')}${to(later, 'next', '% →')}</nav>`;
  yield* pastList({ incidents, outages }, updated_at, links, 'No incidents or outages in this month.');
  yield documentEnd(links, json);
}
