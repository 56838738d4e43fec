import { bodyFrom, type ConvertedBody } from '../body-template';

/** Gatus' placeholders, and ours. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  ALERT_DESCRIPTION: 'data.alert.description',
  ENDPOINT_NAME: 'data.endpoint.name',
  ENDPOINT_GROUP: 'data.website.name',
  ENDPOINT_URL: 'data.endpoint.url',
  RESULT_ERRORS: 'data.event.error.message',
  ALERT_TRIGGERED_OR_RESOLVED: 'state',
};
const PLACEHOLDER = /\[([A-Z_]+)\]/g;
const STATE = '[ALERT_TRIGGERED_OR_RESOLVED]';

/** Returns the text with our placeholders, and what is different. Other words in brackets are text. */
export function withPlaceholders(text: string, differences: Set<string>): string {
  return text.replace(PLACEHOLDER, (found, name: string) => {
    if (name === 'RESULT_CONDITIONS') {
      differences.add('it contains no conditions');
      return '{{data.event.error.message}}';
    }
    if (found === STATE) differences.add('it contains the state as "up" or "down"');
    const path = Object.hasOwn(PLACEHOLDERS, name) ? PLACEHOLDERS[name] : undefined;
    return path === undefined ? found : `{{${path}}}`;
  });
}

/** Converts a body. The state alone in a text becomes a choice, with the words that `placeholders` has for it. */
export function gatusBody(text: string, words: { triggered: string; resolved: string }): ConvertedBody {
  const differences = new Set<string>();
  const converted = bodyFrom(text, [], (each) =>
    each === STATE
      ? { $switch: 'type', 'alert.resolved': words.resolved, default: words.triggered }
      : withPlaceholders(each, differences),
  );
  return { ...converted, differences: [...converted.differences, ...differences] };
}
