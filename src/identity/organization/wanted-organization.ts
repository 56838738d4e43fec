import type { Caller } from '../../platform/access/caller';
import { parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';

/**
 * Throws `conflict` if the browser has switched to another organization since the page was opened. Otherwise, the page
 * would change the wrong organization. `wanted` is the organization that the client intends to use (`org_…`), if the
 * client sends one.
 */
export function requireOrganization({ orgId }: Pick<Caller, 'orgId'>, wanted: unknown): void {
  if (wanted !== undefined && parseId('organization', wanted) !== orgId)
    throw problems.conflict(
      'This request is for a different organization than the one you are signed in to. Reload the page.',
    );
}
