import type { AlertEvent, Endpoint, Probe } from '../api/types';
import { count, duration, words } from './format';
import type { Shown } from './overview-order';
import { LOCAL, locationOf } from './probe';

export type LocationView = NonNullable<Endpoint['by_location']>[number];

export interface PossibleLocation {
  location: string;
  name: string;
  /** A note to show before the user selects the location. May be empty. */
  note: string;
  /** Whether it can't be selected right now. */
  isClosed: boolean;
}

/** The service's own name as a location. */
export const HERE = 'This service';

/** Whether only the service checks an endpoint, which is the default. */
export const isLocal = (locations: readonly string[]): boolean => locations.length === 1 && locations[0] === LOCAL;

/** Returns the requested location if it is in the list, or else the service, or else the first location. */
export const chosenOf = (locations: readonly string[], asked: string): string | null =>
  [asked, LOCAL].find((each) => locations.includes(each)) ?? locations[0] ?? null;

/**
 * Returns the locations that may check an endpoint type: the service, the organization's probes, then shared probes.
 * Locations that are already selected are always included.
 */
export function possibleLocations(
  probes: readonly Pick<Probe, 'key' | 'name' | 'shared' | 'status' | 'types' | 'region'>[],
  type: string,
  chosen: readonly string[],
): PossibleLocation[] {
  const known = [...probes]
    .sort((a, b) => Number(a.shared) - Number(b.shared))
    .map((probe): PossibleLocation => {
      const lacksType = probe.types !== null && !probe.types.includes(type);
      const notes = [
        probe.region,
        probe.shared ? 'shared' : '',
        NOTES[probe.status] ?? '',
        lacksType ? `does not check ${type}` : '',
      ];
      return {
        location: locationOf(probe),
        name: probe.name,
        note: notes.filter((note) => note !== '').join(', '),
        isClosed: probe.status === 'disabled' || lacksType,
      };
    });
  const gone = chosen.filter((each) => each !== LOCAL && !known.some(({ location }) => location === each));
  return [
    { location: LOCAL, name: HERE, note: '', isClosed: false },
    ...known,
    ...gone.map((location) => ({ location, name: location, note: 'no longer exists', isClosed: false })),
  ];
}

const NOTES: Partial<Record<Probe['status'], string>> = {
  new: 'not seen yet',
  offline: 'offline',
  disabled: 'disabled',
  unsupported: 'unsupported',
};

/** Returns the quorum options for `n` locations. Includes the current one even if it isn't a usual option. */
export function quorumChoices(n: number, current: string): [value: string, title: string][] {
  const most = Math.floor(n / 2) + 1;
  const numbers = Array.from({ length: n }, (_, index) => index + 1).filter(
    (k) => String(k) === current || (k > 1 && k < n && k !== most),
  );
  return [
    ['majority', `Majority: ${most} of ${n} must agree`],
    ['any', `Any: 1 of ${n} is enough`],
    ...numbers.map((k): [string, string] => [String(k), `${k} of ${n} must agree`]),
    ['all', `All: ${n} of ${n} must agree`],
  ];
}

/** Returns the quorum, or `all` if it exceeds the number of locations. */
export const fittingQuorum = (quorum: string, n: number): string =>
  /^\d+$/.test(quorum) && Number(quorum) > n ? 'all' : quorum;

/** Returns how many locations count. Lost, disabled, and unsupported locations don't count. */
const counted = (locations: readonly Pick<LocationView, 'reason'>[]): number =>
  locations.filter(({ reason }) => isWaiting(reason)).length;

/**
 * Returns text such as `Down when 2 of 3 locations report a failure. 1 of 4 does not count at the moment.` Empty for
 * one location.
 */
export function quorumText(quorum: string | number, locations: readonly Pick<LocationView, 'reason'>[]): string {
  if (locations.length < 2) return '';
  const n = counted(locations);
  const out = locations.length - n;
  const rest = out === 0 ? '' : `${out} of ${locations.length} ${out === 1 ? 'does' : 'do'} not count at the moment.`;
  if (n === 0) return rest;
  const k = { any: 1, majority: Math.floor(n / 2) + 1, all: n }[String(quorum)] ?? Math.min(Number(quorum) || 1, n);
  return `Down when ${k} of ${count(n, 'location')} ${k === 1 ? 'reports' : 'report'} a failure. ${rest}`.trim();
}

