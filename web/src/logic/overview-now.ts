import type { Acknowledgement, Incident, OverviewItem } from '../api/types';
import { acknowledgedBy } from './acknowledged-text';
import { age, count } from './format';
import type { NextTold } from './incident-story';
import { countsOf, type Shown, shownStatus } from './overview-order';
import { reasonText } from './reason-text';

/** A problem at the top of the overview: an open incident, or endpoints that are down without one. */
export interface Trouble {
  id: string;
  status: Shown;
  title: string;
  href: string;
  /** A short note next to the title, such as `#4`. */
  where: string;
  why: string;
  /** When it started, in ISO format. */
  since: string;
  acknowledgement: Acknowledgement | null;
  /** `null` for endpoints that are down without an incident. */
  incident: Incident | null;
  /** A note if no one has been notified. */
  note: string;
}

const number = (n: number): string => n.toLocaleString('en');

const sinceMs = ({ status_since }: Pick<OverviewItem, 'status_since'>): number => Date.parse(status_since ?? '');

/** Whether an endpoint that is down has failed often enough to be reported. */
const isConfirmed = ({ verifying }: OverviewItem): boolean => !verifying;

/**
 * Splits a summary such as `Checkout is down: connection refused` into what happened and why. The reason is an error
 * code in words, and the rows below call it the same.
 */
function parts(summary: string): [what: string, why: string] {
  const at = summary.indexOf(': ');
  if (at === -1) return [summary, ''];
  const why = reasonText(summary.slice(at + 2).replaceAll(' ', '_'));
  return [summary.slice(0, at), why.charAt(0).toUpperCase() + why.slice(1)];
}

function ofIncident(incident: Incident): Trouble {
  const { id, number: n, severity, summary, started_at, acknowledgement, title } = incident;
  const [what, why] = parts(summary ?? '');
  return {
    id,
    status: severity ?? 'unknown',
    title: title ?? (what || `Incident #${n}`),
    href: `#/incidents/${id}`,
    where: `Incident #${n}`,
    why: title === null ? why : (summary ?? ''),
    since: started_at,
    acknowledgement,
    incident,
    note: '',
  };
}

const alsoText = ([next, ...more]: readonly OverviewItem[]): string =>
  next === undefined ? ' is' : ` and ${more.length === 0 ? next.name : `${number(more.length + 1)} more`} are`;

/** Returns one line for all endpoints that are down but have no alert, with the longest outage's start. */
function withoutAlert(items: readonly OverviewItem[]): Trouble[] {
  const [first, ...others] = [...items].sort((a, b) => sinceMs(a) - sinceMs(b));
  if (!first) return [];
  const reasons = new Set(items.map(({ last_error }) => last_error));
  return [
    {
      id: 'without-alert',
      status: 'down',
      title: `${first.name}${alsoText(others)} down`,
      href: others.length === 0 ? `#/endpoints/${first.id}` : '#/?status=down',
      where: others.length === 0 ? first.website.name : '',
      why: reasons.size > 1 ? 'Different reasons' : first.last_error === null ? '' : reasonText(first.last_error),
      since: first.status_since ?? '',
      acknowledgement: others.length === 0 ? first.acknowledgement : null,
      incident: null,
      note: items.some(({ alert_open }) => alert_open) ? '' : 'No alert rule has triggered',
    },
  ];
}

/** Returns what is wrong now: unacknowledged problems first, then the longest. */
export function troublesOf(items: readonly OverviewItem[], incidents: readonly Incident[]): Trouble[] {
  // An open alert belongs to an incident, unless it is older than the incidents feature.
  const hasIncidents = incidents.some(({ kind }) => kind === 'detected');
  const alone = items.filter(
    (item) =>
      shownStatus(item) === 'down' &&
      !(item.alert_open && hasIncidents) &&
      isConfirmed(item) &&
      item.maintenance === null,
  );
  const isQuiet = ({ acknowledgement }: Trouble): number => (acknowledgement === null ? 0 : 1);
  return [...incidents.map(ofIncident), ...withoutAlert(alone)].sort(
    (a, b) => isQuiet(a) - isQuiet(b) || a.since.localeCompare(b.since),
  );
}

/** The state of all endpoints as the title of the overview. */
export interface NowTitle {
  status: Shown;
  text: string;
}

const named = (items: readonly OverviewItem[], what: string): string =>
  items.length === 1 && items[0]
    ? `${items[0].name} is ${what}`
    : `${items.length.toLocaleString('en')} endpoints are ${what}`;

/** Returns a title such as `2 endpoints are down`. Unconfirmed failures don't count as down. */
export function titleNow(items: readonly OverviewItem[]): NowTitle {
  const counts = countsOf(items);
  const found = (status: Shown) => items.filter((item) => shownStatus(item) === status);
  const down = found('down');
  const confirmed = down.filter(isConfirmed);
  if (confirmed.length > 0) return { status: 'down', text: named(confirmed, 'down') };
  if (down.length > 0) {
    const text =
      down.length === 1 && down[0]
        ? `Verifying a failure of ${down[0].name}`
        : `Verifying failures of ${count(down.length, 'endpoint')}`;
    return { status: 'degraded', text };
  }
  if (counts.degraded > 0) return { status: 'degraded', text: named(found('degraded'), 'degraded') };
  if (counts.unknown > 0) return { status: 'unknown', text: `${count(counts.unknown, 'endpoint')} without a result` };
  if (counts.up === 0) return { status: 'paused', text: 'All endpoints are paused' };
  return { status: 'up', text: 'All endpoints are up' };
}

/**
 * Returns text such as `On-call, Ops chat notified`, or that no notification arrived. `cause` is the reason, or an empty
 * string if it isn't known.
 */
export function notifiedText(names: readonly string[] | null, hasEvents: boolean, cause = ''): string {
  if (names === null) return '';
  if (names.length === 0) return hasEvents ? `No notification delivered${cause === '' ? '' : `: ${cause}`}` : '';
  const more = names.length - 2;
  return `${names.slice(0, 2).join(', ')}${more > 0 ? ` +${more}` : ''} notified`;
}

/** Returns text such as `Manager in 6 min`, for the next alert rule that triggers unless the incident is acknowledged. */
export function nextText(
  next: NextTold | undefined,
  nameOf: (alert: NextTold['alert']) => string,
  nowMs: number,
): string {
  if (!next) return '';
  const left = next.at - nowMs;
  return `${nameOf(next.alert)} ${left < 60_000 ? 'next' : `in ${age(new Date(nowMs - left).toISOString(), nowMs)}`}`;
}

/** Returns text such as `Acknowledged by Grace 25 min ago: “failover running”`. */
export function acknowledgedLine({ by, at, note }: Acknowledgement, nowMs: number): string {
  return `Acknowledged by ${acknowledgedBy(by)} ${age(at, nowMs)} ago${note === '' ? '' : `: “${note}”`}`;
}
