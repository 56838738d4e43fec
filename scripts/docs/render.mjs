// Converts the Markdown of a page to HTML, and to the sections that the search finds.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Marked } from 'marked';
import { slugOf } from './slug.mjs';

export const escaped = (text) =>
  text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]);

/** Returns the width and height of a PNG, so that the text doesn't move when the picture arrives. */
function sizeOfPng(bytes) {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/**
 * Returns `{html, headings, sections, images}`. `urlTo(page, anchor)` returns the relative URL of a page, and `find` the
 * target of a link. Code that a page shows is searched as well.
 */
export function render(root, page, { find, urlTo, urlOfImage }) {
  const images = [];
  const headings = [];
  const used = new Map();
  const anchorFor = (text) => {
    const slug = slugOf(text);
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };

  const marked = new Marked({
    gfm: true,
    // Only links that are written as links. `http://host` is the form of a target.
    tokenizer: { url: () => undefined },
    renderer: {
      heading({ depth, text, tokens }) {
        const id = anchorFor(text);
        const html = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${html}</h1>\n`;
        headings.push({ depth, id, html: html.replace(/<\/?a[^>]*>/g, '') });
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}" aria-label="Link to this heading">#</a>${html}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const target = find(page, href);
        if (target.url) return `<a href="${escaped(target.url)}" rel="noreferrer">${html}</a>`;
        if (target.page) return `<a href="${escaped(urlTo(target.page, target.anchor))}">${html}</a>`;
        if (target.image) {
          images.push(target.image);
          return `<a href="${escaped(urlOfImage(target.image))}">${html}</a>`;
        }
        const name = target.file.replace(/\/$/, '');
        return html.includes(name) ? html : `${html} (<code>${escaped(name)}</code> in the source)`;
      },
      image({ href, text }) {
        const { image } = find(page, href);
        if (image === undefined) throw new Error(`${page.source}: ${href} is not a picture in docs`);
        const bytes = readFileSync(join(root, image));
        if (image.endsWith('.svg')) return drawing(bytes.toString(), text);
        images.push(image);
        const { width, height } = sizeOfPng(bytes);
        return `<img src="${escaped(urlOfImage(image))}" alt="${escaped(text)}" width="${width}" height="${height}" loading="lazy">`;
      },
      table({ header, rows, align }) {
        const cell = (tag, { tokens }, index) => {
          const side = align[index] ? ` class="${align[index]}"` : '';
          return `<${tag}${side}>${this.parser.parseInline(tokens)}</${tag}>`;
        };
        const head = header.map((each, index) => cell('th', each, index)).join('');
        const body = rows.map(
          (row) => `<tr${rowId(row[0])}>${row.map((each, index) => cell('td', each, index)).join('')}</tr>`,
        );
        const hasHead = header.some(({ text }) => text !== '');
        return `<div class="table" tabindex="0"><table>${hasHead ? `<thead><tr>${head}</tr></thead>` : ''}<tbody>${body.join('\n')}</tbody></table></div>\n`;
      },
      code({ text, lang }) {
        return `<pre tabindex="0"><code${lang ? ` data-language="${escaped(lang)}"` : ''}>${escaped(text)}\n</code></pre>\n`;
      },
      html({ text }) {
        return escaped(text);
      },
    },
  });
  const tokens = marked.lexer(page.markdown);
  const html = marked.parser(tokens);
  return { html, headings, images, sections: sectionsOf(page, tokens) };
}

/** A drawing is a part of the page, so that it has the color of the text in each theme. */
const drawing = (svg, text) =>
  svg
    .replace('<svg ', `<svg role="img" aria-label="${escaped(text)}" `)
    .replaceAll('#6e7f99', 'currentColor')
    .trim();

/** A row that starts with a code, such as `quota_exceeded`, gets it as its ID, so that other pages can link to it. */
const codeOf = (cell) => /^`([a-z][\w.-]*)`$/i.exec(cell?.text ?? '')?.[1];

function rowId(cell) {
  const code = codeOf(cell);
  return code === undefined ? '' : ` id="${code}"`;
}

/**
 * Returns the text below each heading with the heading's anchor, and each row that starts with a code. On a generated
 * page, headings of level 3 are the names that people look up.
 */
function sectionsOf(page, tokens) {
  const used = new Map();
  const sections = [];
  const listed = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const slug = slugOf(token.text);
      const count = used.get(slug) ?? 0;
      used.set(slug, count + 1);
      if (token.depth <= (page.isGenerated ? 3 : 2) || sections.length === 0) {
        const anchor = token.depth === 1 ? '' : count === 0 ? slug : `${slug}-${count}`;
        sections.push({ anchor, heading: plain(token), text: '' });
        continue;
      }
    }
    const rows = token.type === 'table' ? token.rows.filter(([first]) => codeOf(first) !== undefined) : [];
    if (rows.length > 0 && !page.path.startsWith('reference/api/'))
      rows.forEach((row) =>
        listed.push({ anchor: codeOf(row[0]), heading: codeOf(row[0]), text: row.map(plain).join(' ') }),
      );
    const section = sections.at(-1);
    if (section && (rows.length === 0 || !page.isGenerated)) section.text += ` ${plain(token)}`;
  }
  return [...sections, ...listed].map((section) => ({ ...section, text: section.text.replace(/\s+/g, ' ').trim() }));
}

function plain(token) {
  if (token.type === 'table') return [...token.header, ...token.rows.flat()].map(plain).join(' ');
  if (token.type === 'list') return token.items.map(plain).join(' ');
  if (token.tokens) return token.tokens.map(plain).join('');
  if (token.type === 'br' || token.type === 'space') return ' ';
  return token.text ?? '';
}

/** Returns the shortest relative URL from a page to a path in the output. */
export function relativeUrl(from, to) {
  const [file, folder] = [posix.basename(to), posix.dirname(to)];
  if (to === '' || to.endsWith('/')) return '../'.repeat(from.split('/').length - 1) + to || './';
  const up = posix.relative(posix.dirname(from), folder);
  return up === '' ? file : `${up}/${file}`;
}

/** The name of a picture in the output: `docs/images/a/b.png` is `images/a/b.png`. */
export const imageName = (file) => posix.relative('docs', file);
