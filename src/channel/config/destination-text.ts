import { MASK } from '../../platform/secrets/mask';
import { readUrl } from '../../platform/text/read-url';

/** The maximum number of destinations to name. The rest are only counted, because a list has one line per alert. */
const MOST_NAMED = 3;

/**
 * Returns a string such as `ops@example.com, hooks.slack.com +2`. URLs are shown as their hosts, and other values
 * unchanged. Fully masked values are omitted.
 */
export function destinationText(values: readonly unknown[]): string | null {
  const names = values.map((value) => hostOf(String(value))).filter((name) => name !== MASK);
  if (names.length === 0) return null;
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` +${more}` : '');
}

/** For most providers, the path of a webhook is a credential. */
function hostOf(value: string): string {
  const url = readUrl(value);
  return url !== null && /^https?:$/.test(url.protocol) ? url.host : value;
}
