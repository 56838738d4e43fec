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
  /** It watches a probe: that is nobody else's trouble, so it joins nothing and nothing joins it. */
  isOfProbe?: boolean;
}

/** What others are compared with: what triggered first in an incident. */
export type Opener = Pick<Trigger, 'websiteId' | 'errorCode' | 'address' | 'isOfProbe'>;

/** What one endpoint depends on. */
export interface Parent {
  id: string;
  name: string;
}

/** A detected incident of the same organization that a trigger may go to, open or not. */
export interface Candidate {
  number: number;
  severity: IncidentSeverity;
  opener: Opener;
  startedAt: Date;
  openedAt: Date;
  joinedAt: Date;
  endedAt: Date | null;
  /** Endpoints of triggers that are open members. */
  members: ReadonlySet<string>;
  /** Those that were, and when they left. */
  left: ReadonlyMap<string, Date>;
  /** Those that depend on an open member, or that one depends on: which of the two is the parent. */
  related: ReadonlyMap<string, Parent>;
}

/** Why a trigger goes where it goes. `again`: it was a member before. */
export type PlaceRule = 'member' | 'again' | 'dependency' | 'address' | 'website' | 'new';

/** Where a trigger goes: `incident` is `null` exactly for `new`. `parent`: of a dependency. */
export interface Place<C> {
  rule: PlaceRule;
  incident: C | null;
  parent: Parent | null;
}

/** Down again so soon after it came up, it is the same thing. */
export const AGAIN_MS = 15 * MINUTE_MS;
/** An incident that began so long ago does not begin again. */
export const AGAIN_WITHIN_MS = DAY_MS;
/** Others join within this time of the last that joined, and of the opening. */
export const JOIN_MS = 5 * MINUTE_MS;
export const OPEN_MS = 60 * MINUTE_MS;

/** Nothing answers at the address. An answer of any kind, such as status 500, says that the address works. */
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
 * Where a trigger goes, the first that fits: the open incident that its endpoint is in, one that it was in a moment ago, that
 * of what it depends on, of what failed at the same address, of the same website; a new one. Of several the youngest. Address
 * and website are compared with the opener alone: no chain of neighbours makes one incident of everything.
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

/** It left an incident that goes on, or the incident has ended, a moment ago. */
function isAgain({ startedAt, endedAt, left }: Candidate, endpointId: string, now: Date): boolean {
  const leftAt = left.get(endpointId);
  if (leftAt === undefined || !isWithin(startedAt, now, AGAIN_WITHIN_MS)) return false;
  return isWithin(endedAt ?? leftAt, now, AGAIN_MS);
}

const isJoinable = ({ joinedAt, openedAt, endedAt }: Candidate, now: Date): boolean =>
  endedAt === null && isWithin(joinedAt, now, JOIN_MS) && isWithin(openedAt, now, OPEN_MS);

const isSameAddress = (opener: Opener, { address, errorCode }: Trigger): boolean =>
  address !== null && opener.address === address && TRANSPORT.has(errorCode) && TRANSPORT.has(opener.errorCode);
