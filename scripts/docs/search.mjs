// The index of the search. It has an entry for each section of a page, so that a result leads to the right heading.
import MiniSearch from 'minisearch';
import { OPTIONS } from '../../web/help/search-options.mjs';

export function searchIndex(sections, extension) {
  const index = new MiniSearch(OPTIONS);
  sections.forEach(({ page, anchor, heading, text }, id) => {
    index.add({
      id,
      url: `${page.path}${page.path === '' ? '' : extension}${anchor ? `#${anchor}` : ''}`,
      page: page.title,
      heading: anchor === '' ? '' : heading,
      title: anchor === '' ? page.title : '',
      keywords: anchor === '' ? (page.keywords ?? '') : '',
      text,
      part: page.section ?? '',
    });
  });
  return index;
}
