import type { Role } from '../../platform/access/permissions';

export interface PersonRow {
  id: string;
  name: string;
  /**
   * In lower case, or `null` if the person is known only to single sign-on or a proxy. Several accounts may claim the
   * same email.
   */
  email: string | null;
  /** Whether the single sign-on provider has verified the email. An email is verified for at most one account. */
  isVerified: boolean;
  password: string | null;
  /** Whether a second factor is active. If so, signing in with a password or a link requires it. */
  hasSecondFactor: boolean;
  isOperator: boolean;
  createdAt: Date;
  lastSignInAt: Date | null;
}

/** How a person joined an organization: with a token or through a single sign-on group. */
export type MembershipSource = 'invited' | 'groups';

/** A person's membership, including the organization. */
export interface MembershipRow {
  orgId: string;
  orgName: string;
  role: Role;
  source: MembershipSource;
  joinedAt: Date;
  /** When the person's groups were last received. See `holds`. */
  confirmedAt: Date | null;
  needsSecondFactor: boolean;
}

/** The columns of `person` (`p`), named like the fields of `PersonRow`. */
export const PERSON_COLUMNS = `p.id, p.name, p.email, p.email_verified AS "isVerified", p.password, p.is_operator AS "isOperator", p.created_at AS "createdAt",
  p.last_sign_in_at AS "lastSignInAt",
  EXISTS (SELECT FROM second_factor f WHERE f.id = p.id AND f.confirmed_at IS NOT NULL) AS "hasSecondFactor"`;

/**
 * The maximum number of accounts with one email that are read at once. In practice there are fewer, because quotas
 * limit the accounts in organizations.
 */
export const MOST_OF_EMAIL = 1000;

/** Returns the normalized form in which emails are compared and stored. */
export const normalizeEmail = (typed: string): string => typed.trim().toLowerCase();
