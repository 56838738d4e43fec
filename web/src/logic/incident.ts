import type { Incident, IncidentChange, IncidentMember, IncidentStatus } from '../api/types';
import { count, duration } from './format';

const STATUS_WORDS: Record<IncidentStatus, string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
  postmortem: 'Postmortem',
};

export const statusText = (status: IncidentStatus): string => STATUS_WORDS[status];

/** Returns the statuses that an update may have now. There are fewer for an incident that has ended. */
export function statusesOf(state: Incident['state']): IncidentStatus[] {
  if (state === 'open') return ['investigating', 'identified', 'monitoring', 'resolved'];
  return state === 'ended' ? ['postmortem'] : [];
}

/** Returns an incident's title, or the automatic summary if there is none. */
export const titleOf = ({ title, summary, number }: Pick<Incident, 'title' | 'summary' | 'number'>): string =>
  title ?? summary ?? `Incident #${number}`;

/** Returns up to `most` names and how many others there are: `Checkout, Login and 3 more`. */
export function namesText(names: readonly string[], most = 2): string {
  const more = names.length - most;
  if (more > 0) return `${names.slice(0, most).join(', ')} and ${more.toLocaleString('en')} more`;
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/**
 * Returns the text below the title: the automatic summary if the incident has a title. Otherwise returns what the
 * summary doesn't mention.
 */
export function causeText({
  kind,
  cause,
  title,
  summary,
}: Pick<Incident, 'kind' | 'cause' | 'title' | 'summary'>): string {
  if (kind === 'manual') return 'Created manually';
  if (title !== null && summary !== null) return summary;
  return cause?.kind === 'people' ? 'Grouped manually' : '';
}

type Counted = Pick<Incident, 'kind' | 'state' | 'severity' | 'endpoint_count' | 'open_count'>;

/**
 * Returns `38 of 40 down`, or `40 endpoints` after the incident has ended. Empty for a single endpoint and for a manual
 * incident, which has no checks.
 */
export function downText({ kind, state, severity, endpoint_count: all, open_count: open }: Counted): string {
  if (kind === 'manual' || all === 1) return '';
  if (state !== 'open') return count(all, 'endpoint');
  const word = severity === 'degraded' ? 'degraded' : 'down';
  return `${open.toLocaleString('en')} of ${all.toLocaleString('en')} ${word}`;
}

/** The times of an incident or of one of its endpoints. The time between two outages isn't downtime. */
type Timed = Pick<Incident, 'started_at' | 'ended_at'> &
  Partial<Pick<Incident, 'downtime_seconds' | 'last_outage_started_at'>> & {
    outages?: IncidentMember['outages'];
  };

/** Returns when the last outage started. */
const lastStart = ({ started_at, last_outage_started_at, outages }: Timed): string =>
  last_outage_started_at ?? outages?.[0]?.started_at ?? started_at;

const between = (from: string, toMs: number): number => Math.max(0, (toMs - Date.parse(from)) / 1000);

/** Returns the length of all outages until now, in seconds. */
export const secondsOf = (incident: Timed, nowMs: number): number =>
  incident.downtime_seconds === undefined
    ? between(incident.started_at, incident.ended_at === null ? nowMs : Date.parse(incident.ended_at))
    : incident.downtime_seconds + (incident.ended_at === null ? between(lastStart(incident), nowMs) : 0);

/** Returns the length of the current outage, or of all outages if none is open, in seconds. */
const currentSeconds = (incident: Timed, nowMs: number): number =>
  incident.ended_at === null ? between(lastStart(incident), nowMs) : secondsOf(incident, nowMs);

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** Returns `second outage`, or `outage 11`. */
export const outageText = (n: number): string => {
  const word = ORDINALS[n - 1];
  return word ? `${word} outage` : `outage ${n}`;
};

/**
 * Returns text such as `second outage, 6 min 43 s so far`, or `2 outages` after the incident has ended. Empty if there
 * was only one.
 */
export function againText(incident: Timed & Pick<Incident, 'outage_count'>, nowMs: number): string {
  const { outage_count: n, ended_at } = incident;
  if (n < 2) return '';
  if (ended_at !== null) return count(n, 'outage');
  return `${outageText(n)}, ${duration(secondsOf(incident, nowMs))} so far`;
}

/** Returns `reopened once` or `reopened 3 times`. Empty if it never was. */
export const reopenedText = ({ reopen_count }: Pick<Incident, 'reopen_count'>): string =>
  reopen_count === 0
    ? ''
    : reopen_count === 1
      ? 'reopened once'
      : `reopened ${reopen_count.toLocaleString('en')} times`;

/**
 * Returns the duration. If it exceeds a minute, it is in whole minutes, so that large text doesn't change every second.
 */
export const lengthText = (incident: Timed, nowMs: number): string => wholeText(secondsOf(incident, nowMs));

/** Returns the length of the current outage in the same form. */
export const currentText = (incident: Timed, nowMs: number): string => wholeText(currentSeconds(incident, nowMs));

const wholeText = (seconds: number): string => duration(seconds < 60 ? seconds : seconds - (seconds % 60));

/** Returns the state to show in large type, such as `Down for 23 min` or `Ended after 23 min`. */
export function stateText(incident: Pick<Incident, 'kind' | 'state' | 'severity'> & Timed, nowMs: number): string {
  const lasted = currentText(incident, nowMs);
  if (incident.state === 'merged') return 'Merged into another';
  if (incident.state === 'ended') return `Ended after ${lasted}`;
  return `${incident.kind === 'manual' ? 'Open' : incident.severity === 'degraded' ? 'Degraded' : 'Down'} for ${lasted}`;
}

/** The incidents on one day, newest first. */
export interface Day<T> {
  /** A title such as `Today`, `Yesterday`, or `Nov 21, 2026`, in the browser's time zone. */
  title: string;
  incidents: T[];
}

const dated = new Intl.DateTimeFormat(undefined, { weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' });
const DAY_MS = 86_400_000;

/** Groups incidents, newest first, by the day they started. */
export function byDay<T extends Pick<Incident, 'started_at'>>(incidents: readonly T[], nowMs: number): Day<T>[] {
  const named = new Map([
    [dated.format(nowMs), 'Today'],
    [dated.format(nowMs - DAY_MS), 'Yesterday'],
  ]);
  const days: Day<T>[] = [];
  for (const incident of incidents) {
    const day = dated.format(Date.parse(incident.started_at));
    const title = named.get(day) ?? day;
    const last = days.at(-1);
    if (last?.title === title) last.incidents.push(incident);
    else days.push({ title, incidents: [incident] });
  }
  return days;
}

/** Returns the text to show if no incident is open. `last` is the one that ended most recently. */
export function calmText(last: Pick<Incident, 'ended_at'> | undefined, nowMs: number): string {
  if (!last || last.ended_at === null) return 'Nothing is down.';
  return `Nothing is down. The last incident was ${lengthText({ started_at: last.ended_at, ended_at: null }, nowMs)} ago.`;
}

/** Returns why the incident can't be ended yet: `Checkout and Login are still down.` */
export function stillDownText(
  members: readonly Pick<IncidentMember, 'endpoint_name' | 'ended_at'>[],
  open: number,
): string {
  const names = members.filter(({ ended_at }) => ended_at === null).map(({ endpoint_name }) => endpoint_name);
  const shown = namesText([...names, ...Array<string>(Math.max(0, open - names.length)).fill('')], 5);
  const isOne = Math.max(open, names.length) === 1;
  return `${shown} ${isOne ? 'is' : 'are'} still down. The incident ends automatically when ${isOne ? 'it recovers' : 'they recover'}.`;
}

const CHANGES: Record<IncidentChange['change'], string> = {
  opened: 'has started',
  joined: 'has more endpoints',
  updated: 'has an update',
  acknowledged: 'is acknowledged',
  ended: 'has ended',
  reopened: 'was reopened',
  merged: 'was merged',
  split: 'was split',
  deleted: 'was deleted',
};

/** Describes a change for screen readers: `Incident #12 has ended: Checkout was down.` */
export const changeText = (incident: Pick<IncidentChange, 'title' | 'summary' | 'number' | 'change'>): string =>
  `Incident #${incident.number} ${CHANGES[incident.change]}: ${titleOf(incident)}.`;

/** If at least this many endpoints share an address, a common parent is useful. */
const WORTH_A_PARENT = 3;

/** Whether to suggest that one of the endpoints becomes the parent of the others. */
export const isParentProposed = ({ cause, endpoint_count }: Pick<Incident, 'cause' | 'endpoint_count'>): boolean =>
  cause?.kind === 'address' && endpoint_count >= WORTH_A_PARENT;
