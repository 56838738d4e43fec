import type { Caller } from '../../platform/access/caller';

/** The stored creator of a link or an invitation: a person, a key, or neither for the command line. IDs are UUIDs. */
export interface Maker {
  personId: string | null;
  keyId: string | null;
  /** The name of a key, or of the command line. */
  name: string | null;
}

export const makerOf = ({ person, keyId, keyName }: Pick<Caller, 'person' | 'keyId' | 'keyName'>): Maker => ({
  personId: person?.id ?? null,
  keyId,
  name: person === null ? keyName : null,
});

/**
 * SQL: whether the creator of a row (`of`, with an organization) is still an admin: a person with that role in the
 * organization, or an admin key that has not expired. `now` is a parameter. `otherwise` is the result for a row without
 * a creator. Cost: one key lookup.
 */
export const makerIsAdmin = (of: string, now: string, otherwise: string): string => `
  CASE WHEN ${of}.created_by_id IS NOT NULL THEN EXISTS (
         SELECT FROM membership by WHERE by.person_id = ${of}.created_by_id AND by.org_id = ${of}.org_id AND by.role = 'admin')
       WHEN ${of}.created_by_key_id IS NOT NULL THEN EXISTS (
         SELECT FROM api_key by WHERE by.id = ${of}.created_by_key_id AND by.org_id = ${of}.org_id AND by.role = 'admin'
            AND (by.expires_at IS NULL OR by.expires_at > ${now}))
       ELSE ${otherwise} END`;

/**
 * SQL: whether a person's account can access only this organization. Only then may an admin of the organization open
 * the account for someone. Cost: three key lookups.
 */
export const opensOnly = (orgId: string, personId: string): string => `
  (EXISTS (SELECT FROM membership this JOIN organization open ON open.id = this.org_id AND open.deleted_at IS NULL
            WHERE this.person_id = ${personId} AND this.org_id = ${orgId})
   AND NOT EXISTS (SELECT FROM membership other WHERE other.person_id = ${personId} AND other.org_id <> ${orgId})
   AND NOT EXISTS (SELECT FROM person operator WHERE operator.id = ${personId} AND operator.is_operator))`;
