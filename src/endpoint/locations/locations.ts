import type { FieldProblem } from '../../platform/problem/problem';
import { SECOND_MS } from '../../platform/time/time-units';
import { type KnownProbe, LOCAL_NAME, SHARED_PREFIX } from '../../probe/probe-directory';
import type { Quorum, VerdictRule } from '../verdict';

export const MAX_LOCATIONS = 10;

export const QUORUM_NAMES = ['majority', 'any', 'all'] as const;

/**
 * The locations of an endpoint if none are specified. The service itself checks it, and it has no rows in
 * `endpoint_location`.
 */
export const DEFAULT_LOCATIONS: readonly string[] = [LOCAL_NAME];

export type ProbesByLocation = ReadonlyMap<string, KnownProbe>;

/** Returns false only if `local` is the one and only location. */
export const isLocated = (locations: readonly string[]): boolean =>
  locations.length !== 1 || locations[0] !== LOCAL_NAME;

/** Returns the locations to store, in the order in which they were sent and without duplicates. */
export const locationSet = (sent: readonly string[]): readonly string[] => [...new Set(sent)];

/** The type of an endpoint that watches a probe. Its URL is `probe:<location>`. */
export const PROBE = 'PROBE';
const PROBE_PREFIX = 'probe:';

/** The endpoint settings that can refer to probes. */
export interface NamingSettings {
  type: string;
  url: string | null;
  locations: readonly string[];
}

/** Returns the location of the probe that an endpoint of type PROBE watches, or `null` for other endpoints. */
export const watchedProbe = ({ type, url }: Pick<NamingSettings, 'type' | 'url'>): string | null =>
  type === PROBE && url !== null && url.startsWith(PROBE_PREFIX) ? url.slice(PROBE_PREFIX.length) : null;

/** Returns the locations of all probes that an endpoint refers to: where it is checked, and the one it watches. */
export function namedLocations(sent: { readonly [Field in keyof NamingSettings]?: NamingSettings[Field] }): string[] {
  const watched = watchedProbe({ type: sent.type ?? '', url: sent.url ?? null });
  return [...(sent.locations ?? []), ...(watched === null ? [] : [watched])];
}

/** Returns the problems with the probe to watch. `before` is the stored endpoint, or `null` for a new one. */
export function watchedProblems(
  sent: Pick<NamingSettings, 'type' | 'url'>,
  before: Pick<NamingSettings, 'type' | 'url'> | null,
  probes: ProbesByLocation,
): FieldProblem[] {
  const watched = watchedProbe(sent);
  if (watched === null || probes.has(watched) || (before && watchedProbe(before) === watched)) return [];
  return [{ pointer: '/url', code: 'unknown_location', message: noProbe(watched) }];
}

export const noProbe = (location: string): string =>
  `there is no probe ${location}. Create it first, or use one that GET /api/v1/probes lists`;

export const isShared = (location: string): boolean => location.startsWith(SHARED_PREFIX);

/** The context for validating an endpoint's locations. `before` is the stored endpoint, or `null` for a new one. */
export interface LocationRule {
  type: string;
  /** True if only `local` can check this type. */
  isLocalOnly: boolean;
  before: { type: string; locations: readonly string[] } | null;
  probes: ProbesByLocation;
}

/**
 * Returns the problems with the locations that were sent, or with the stored ones if only the type changes. Locations
 * that the endpoint already has may be disabled, so that clients can send back what they read.
 */
export function locationProblems(
  sent: readonly string[],
  { type, isLocalOnly, before, probes }: LocationRule,
): FieldProblem[] {
  if (isLocalOnly && isLocated(locationSet(sent)))
    return [
      {
        pointer: '/locations',
        code: 'not_supported',
        message: `type ${type} supports only the location ${LOCAL_NAME}`,
      },
    ];
  return sent.flatMap((location, i): FieldProblem[] => {
    if (location === LOCAL_NAME || sent.indexOf(location) < i) return [];
    const pointer = `/locations/${i}`;
    const isNew = !before?.locations.includes(location);
    const probe = probes.get(location);
    if (!probe || (isNew && !probe.enabled))
      return [{ pointer, code: 'unknown_location', message: `the probe ${location} does not exist, or is disabled` }];
    if (!probe.types || probe.types.includes(type) || (!isNew && type === before?.type)) return [];
    return [{ pointer, code: 'type_not_supported', message: `the probe ${location} does not support ${type}` }];
  });
}

/** Converts a quorum to its stored form: the keyword, or the number as a string. */
export const storedQuorum = (sent: Quorum): string => String(sent);

/** Converts a stored quorum to its public form. */
export const shownQuorum = (stored: string): Quorum =>
  isNumber(stored) ? Number(stored) : (QUORUM_NAMES.find((name) => name === stored) ?? 'majority');

/** Returns a problem if the quorum exceeds the number of locations, because it could never be reached. */
export const quorumProblems = (stored: string, locations: readonly string[]): FieldProblem[] =>
  isNumber(stored) && Number(stored) > locations.length
    ? [
        {
          pointer: '/quorum',
          code: 'exceeds_locations',
          message: `quorum is ${stored}, but there ${locations.length === 1 ? 'is 1 location' : `are ${locations.length} locations`}`,
        },
      ]
    : [];

/** Converts the stored settings of an endpoint to the rule for its verdicts. */
export const verdictRule = (stored: {
  quorum: string;
  intervalSeconds: number;
  timeoutSeconds: number;
}): VerdictRule => ({
  quorum: shownQuorum(stored.quorum),
  intervalMs: stored.intervalSeconds * SECOND_MS,
  timeoutMs: stored.timeoutSeconds * SECOND_MS,
});

const isNumber = (stored: string): boolean => /^\d+$/.test(stored);

/** Returns the number of checks per second. Each location checks once per interval. */
export const checksPerSecond = ({
  intervalSeconds,
  locations,
}: {
  intervalSeconds: number;
  locations: readonly string[];
}): number => locations.length / intervalSeconds;
