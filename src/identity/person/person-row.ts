import type { Role } from '../../platform/access/caller';

/** A row of `person`. */
export interface PersonRow {
  id: string;
  name: string;
  /** In lower case; `null` for one whom only single sign-on or a proxy knows. Several accounts may claim one. */
  email: string | null;
  /** The provider of single sign-on has verified the email, which belongs to this account alone in that way. */
  isVerified: boolean;
  password: string | null;
  /** Whether a second factor is in force, of which signing in with a password or a link asks. */
  hasSecondFactor: boolean;
  isOperator: boolean;
  createdAt: Date;
  lastSignInAt: Date | null;
}

/** How somebody came into an organization: by a token, or by a group of the single sign-on. */
export type MembershipSource = 'invited' | 'groups';

/** A person in an organization, and the organization. */
export interface MembershipRow {
  orgId: string;
  orgName: string;
  role: Role;
  source: MembershipSource;
  joinedAt: Date;
  /** When the groups of the person were last listed: see `holds`. */
  confirmedAt: Date | null;
  needsSecondFactor: boolean;
}

/** Columns of `person` (`p`) as the fields of `PersonRow`. */
export const PERSON_COLUMNS = `p.id, p.name, p.email, p.email_verified AS "isVerified", p.password, p.is_operator AS "isOperator", p.created_at AS "createdAt",
  p.last_sign_in_at AS "lastSignInAt",
  EXISTS (SELECT FROM second_factor f WHERE f.id = p.id AND f.confirmed_at IS NOT NULL) AS "hasSecondFactor"`;

/** Accounts with one email that are read at once, more than there are: quotas bound those in organizations. */
export const MOST_OF_EMAIL = 1000;

/** The form in which e-mails are compared and stored. */
export const normalizeEmail = (typed: string): string => typed.trim().toLowerCase();
