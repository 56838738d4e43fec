import type { AlertEvent, OverviewItem } from '../api/types';
import { channelName } from './channel-name';
import { daysUntil, steadyDuration } from './format';
import { countsOf, type Shown, shownStatus } from './overview-order';
import { WARN_DAYS } from './endpoint-defaults';

/** The state of all endpoints in a sentence: the text before and after an endpoint's name. */
export interface Headline {
  status: Shown;
  before: string;
  /** The endpoint that most recently went down, or else the first degraded one. */
  item: OverviewItem | null;
  after: string;
}

const number = (n: number): string => n.toLocaleString('en');
const isOrAre = (n: number): string => (n === 1 ? 'is' : 'are');
const newest = (items: readonly OverviewItem[]): OverviewItem | null =>
  [...items].sort((a, b) => (b.status_since ?? '').localeCompare(a.status_since ?? ''))[0] ?? null;

/**
 * Returns a headline such as `1 of 2,012 is down: Checkout, for 4 min.`, or one that says all endpoints are up. A
 * failure that isn't confirmed yet is only being verified.
 */
export function headlineOf(items: readonly OverviewItem[], nowMs: number): Headline {
  const counts = countsOf(items);
  const found = (status: Shown) => items.filter((item) => shownStatus(item) === status && !item.verifying);
  const verifying = items.filter((item) => item.verifying);
  const among = (n: number) => `${number(n)} of ${number(items.length)}`;
  const beforeName = (n: number, what: string) => `${among(n)} ${isOrAre(n)} ${what}${n === 1 ? ': ' : ', last '}`;
  const down = counts.down - verifying.length;
  if (down > 0) {
    const item = newest(found('down'));
    const seconds = item?.status_since ? (nowMs - Date.parse(item.status_since)) / 1000 : null;
    const after = seconds === null ? '.' : `, for ${steadyDuration(seconds)}.`;
    return { status: 'down', before: beforeName(down, 'down'), item, after };
  }
  if (verifying.length > 0) {
    const before = `${among(verifying.length)} ${isOrAre(verifying.length)} being verified: `;
    return { status: 'degraded', before, item: newest(verifying), after: '.' };
  }
  if (counts.degraded > 0) {
    const item = found('degraded')[0] ?? null;
    const before = `${among(counts.degraded)} ${isOrAre(counts.degraded)} degraded${counts.degraded === 1 ? ': ' : ', among them '}`;
    return { status: 'degraded', before, item, after: '.' };
  }
  const nothing = { item: null, after: '' };
  if (counts.unknown > 0)
    return { status: 'unknown', before: `${among(counts.unknown)} ${isOrAre(counts.unknown)} unknown`, ...nothing };
  if (counts.up === 0) return { status: 'paused', before: 'All endpoints are paused', ...nothing };
  return { status: 'up', before: 'All endpoints are up', ...nothing };
}

/** Returns the contacts and channels that received the messages about an open failure. */
export function reached(
  events: readonly Pick<AlertEvent, 'alert_type' | 'contact' | 'delivery' | 'created_at'>[],
  sinceMs: number,
): string[] {
  const names = events
    .filter(({ delivery, created_at }) => delivery?.state === 'delivered' && Date.parse(created_at) >= sinceMs)
    .map(({ alert_type, contact }) => contact?.name ?? channelName(alert_type));
  return [...new Set(names)];
}

/**
 * Returns why no message about an open failure has arrived, or an empty string if that isn't known. `events` are newest
 * first.
 */
export const failedBecause = (events: readonly Pick<AlertEvent, 'delivery'>[]): string =>
  events.find(({ delivery }) => delivery && delivery.state !== 'delivered' && delivery.error !== null)?.delivery
    ?.error ?? '';

/** How many days before its expiry a certificate starts to count. Endpoints that warn earlier count earlier. */
const SOON_DAYS = WARN_DAYS;

/** Returns the number of endpoints whose certificate expires soon or has expired. */
export const endingSoon = (items: readonly OverviewItem[], nowMs: number): number =>
  items.filter(
    ({ status, last_error, certificate_expires_at: end }) =>
      status !== 'paused' &&
      end !== null &&
      (last_error === 'certificate_expiring' || daysUntil(end, nowMs) <= SOON_DAYS),
  ).length;
