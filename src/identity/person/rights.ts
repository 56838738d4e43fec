import { DAY_MS } from '../../platform/time/time-units';
import type { MembershipSource } from './person-row';
import type { SignIn } from './sign-ins';

/** How long rights from groups last after the provider or the proxy has sent the groups. */
const CONFIRMED_MS = DAY_MS;

/** Evidence for a person's rights in a session. */
export interface Proof {
  /** How the session started, or null for a session from an older version. */
  via: SignIn | null;
  /** When the provider or the proxy last sent the person's groups, or null if never. */
  confirmedAt: Date | null;
  hasSecondFactor: boolean;
}

/** The part of the proof that is stored in the session. */
export type SessionProof = Pick<Proof, 'via' | 'hasSecondFactor'>;

/** A person's right: a role in an organization, or operator rights. */
export interface Right {
  source: MembershipSource;
  /** Whether the organization requires a second factor from members who sign in with a password. */
  needsSecondFactor: boolean;
}

/**
 * Returns whether a right holds in a session now. This rule applies to all of a person's rights. Rights from an
 * invitation or the command line hold in every session. Rights from groups hold only in sessions from single sign-on or
 * the proxy, for one day after the groups were last sent. This way, a person who leaves the company loses access within
 * a day, even if they have set a password. If an organization requires a second factor, it must have been proven in the
 * session. Sessions from single sign-on or the proxy need none.
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

/** Returns what a session lacks for a right, or null if the right holds. Checks the second factor last. */
export function lackOf(right: Right, proof: Proof, now: Date): 'single_sign_on' | 'second_factor' | null {
  if (holds(right, proof, now)) return null;
  return holds({ ...right, needsSecondFactor: false }, proof, now) ? 'second_factor' : 'single_sign_on';
}

const isConfirmed = (at: Date | null, now: Date): boolean => at !== null && now.getTime() - at.getTime() < CONFIRMED_MS;

/**
 * Returns the operator right. Its source is a group, or otherwise the first account, an invitation, or the command
 * line.
 */
export const operatorRight = (isByGroup: boolean): Right => ({
  source: isByGroup ? 'groups' : 'invited',
  needsSecondFactor: false,
});
