/** Matches a URL without characters that Markdown would read as markup. */
const PLAIN_URL = /^https?:\/\/[A-Za-z0-9._~:/?#@!$&'+,;=%-]+$/;

/** Escapes Markdown. URLs are left alone, so that they stay links. Mentions need their own rule. */
export const escapedMarkdown = (text: string): string =>
  text.replace(/\S+/g, (word) =>
    PLAIN_URL.test(word) ? word : word.replace(/[\\`*_~[\]<>#|]/g, (character) => `\\${character}`),
  );

/** Breaks tags such as `<at user_id="all">`, `<users/all>`, and `<@user>` with an invisible character. */
export const withoutTags = (text: string): string => text.replace(/<(?=\S)/g, '<\u2060');

/** The color of a message by its state, as a choice of a template. The same colors as in Slack. */
export const STATE_COLOR = {
  $switch: 'state',
  down: '#d92d20',
  degraded: '#dc6803',
  up: '#079455',
  default: '#667085',
};
