/**
 * The URL, or `null` when the text is none. Not by `URL.canParse`: once optimised, on Node 20, it takes Latin-1 text for
 * UTF-8 and after some thousand calls refuses `http://münchen.de/`.
 */
export function readUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
