/** Why somebody who came back from the provider is not signed in; the page says what to do. */
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

/** What is known when somebody comes back from the provider. Ids are uuids. */
export interface Arrival {
  /** Whose identity it is already. */
  knownAs: string | null;
  /** Who was signed in and asked to connect it. */
  connecting: string | null;
  /** The flow began with an invitation, which has an e-mail, or with the link of the start, which has none. */
  invitation: { email: string | null } | null;
  /** What the provider has verified. */
  email: string | null;
  /** The groups give a place, or the rights of an operator. */
  hasGroups: boolean;
}

/** What to do: sign a person in whom the identity belongs to; give it to one; make an account with it, with this e-mail. */
export type Decision =
  | { kind: 'known'; personId: string }
  | { kind: 'connect'; personId: string }
  | { kind: 'account'; email: string | null }
  | { kind: 'problem'; code: SignInProblem };

/**
 * Who somebody is, by the identity alone. Nobody is ever found by an e-mail: it only becomes that of a new account, also where an account
 * claims it that nobody proved it to. If the provider has verified it for another account, that is `email_taken`.
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
