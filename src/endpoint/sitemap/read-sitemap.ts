import { SitemapRefusal } from './sitemap-refusal';

/** The kind of a sitemap: it lists pages, or other sitemaps. */
export type SitemapKind = 'urlset' | 'sitemapindex';

/** The result of reading a sitemap. `isCut` is true if there was, or may have been, more. */
export interface ReadSitemap {
  kind: SitemapKind;
  isCut: boolean;
}

/** The maximum number of characters in a URL. sitemaps.org allows fewer than 2,048. */
export const MAX_ADDRESS = 2048;
/** The maximum number of characters in a tag. */
const MAX_TAG = 2000;
const TOO_LONG = `a URL has more than ${MAX_ADDRESS} characters`;
const MAX_DEPTH = 8;
/**
 * The maximum number of tags and comments. A page has five, or about a hundred with images. In the worst case, reading
 * them blocks the event loop for about 30 ms.
 */
const MOST_STEPS = 20_000;
/** The nesting depth of page URLs. URLs of images and videos are deeper. */
const LOC_DEPTH = 3;
const NAME = /^[A-Za-z_][\w.:-]{0,99}(?=[\s/]|$)/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const broken = (message: string) => new SitemapRefusal('invalid_syntax', message);

/**
 * Passes each URL of a sitemap to `take` until it returns false. It doesn't support full XML, only elements, text,
 * CDATA, comments, and the five entities. It refuses everything else, in particular a DTD, so nothing expands. It reads
 * each character at most twice. Throws: `SitemapRefusal`.
 */
export function readSitemap(text: string, take: (kind: SitemapKind, address: string) => boolean): ReadSitemap {
  const open: string[] = [];
  let kind: SitemapKind | null = null;
  let address: string | null = null;
  const add = (piece: string): void => {
    if (address === null) return;
    address += piece;
    if (address.length > MAX_ADDRESS) throw broken(TOO_LONG);
  };
  const until = (mark: string, from: number): number => {
    const end = text.indexOf(mark, from);
    if (end < 0) throw broken(`the file ends before "${mark}"`);
    return end;
  };
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (let steps = 0; at < text.length; steps++) {
    if (steps === MOST_STEPS && kind !== null) return { kind, isCut: true };
    if (steps === MOST_STEPS) throw broken('it contains only comments');
    const next = text.indexOf('<', at);
    if (address !== null || open.length === 0) {
      const piece = text.slice(at, next < 0 ? text.length : next);
      if (open.length === 0 && piece.trim() !== '') throw broken('it is not XML');
      if (address !== null) add(decoded(piece.trim()));
    }
    if (next < 0) break;
    if (text.startsWith('<!--', next)) at = until('-->', next + 4) + 3;
    else if (text.startsWith('<![CDATA[', next)) {
      const end = until(']]>', next + 9);
      add(text.slice(next + 9, Math.min(end, next + 9 + MAX_ADDRESS + 1)));
      at = end + 3;
    } else if (text.startsWith('<!', next)) throw broken('it has a DTD, which is not supported');
    else if (text.startsWith('<?', next)) at = until('?>', next + 2) + 2;
    else {
      const end = until('>', next + 1);
      if (end - next > MAX_TAG) throw broken(`a tag has more than ${MAX_TAG} characters`);
      const tag = text.slice(next + 1, end);
      at = end + 1;
      if (tag.startsWith('/')) {
        if (open.pop() !== tag.slice(1).trimEnd()) throw broken('a closing tag does not match an open one');
        if (address !== null) {
          const whole: string = address.trim();
          address = null;
          if (kind !== null && whole !== '' && !take(kind, whole)) return { kind, isCut: true };
        }
        continue;
      }
      const [name] = NAME.exec(tag) ?? [];
      if (name === undefined) throw broken('a tag has no name');
      if (address !== null) throw broken('a URL contains tags');
      if (open.length === 0) {
        if (kind !== null) throw broken('it has two root elements');
        kind = kindOf(localName(name));
      }
      if (tag.endsWith('/')) continue;
      open.push(name);
      if (open.length > MAX_DEPTH)
        throw new SitemapRefusal('too_deep', `its tags are nested more than ${MAX_DEPTH} levels deep`);
      if (open.length === LOC_DEPTH && localName(name) === 'loc') address = '';
    }
  }
  if (kind === null) throw broken('it is empty');
  if (open.length > 0) throw broken('the file ends before its tags are closed');
  return { kind, isCut: false };
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function kindOf(root: string): SitemapKind {
  if (root === 'urlset' || root === 'sitemapindex') return root;
  throw broken('it does not start with the tag <urlset> or <sitemapindex>');
}

/** The text may have at most `MAX_ADDRESS` characters. */
function decoded(text: string): string {
  if (text.length > MAX_ADDRESS) throw broken(TOO_LONG);
  return text.replace(/&([^;&\s]{0,12};?)/g, (_, body: string) => {
    const [, hex, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}));$/i.exec(body) ?? [];
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const character = Number.isNaN(code)
      ? body.endsWith(';') && Object.hasOwn(ENTITIES, body.slice(0, -1))
        ? ENTITIES[body.slice(0, -1)]
        : undefined
      : code > 0 && code <= 0x10ffff
        ? String.fromCodePoint(code)
        : undefined;
    if (character === undefined) throw broken('it has an unknown entity');
    return character;
  });
}
