import { DAY_MS, MINUTE_MS } from '../platform/time/time-units';
import type { IncidentSeverity } from './incident-row';

/** An endpoint whose first alert triggers. */
export interface Trigger {
  endpointId: string;
  endpointName: string;
  websiteId: string;
  websiteName: string;
  severity: IncidentSeverity;
  errorCode: string | null;
  /** The address that the check connected to. */
  address: string | null;
  /**
   * True if the endpoint monitors a probe. This doesn't affect other endpoints, so it joins nothing and nothing joins
   * it.
   */
  isOfProbe?: boolean;
}

/** The first trigger of an incident, with which others are compared. */
export type Opener = Pick<Trigger, 'websiteId' | 'errorCode' | 'address' | 'isOfProbe'>;

/** An endpoint that another one depends on. */
export interface Parent {
  id: string;
  name: string;
}

/** A detected incident in the same organization, open or not, that a trigger may join. */
export interface Candidate {
  number: number;
  severity: IncidentSeverity;
  opener: Opener;
  startedAt: Date;
  openedAt: Date;
  joinedAt: Date;
  endedAt: Date | null;
  /** The triggers' endpoints that are open members. */
  members: ReadonlySet<string>;
  /** Former members, and when they left. */
  left: ReadonlyMap<string, Date>;
  /** Endpoints that depend on an open member or that an open member depends on, with the parent in each pair. */
  related: ReadonlyMap<string, Parent>;
}

/** The rule that placed a trigger. `again`: the endpoint was a member before. */
export type PlaceRule = 'member' | 'again' | 'dependency' | 'address' | 'website' | 'new';

/** A trigger's place. `incident` is `null` if and only if the rule is `new`. `parent` is set for a dependency. */
export interface Place<C> {
  rule: PlaceRule;
  incident: C | null;
  parent: Parent | null;
}

/** An endpoint that goes down again within this time after its recovery returns to the same incident. */
export const AGAIN_MS = 15 * MINUTE_MS;
/** An incident that started longer ago than this doesn't reopen. */
export const AGAIN_WITHIN_MS = DAY_MS;
/** Others may join within this time after the last one joined, and within the second time after the incident opened. */
export const JOIN_MS = 5 * MINUTE_MS;
export const OPEN_MS = 60 * MINUTE_MS;

/**
 * Errors that indicate that nothing responds at the address. A response of any kind, such as status 500, shows that the
 * address works.
 */
const TRANSPORT: ReadonlySet<string | null> = new Set([
  'connection_refused',
  'connection_reset',
  'connection_timeout',
  'host_unreachable',
  'icmp_timeout',
  'tls_timeout',
  'first_byte_timeout',
]);

/**
 * Returns the first place that fits a trigger. In order, the places are: the open incident that its endpoint is in, an
 * incident that it left a moment ago, the incident of a parent or dependent, an incident at the same address, an
 * incident of the same website, and a new incident. If several fit, the newest one wins. Address and website are only
 * compared with the opener, so that a chain of neighbors doesn't turn everything into one incident.
 */
export function placeOf<C extends Candidate>(trigger: Trigger, candidates: readonly C[], now: Date): Place<C> {
  const { endpointId } = trigger;
  const find = (rule: PlaceRule, fits: (candidate: C) => boolean): Place<C> | null => {
    let incident: C | null = null;
    for (const one of candidates) if ((incident === null || one.number > incident.number) && fits(one)) incident = one;
    if (incident === null) return null;
    return { rule, incident, parent: rule === 'dependency' ? (incident.related.get(endpointId) ?? null) : null };
  };
  const joins = (candidate: C): boolean =>
    trigger.isOfProbe !== true &&
    candidate.opener.isOfProbe !== true &&
    isJoinable(candidate, now) &&
    candidate.severity === trigger.severity;
  const joinsDown = (candidate: C): boolean => trigger.severity === 'down' && joins(candidate);
  return (
    find('member', ({ members }) => members.has(endpointId)) ??
    find('again', (candidate) => isAgain(candidate, endpointId, now)) ??
    find('dependency', (candidate) => joinsDown(candidate) && candidate.related.has(endpointId)) ??
    find('address', (candidate) => joinsDown(candidate) && isSameAddress(candidate.opener, trigger)) ??
    find('website', (candidate) => joins(candidate) && candidate.opener.websiteId === trigger.websiteId) ?? {
      rule: 'new',
      incident: null,
      parent: null,
    }
  );
}

const isWithin = (from: Date, now: Date, ms: number): boolean => now.getTime() - from.getTime() < ms;

/** Returns true if the endpoint left an open incident a moment ago, or the incident ended a moment ago. */
function isAgain({ startedAt, endedAt, left }: Candidate, endpointId: string, now: Date): boolean {
  const leftAt = left.get(endpointId);
  if (leftAt === undefined || !isWithin(startedAt, now, AGAIN_WITHIN_MS)) return false;
  return isWithin(endedAt ?? leftAt, now, AGAIN_MS);
}

const isJoinable = ({ joinedAt, openedAt, endedAt }: Candidate, now: Date): boolean =>
  endedAt === null && isWithin(joinedAt, now, JOIN_MS) && isWithin(openedAt, now, OPEN_MS);

const isSameAddress = (opener: Opener, { address, errorCode }: Trigger): boolean =>
  address !== null && opener.address === address && TRANSPORT.has(errorCode) && TRANSPORT.has(opener.errorCode);
