const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for the content and quoted attributes of HTML. */
export const html = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
