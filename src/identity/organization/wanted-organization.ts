import type { Caller } from '../../platform/access/caller';
import { parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';

/**
 * Throws `conflict` if a page was opened before its browser switched to another organization, so that it doesn't act in
 * that one. `wanted` is the organization that the client means (`org_…`), if it sends one.
 */
export function requireOrganization({ orgId }: Pick<Caller, 'orgId'>, wanted: unknown): void {
  if (wanted !== undefined && parseId('organization', wanted) !== orgId)
    throw problems.conflict(
      'This request is for a different organization than the one you are signed in to. Reload the page.',
    );
}
