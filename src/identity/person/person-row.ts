import type { Role } from '../../platform/access/caller';

/** A row of `person`. */
export interface PersonRow {
  id: string;
  name: string;
  /** In lower case; `null` for one whom only single sign-on or a proxy knows. */
  email: string | null;
  password: string | null;
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
}

/** Columns of `person` (`p`) as the fields of `PersonRow`. */
export const PERSON_COLUMNS = `p.id, p.name, p.email, p.password, p.is_operator AS "isOperator", p.created_at AS "createdAt",
  p.last_sign_in_at AS "lastSignInAt"`;

/** The form in which e-mails are compared and stored. */
export const normalizeEmail = (typed: string): string => typed.trim().toLowerCase();
