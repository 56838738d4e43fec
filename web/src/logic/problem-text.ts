const ACRONYMS = /\b(url|id|api|smtp|sid)\b/gi;

/** Returns a label such as `Webhook URL` for `webhook_url`. */
export const titled = (key: string): string =>
  (key.charAt(0).toUpperCase() + key.slice(1)).replaceAll('_', ' ').replace(ACRONYMS, (word) => word.toUpperCase());

/** Matches a label. In addition to the name, a label may say that it is optional, how to fill it in, or the unit. */
const NAME = /^(.*?)(?:, as JSON|, one per line)?(?: \((.*)\))?$/;

/**
 * Rewrites the server's message about a field using its label. The message uses the API's field name, or none. For the
 * label `Interval (seconds)`: `interval must not be less than 1` → `Interval must be at least 1 second`.
 */
export function problemText(label: string, message: string): string {
  const [, name = label, note] = NAME.exec(label.replace(/ \(optional\)/, '')) ?? [];
  const text = message.replace(/^[a-z][a-z0-9]*(?:_[a-z0-9]+)* (?=must|is|has|cannot|needs)/, '');
  if (!/^(must|is|has|cannot|needs)\b/.test(text)) return text.charAt(0).toUpperCase() + text.slice(1);
  const unit = note === 'seconds' ? ' second' : '';
  const bounds = text.replace(
    /must (?:not be (less|greater) than|be at (?:least|most)) (\d+)$/,
    (text, side: string | undefined, bound: string) =>
      `${side ? `must be at ${side === 'less' ? 'least' : 'most'} ${bound}` : text}${unit}${unit !== '' && bound !== '1' ? 's' : ''}`,
  );
  return `${name} ${bounds}`;
}
