import { DAY_MS } from '../../platform/time/time-units';
import type { MembershipSource } from './person-row';
import type { SignIn } from './sign-ins';

/** How long rights by groups last after the provider, or the proxy, has listed the groups. */
const CONFIRMED_MS = DAY_MS;

/** Evidence of the groups of a person, in a session. */
export interface Proof {
  /** The way in which the session started; null for a session of an older version. */
  via: SignIn | null;
  /** When the provider or the proxy last listed the groups of the person; null if that was never. */
  confirmedAt: Date | null;
  /** Whether the person has proven a second factor in this session. */
  hasSecondFactor: boolean;
}

/** What of that is the session's own. */
export type SessionProof = Pick<Proof, 'via' | 'hasSecondFactor'>;

/** A right of a person: a role in an organization, or the rights of an operator. */
export interface Right {
  source: MembershipSource;
  /** Whether the organization requires a second factor of members who sign in with a password. */
  needsSecondFactor: boolean;
}

/**
 * The rule of all rights of a person: does this right hold in a session, now? An invitation, or the command line, gives rights that
 * hold in every session. Groups give rights that hold only in sessions of the single sign-on and the proxy, and for a day after the
 * groups were last listed. So a person who leaves the company is out within a day, also if they have set a password. Where an
 * organization requires a second factor, the session has to have proven one, or to be of the single sign-on or the proxy.
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

/** Why a right does not hold in a session: what is missing for it; null if it holds. The second factor comes last. */
export function lackOf(right: Right, proof: Proof, now: Date): 'single_sign_on' | 'second_factor' | null {
  if (holds(right, proof, now)) return null;
  return holds({ ...right, needsSecondFactor: false }, proof, now) ? 'second_factor' : 'single_sign_on';
}

const isConfirmed = (at: Date | null, now: Date): boolean => at !== null && now.getTime() - at.getTime() < CONFIRMED_MS;

/** The rights of an operator come from a group; else from the first account, an invitation, or the command line. */
export const operatorRight = (isByGroup: boolean): Right => ({
  source: isByGroup ? 'groups' : 'invited',
  needsSecondFactor: false,
});
