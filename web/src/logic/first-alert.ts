import type { Contact } from '../api/types';
import { count } from './format';

/** The service's default for a contact without its own. */
const USUAL_FAILURES = 3;

type Timing = Pick<Contact, 'alert_defaults'>;

/**
 * Says when the first message about a failure is sent: `Notifies after 2 failed checks in a row, about 1 min after the
 * first.` Empty without contacts. `interval` is in seconds.
 */
export function firstAlertText(contacts: readonly Timing[], interval: number): string {
  if (contacts.length === 0 || !(interval > 0)) return '';
  const waits = contacts.map(({ alert_defaults: { failure_threshold = USUAL_FAILURES, after = 0 } }) => ({
    failures: failure_threshold,
    seconds: Math.max((failure_threshold - 1) * interval, after),
  }));
  const first = waits.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  if (first.seconds === 0) return 'Notifies after the first failed check.';
  return `Notifies after ${count(first.failures, 'failed check')} in a row, about ${roughly(first.seconds)} after the first.`;
}

const roughly = (seconds: number): string =>
  seconds < 60
    ? `${seconds} s`
    : seconds < 3600
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 360) / 10} h`;
