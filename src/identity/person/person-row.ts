import type { Role } from '../../platform/access/caller';

export interface PersonRow {
  id: string;
  name: string;
  /**
   * In lower case, or `null` if only single sign-on or a proxy knows the person. Several accounts may claim one email.
   */
  email: string | null;
  /** Whether the provider of single sign-on has verified the email. It is verified for at most one account. */
  isVerified: boolean;
  password: string | null;
  /** Whether a second factor is active, which signing in with a password or a link then requires. */
  hasSecondFactor: boolean;
  isOperator: boolean;
  createdAt: Date;
  lastSignInAt: Date | null;
}

/** How a person joined an organization: by a token, or by a group of single sign-on. */
export type MembershipSource = 'invited' | 'groups';

/** A person's membership, with the organization. */
export interface MembershipRow {
  orgId: string;
  orgName: string;
  role: Role;
  source: MembershipSource;
  joinedAt: Date;
  /** When the person's groups were last listed. See `holds`. */
  confirmedAt: Date | null;
  needsSecondFactor: boolean;
}

/** Columns of `person` (`p`) as the fields of `PersonRow`. */
export const PERSON_COLUMNS = `p.id, p.name, p.email, p.email_verified AS "isVerified", p.password, p.is_operator AS "isOperator", p.created_at AS "createdAt",
  p.last_sign_in_at AS "lastSignInAt",
  EXISTS (SELECT FROM second_factor f WHERE f.id = p.id AND f.confirmed_at IS NOT NULL) AS "hasSecondFactor"`;

/**
 * Maximum accounts with one email that are read at once. There are fewer, because quotas bound the accounts in
 * organizations.
 */
export const MOST_OF_EMAIL = 1000;

/** Returns the form in which emails are compared and stored. */
export const normalizeEmail = (typed: string): string => typed.trim().toLowerCase();
