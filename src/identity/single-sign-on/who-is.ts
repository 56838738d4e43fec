/** Reasons why a user who returned from the provider can't be signed in. The page explains what to do. */
export const SIGN_IN_PROBLEMS = [
  'denied',
  'expired',
  'mismatch',
  'refused',
  'unreachable',
  'not_invited',
  'email_taken',
] as const;
export type SignInProblem = (typeof SIGN_IN_PROBLEMS)[number];

/** The known facts when a user returns from the provider. IDs are UUIDs. */
export interface Arrival {
  /** The person who already owns the identity. */
  knownAs: string | null;
  /** The signed-in person who requested to connect the identity. */
  connecting: string | null;
  /** The flow's invitation, which has an email, or its start link, which has none. */
  invitation: { email: string | null } | null;
  email: string | null;
  /** Whether the groups grant a membership or operator rights. */
  hasGroups: boolean;
}

/**
 * The decision: sign in the person who has the identity, connect the identity to a person, or create an account with
 * the identity and this email.
 */
export type Decision =
  | { kind: 'known'; personId: string }
  | { kind: 'connect'; personId: string }
  | { kind: 'account'; email: string | null }
  | { kind: 'problem'; code: SignInProblem };

/**
 * Decides who a user is, based only on their identity. People are never looked up by email. The email is used only for
 * a new account, even if another account claims it without proof. If the provider has verified it for another account,
 * the result is `email_taken`.
 */
export function whoIs({ knownAs, connecting, invitation, email, hasGroups }: Arrival): Decision {
  if (knownAs !== null)
    return connecting === null || connecting === knownAs
      ? { kind: 'known', personId: knownAs }
      : { kind: 'problem', code: 'refused' };
  if (connecting !== null) return { kind: 'connect', personId: connecting };
  if (invitation !== null) return { kind: 'account', email: invitation.email ?? email };
  return hasGroups ? { kind: 'account', email } : { kind: 'problem', code: 'not_invited' };
}
