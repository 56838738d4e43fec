const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for content and quoted attributes of HTML. */
export const html = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
