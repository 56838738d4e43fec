import type { Role } from '../../platform/access/permissions';
import type { MembershipRow } from './person-row';

export type HeldMembership = Pick<MembershipRow, 'orgId' | 'role' | 'source'>;

/** A change to one membership. `null` means no membership. */
export interface MembershipChange {
  orgId: string;
  before: Role | null;
  after: Role | null;
}

/**
 * Returns the changes, by organization, that make memberships with the source `groups` match the granted ones. Other
 * memberships are not touched.
 */
export function changesOf(held: readonly HeldMembership[], granted: ReadonlyMap<string, Role>): MembershipChange[] {
  const here = new Set(held.map(({ orgId }) => orgId));
  const kept = held
    .filter(({ source }) => source === 'groups')
    .map(({ orgId, role }) => ({ orgId, before: role, after: granted.get(orgId) ?? null }));
  const joined = [...granted]
    .filter(([orgId]) => !here.has(orgId))
    .map(([orgId, after]) => ({ orgId, before: null, after }));
  return [...kept, ...joined]
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => (a.orgId < b.orgId ? -1 : 1));
}