/** Returns a location's state as a shape and a word: what it saw, or why it has no vote. */
export function locationState({
  status,
  reason,
  error,
  last_checked_at,
}: Pick<LocationView, 'status' | 'reason' | 'error' | 'last_checked_at'>): { status: Shown; word: string } {
  if (last_checked_at === null && isWaiting(reason)) return { status: 'unknown', word: 'No result yet' };
  if (reason !== null) return { status: reason === 'disabled' ? 'paused' : 'unknown', word: REASONS[reason][0] };
  const shown = status === 'up' && error !== null ? 'degraded' : status;
  return { status: shown, word: WORDS[shown] };
}

/** Whether the location may report at any time. */
const isWaiting = (reason: LocationView['reason']): boolean => reason === null || reason === 'stale';

const WORDS = { up: 'Up', down: 'Down', unknown: 'Unknown', degraded: 'Degraded' };

const REASONS: Record<NonNullable<LocationView['reason']>, readonly [word: string, sentence: string]> = {
  stale: ['Not responding', 'It has no vote until it reports again.'],
  missing: ['Lost', 'It does not count until it reports again. The other locations decide.'],
  disabled: ['Disabled', 'The probe is disabled, so it does not count.'],
  unsupported: [
    'Unsupported',
    'The probe and the service do not use the same protocol, so it does not count. Update the older one.',
  ],
};

/**
 * Returns when the shown state started: at the last change, or at the last report from a location that isn't
 * responding.
 */
export const sinceOf = ({ reason, since, last_checked_at }: LocationView): string | null =>
  reason === 'stale' || reason === 'missing' ? last_checked_at : since;

/** Describes a location: why it has no vote, or else what it saw. */
export const locationText = ({ reason, error, status, failures, last_checked_at }: LocationView): string => {
  if (last_checked_at === null && isWaiting(reason)) return 'It has not reported yet, so it has no vote.';
  if (reason !== null) return REASONS[reason][1];
  if (error !== null)
    return failures > 1 ? `${error.message} (${failures.toLocaleString('en')} in a row)` : error.message;
  return status === 'up' ? 'Responds' : '–';
};

/** Returns `down`, `up`, or `none`. */
export const voteText = ({ status, counts }: Pick<LocationView, 'status' | 'counts'>): string =>
  counts ? status : 'none';

/**
 * Describes the locations that count and report down, such as `1 of 3: virginia, connection timeout, 42 min`. `null` if
 * there are none.
 */
export function whichText(locations: readonly LocationView[] | null, nowMs: number): string | null {
  const down = locations?.filter(({ status, counts }) => counts && status === 'down') ?? [];
  if (!locations || locations.length < 2 || down.length === 0) return null;
  const each = ({ location, error, since }: LocationView) =>
    [
      location,
      ...(error === null ? [] : [words(error.code)]),
      // Uses whole minutes, so that the sentence doesn't change every second.
      ...(since === null ? [] : [duration(wholeMinutes((nowMs - Date.parse(since)) / 1000))]),
    ].join(', ');
  return `${down.length} of ${counted(locations)}: ${down.map(each).join('; ')}`;
}

const wholeMinutes = (seconds: number): number => (seconds < 60 ? seconds : seconds - (seconds % 60));

/**
 * Describes the locations that reported down, such as `from 2 of 3 locations: fra, office`. Empty for an endpoint with
 * one location.
 */
export function fromText(locations: AlertEvent['locations']): string {
  if (!locations || locations.length < 2) return '';
  const down = locations.filter(({ outcome }) => outcome === 'down').map(({ location }) => location);
  return down.length === 0 ? '' : `from ${down.length} of ${locations.length} locations: ${down.join(', ')}`;
}
