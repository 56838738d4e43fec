/**
 * Parses a URL. Returns `null` if the string isn't a URL. Doesn't use `URL.canParse`, which gives wrong results on Node
 * 20 once it is optimized. It reads Latin-1 strings as UTF-8, and after a few thousand calls it rejects
 * `http://münchen.de/`.
 */
export function readUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
