// The pages of the documentation. docs/navigation.json is the only list: it has the order of the pages, and a page that
// isn't in it isn't published. Pages without a file in docs are generated from the code (reference.mjs).
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { slugOf } from './slug.mjs';

/** The page that explains the generated reference to readers of the repository, where these pages have no file. */
const INDEX_OF_GENERATED = 'docs/reference/README.md';
const HOME = { path: '', source: 'docs/README.md' };

export const readNavigation = (root) => JSON.parse(readFileSync(join(root, 'docs/navigation.json'), 'utf8'));

/** Returns `[{path, source, title, summary, markdown, section, group}]` in the order of the navigation. */
export function readPages(root, generated) {
  const listed = readNavigation(root).flatMap(({ title: section, groups }) =>
    groups.flatMap(({ title: group, pages }) =>
      pages.map((entry) => ({ section, group, ...(typeof entry === 'string' ? { path: entry } : entry) })),
    ),
  );
  return [HOME, ...listed].map((entry) => {
    const source = entry.source ?? `docs/${entry.path}.md`;
    const markdown = generated.get(entry.path) ?? read(root, source);
    const title = /^# (.+)$/m.exec(markdown)?.[1];
    if (title === undefined) throw new Error(`${source} has no title`);
    return { ...entry, source, title, markdown, summary: summaryOf(markdown), isGenerated: generated.has(entry.path) };
  });
}

function read(root, source) {
  if (!existsSync(join(root, source))) throw new Error(`docs/navigation.json lists ${source}, which does not exist`);
  return readFileSync(join(root, source), 'utf8');
}

/** Returns the first sentence below the title, without markup. */
function summaryOf(markdown) {
  const [, paragraph = ''] = /^# .+\n+([^#`|!\n-][^]*?)(?:\n\n|$)/m.exec(markdown) ?? [];
  const text = paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .replace(/\s+/g, ' ');
  return /^.*?[.:?](?= |$)/.exec(text)?.[0] ?? text;
}

/**
 * Returns a function that finds the target of a link in a page: `{page, anchor}` for a page of the documentation,
 * `{image}` for a picture in docs, and `{file}` for another file of the repository.
 */
export function linkTargets(pages) {
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const generated = new Map(pages.filter(({ isGenerated }) => isGenerated).map((page) => [slugOf(page.title), page]));
  return (page, link) => {
    if (/^[a-z]+:/.test(link)) return { url: link };
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page.source : posix.normalize(posix.join(posix.dirname(page.source), path));
    if (file === INDEX_OF_GENERATED && generated.has(anchor)) return { page: generated.get(anchor) };
    const target = bySource.get(file);
    if (target) return { page: target, anchor };
    return /\.(?:png|svg)$/.test(file) ? { image: file } : { file };
  };
}
