const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for content and attributes of HTML. */
export const html = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** A text for content and attributes of XML 1.0, which has no place for some characters, not even escaped. */
export const xml = (text: string): string =>
  html(text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd'));
