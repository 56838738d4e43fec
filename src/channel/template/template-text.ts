/** A part of a text with placeholders: literal text, or the path of a value. */
export type TemplatePart = string | { path: string };

const OPEN = '{{';
const CLOSE = '}}';

/**
 * Splits a text such as `{{title}} at {{timestamp}}` into its parts. Returns `null` if a `{{` has no `}}`, or if there
 * is no path between them. A `}}` alone is text.
 */
export function templateParts(text: string): TemplatePart[] | null {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf(OPEN, at);
    if (open === -1) return at === text.length ? parts : [...parts, text.slice(at)];
    const close = text.indexOf(CLOSE, open + OPEN.length);
    if (close === -1) return null;
    const path = text.slice(open + OPEN.length, close).trim();
    if (path === '' || path.includes('{')) return null;
    if (open > at) parts.push(text.slice(at, open));
    parts.push({ path });
    at = close + CLOSE.length;
  }
}

/** Returns the paths of the placeholders in a text. Empty if the text is not valid. */
export const pathsIn = (text: string): string[] =>
  (templateParts(text) ?? []).flatMap((part) => (typeof part === 'string' ? [] : [part.path]));
