import { MASK } from '../../platform/secrets/mask';
import { readUrl } from '../../platform/text/read-url';

/** More than these are counted: a list has one line for each alert. */
const MOST_NAMED = 3;

/** `ops@example.com, hooks.slack.com +2`: hosts of URLs, other values as they are, nothing of what is masked wholly. */
export function destinationText(values: readonly unknown[]): string | null {
  const names = values.map((value) => hostOf(String(value))).filter((name) => name !== MASK);
  if (names.length === 0) return null;
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` +${more}` : '');
}

/** The path of a webhook is a credential at most vendors. */
function hostOf(value: string): string {
  const url = readUrl(value);
  return url !== null && /^https?:$/.test(url.protocol) ? url.host : value;
}
