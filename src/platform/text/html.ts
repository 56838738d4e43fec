const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a string for use in HTML content and quoted attributes. */
export const html = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
