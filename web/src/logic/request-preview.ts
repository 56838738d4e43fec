/** The names of the kinds of messages in a preview. */
export const KIND_NAMES: Readonly<Record<string, string>> = {
  triggered: 'An endpoint goes down',
  reminder: 'It is still down',
  acknowledged: 'Someone acknowledges it',
  resolved: 'It recovers',
  expiry: 'A certificate expires soon',
  contact_failing: 'Another contact fails',
  digest: 'Several messages at once',
  test: 'A test message',
};

/** Returns a body for reading: JSON with line breaks, and the fields of a form one per line. */
export function bodyText(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body) as unknown, null, 2);
  } catch {
    const isForm = /^[\w.%+-]+=/.test(body) && !/\s/.test(body);
    return isForm ? [...new URLSearchParams(body)].map(([name, value]) => `${name}: ${value}`).join('\n') : body;
  }
}
