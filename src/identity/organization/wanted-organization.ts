import type { Caller } from '../../platform/access/caller';
import { parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';

/**
 * A page that was opened before its browser went over to another organization must not act in that one. `wanted`: what the client
 * means (`org_…`), if it says so. Throws `conflict`.
 */
export function requireOrganization({ orgId }: Pick<Caller, 'orgId'>, wanted: unknown): void {
  if (wanted !== undefined && parseId('organization', wanted) !== orgId)
    throw problems.conflict(
      'This request is for a different organization than the one you are signed in to. Reload the page.',
    );
}
