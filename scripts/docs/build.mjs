// node -r ./scripts/typescript.cjs scripts/docs/build.mjs --out FOLDER [--site]: writes the documentation as static
// pages. FOLDER contains the built page of web/help as `.template`. The service serves these pages at /help. With `--site`, they
// are a website for any web server: links end with .html, and nothing refers to a running service.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readNavigation, readPages, linkTargets } from './pages.mjs';
import { generatedPages } from './reference.mjs';
import { escaped, imageName, relativeUrl, render } from './render.mjs';
import { searchIndex } from './search.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the Markdown of a page with links that work where it is served. Other files of the repository are named. */
function asServed(page, find) {
  return page.markdown.replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (all, text, link) => {
    const target = find(page, link);
    if (target.url) return all;
    if (target.page === page) return `[${text}](#${target.anchor ?? ''})`;
    if (target.page) {
      const path = relativeUrl(page.path, `${target.page.path || 'index'}.md`);
      return `[${text}](${path}${target.anchor ? `#${target.anchor}` : ''})`;
    }
    if (target.image) return `[${text}](${relativeUrl(page.path, imageName(target.image))})`;
    return text.includes(target.file) ? text : `${text} (\`${target.file}\` in the source)`;
  });
}

/** The list of all pages for language models (llmstxt.org). It is served at the root, the pages below /help. */
function llmsTxt(pages, folder) {
  const [home, ...others] = pages;
  const sections = [...new Set(others.map(({ section }) => section))];
  const line = ({ title, path, summary }) => `- [${title}](${folder}${path}.md)${summary ? `: ${summary}` : ''}`;
  return [
    `# ${home.title}`,
    `> ${home.summary}`,
    ...sections.map(
      (section) =>
        `## ${section}\n\n${others
          .filter((page) => page.section === section)
          .map(line)
          .join('\n')}`,
    ),
    '',
  ].join('\n\n');
}

function menuOf(navigation, pages, page, urlTo) {
  const byPath = new Map(pages.map((each) => [each.path, each]));
  const item = (entry) => {
    const target = byPath.get(typeof entry === 'string' ? entry : entry.path);
    const current = target === page ? ' aria-current="page"' : '';
    return `<li><a href="${escaped(urlTo(target))}"${current}>${escaped(target.title.replace(/^API: /, ''))}</a></li>`;
  };
  return navigation
    .map(({ title, groups }) => {
      const lists = groups.map((group) => {
        const list = `<ul>${group.pages.map(item).join('')}</ul>`;
        if (group.title === undefined) return list;
        const isOpen = group.pages.some((entry) => (entry.path ?? entry) === page.path);
        return `<details${isOpen ? ' open' : ''}><summary>${escaped(group.title)}</summary>${list}</details>`;
      });
      return `<h2>${escaped(title)}</h2>${lists.join('')}`;
    })
    .join('\n');
}

function contentsOf(headings) {
  const listed = headings.filter(({ depth }) => depth === 2);
  if (listed.length < 3) return '';
  const items = listed.map(({ id, html }) => `<li><a href="#${id}">${html}</a></li>`);
  return `<h2>On this page</h2><ul>${items.join('')}</ul>`;
}

/** The links to the page before and after, and to its Markdown. */
function endOf(pages, page, urlTo) {
  const index = pages.indexOf(page);
  const link = (other, rel, words) =>
    other ? `<a rel="${rel}" href="${escaped(urlTo(other))}"><small>${words}</small> ${escaped(other.title)}</a>` : '';
  const name = page.path.split('/').at(-1) || 'index';
  return `<footer>${link(pages[index - 1], 'prev', 'Previous')}${link(pages[index + 1], 'next', 'Next')}<a class="source" href="${name}.md">This page as Markdown</a></footer>`;
}

async function build(out, isSite) {
  const template = readFileSync(join(out, '.template'), 'utf8');
  const pages = readPages(root, await generatedPages(root));
  const find = linkTargets(pages);
  const navigation = readNavigation(root);
  const extension = isSite ? '.html' : '';
  const write = (name, text) => {
    mkdirSync(dirname(join(out, name)), { recursive: true });
    writeFileSync(join(out, name), text);
  };
  const images = new Set();
  const sections = [];
  for (const page of pages) {
    const urlTo = (target, anchor) => {
      if (target === page) return anchor ? `#${anchor}` : '';
      const path = target.path === '' ? (isSite ? 'index.html' : '') : `${target.path}${extension}`;
      return relativeUrl(page.path, path) + (anchor ? `#${anchor}` : '');
    };
    const urlOfImage = (image) => relativeUrl(page.path, imageName(image));
    const rendered = render(root, page, { find, urlTo, urlOfImage });
    for (const image of rendered.images) images.add(image);
    for (const section of rendered.sections) sections.push({ ...section, page });
    const content = {
      title: escaped(page.path === '' ? page.title : `${page.title} · Uptime monitor`),
      description: escaped(page.summary),
      root: relativeUrl(page.path, ''),
      menu: menuOf(navigation, pages, page, urlTo),
      content: rendered.html + endOf(pages, page, urlTo),
      contents: contentsOf(rendered.headings),
    };
    write(`${page.path || 'index'}.html`, filled(template, content, isSite));
    write(`${page.path || 'index'}.md`, asServed(page, find));
  }
  for (const image of images) {
    mkdirSync(dirname(join(out, imageName(image))), { recursive: true });
    cpSync(join(root, image), join(out, imageName(image)));
  }
  write('search.json', JSON.stringify(searchIndex(sections, extension)));
  write('llms.txt', llmsTxt(pages, isSite ? '' : 'help/'));
  if (!isSite)
    write(
      'not-found.html',
      filled(
        template,
        {
          title: 'Page not found',
          description: '',
          root: '{root}/help/',
          menu: '',
          content:
            '<h1>Page not found</h1><p>This help page does not exist. It may have moved. <a href="{root}/help/">Open the contents</a>, or search above.</p>',
          contents: '',
        },
        isSite,
      ),
    );
  return pages.length;
}

function filled(template, { title, description, root: up, menu, content, contents }, isSite) {
  return template
    .replaceAll(/ (href|src)="\.\/assets\//g, (_, name) => ` ${name}="${up}assets/`)
    .replaceAll('{up}', () => up)
    .replaceAll('{title}', () => title)
    .replaceAll('{description}', () => description)
    .replaceAll(/<!--product-->([^]*?)<!--\/product-->/g, (_, links) => (isSite ? '' : links))
    .replace('<!--menu-->', () => menu)
    .replace('<!--content-->', () => content)
    .replace('<!--contents-->', () => contents);
}

const outAt = process.argv.indexOf('--out');
const out = outAt === -1 ? undefined : process.argv[outAt + 1];
if (out === undefined) throw new Error('--out FOLDER is missing');
const count = await build(out, process.argv.includes('--site'));
console.error(`Wrote ${count} help pages`);
