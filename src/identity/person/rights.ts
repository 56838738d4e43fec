import { DAY_MS } from '../../platform/time/time-units';
import type { MembershipSource } from './person-row';
import type { SignIn } from './sign-ins';

/** How long rights by groups last after the provider, or the proxy, has listed the groups. */
const CONFIRMED_MS = DAY_MS;

/** Evidence for a person's rights in a session. */
export interface Proof {
  /** The way in which the session started, or null for a session of an older version. */
  via: SignIn | null;
  /** When the provider or the proxy last listed the groups of the person, or null if never. */
  confirmedAt: Date | null;
  hasSecondFactor: boolean;
}

/** The part of the evidence that belongs to the session. */
export type SessionProof = Pick<Proof, 'via' | 'hasSecondFactor'>;

/** A right of a person: a role in an organization, or the rights of an operator. */
export interface Right {
  source: MembershipSource;
  /** Whether the organization requires a second factor of members who sign in with a password. */
  needsSecondFactor: boolean;
}

/**
 * Returns whether a right holds in a session now. This is the rule for all rights of a person. An invitation or the
 * command line gives rights that hold in every session. Groups give rights that hold only in sessions of single sign-on
 * and the proxy, for a day after the groups were last listed. So a person who leaves the company is out within a day,
 * even if they have set a password. If an organization requires a second factor, the session must have proven one,
 * unless it is from single sign-on or the proxy.
 */
export function holds({ source, needsSecondFactor }: Right, proof: Proof, now: Date): boolean {
  const isByProvider = proof.via === 'single_sign_on' || proof.via === 'proxy';
  if (needsSecondFactor && !isByProvider && !proof.hasSecondFactor) return false;
  switch (source) {
    case 'invited':
      return true;
    case 'groups':
      return isByProvider && isConfirmed(proof.confirmedAt, now);
    default:
      return source satisfies never;
  }
}

/** Returns what a session lacks for a right, or null if the right holds. The second factor comes last. */
export function lackOf(right: Right, proof: Proof, now: Date): 'single_sign_on' | 'second_factor' | null {
  if (holds(right, proof, now)) return null;
  return holds({ ...right, needsSecondFactor: false }, proof, now) ? 'second_factor' : 'single_sign_on';
}

const isConfirmed = (at: Date | null, now: Date): boolean => at !== null && now.getTime() - at.getTime() < CONFIRMED_MS;

/**
 * Returns the right of an operator. It comes from a group, or else from the first account, an invitation, or the
 * command line.
 */
export const operatorRight = (isByGroup: boolean): Right => ({
  source: isByGroup ? 'groups' : 'invited',
  needsSecondFactor: false,
});
