// The index of the search. It has an entry for each section of a page, so that a result leads to the right heading.
import { createRequire } from 'node:module';
import MiniSearch from 'minisearch';

const { OPTIONS } = createRequire(import.meta.url)('../../web/help/search-options.ts');

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
