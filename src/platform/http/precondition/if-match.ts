/** As Node names it. */
export const HEADER = 'if-match';

export interface IfMatch {
  /** `*`: whatever it is now. */
  any: boolean;
  /** Strong tags with their quotes, of which one has to match. Weak ones are left out: they never do. */
  tags: readonly string[];
}

/** A tag or nothing, up to the next comma or the end. */
const ITEM = /[\t ]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*)?(,|$)/y;

/** What RFC 9110 allows in `If-Match`; `null` for anything else. */
export function parseIfMatch(sent: string): IfMatch | null {
  if (sent.trim() === '*') return { any: true, tags: [] };
  const item = new RegExp(ITEM);
  const tags: string[] = [];
  let end: string | undefined;
  do {
    const found = item.exec(sent);
    if (!found) return null;
    if (found[1] !== undefined) tags.push(found[1]);
    end = found[2];
  } while (end === ',');
  return tags.length === 0 ? null : { any: false, tags: tags.filter((tag) => !tag.startsWith('W/')) };
}
