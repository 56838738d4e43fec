import type { Sql } from '../../platform/database/database';
import { parseId } from '../../platform/ids/id';
import { type FieldProblem, Problem, problems } from '../../platform/problem/problem';

/**
 * A selection of an organization's endpoints: all, or the union of the lists. A tag matches endpoints that have it
 * themselves or through their website.
 */
export interface EndpointScope {
  coversAll: boolean;
  websiteIds: readonly string[];
  endpointIds: readonly string[];
  tags: readonly string[];
}

/** The `scope` field of a body. */
export interface SentScope {
  all?: unknown;
  website_ids?: readonly unknown[];
  endpoint_ids?: readonly unknown[];
  tags?: readonly unknown[];
}

type Missing = Pick<EndpointScope, 'websiteIds' | 'endpointIds'>;
/** The maximum number of unknown IDs that an error lists. */
const MOST_NAMED = 20;

const UNKNOWN = `
  SELECT ARRAY(SELECT id FROM unnest($2::uuid[]) AS id
                WHERE NOT EXISTS (SELECT FROM website w WHERE w.id = id.id AND w.org_id = $1 AND w.deleted_at IS NULL)) AS "websiteIds",
         ARRAY(SELECT id FROM unnest($3::uuid[]) AS id
                WHERE NOT EXISTS (SELECT FROM endpoint e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
                                   WHERE e.id = id.id AND e.org_id = $1)) AS "endpointIds"`;

/** Returns the problems of a scope. It must contain either `all` or at least one list. */
export function problemsOfScope({ all, website_ids = [], endpoint_ids = [], tags = [] }: SentScope): FieldProblem[] {
  const isListed = website_ids.length + endpoint_ids.length + tags.length > 0;
  if (all !== undefined && isListed)
    return [
      {
        pointer: '/scope/all',
        code: 'invalid_format',
        message: 'all cannot be combined with website_ids, endpoint_ids or tags',
      },
    ];
  if (all === undefined && !isListed)
    return [
      {
        pointer: '/scope',
        code: 'required',
        message: 'scope must have all, or at least one of website_ids, endpoint_ids and tags',
      },
    ];
  return [];
}

const sorted = (items: readonly string[]): string[] => [...new Set(items)].sort();

/** Returns the stored form of a scope whose IDs are valid: sorted sets, with tags in lowercase. */
export const toScope = ({ all, website_ids = [], endpoint_ids = [], tags = [] }: SentScope): EndpointScope => ({
  coversAll: all === true,
  websiteIds: sorted(website_ids.flatMap((id) => parseId('website', id) ?? [])),
  endpointIds: sorted(endpoint_ids.flatMap((id) => parseId('endpoint', id) ?? [])),
  tags: sorted(tags.flatMap((tag) => (typeof tag === 'string' ? tag.toLowerCase() : []))),
});

/** A scope that was sent, and the stored scope that it replaces. */
export interface AskedScope {
  sent: SentScope;
  known?: EndpointScope | null;
}

/**
 * Throws `not_found` with each ID in the scopes that doesn't exist or is in another organization. IDs that the stored
 * scope already has are not checked. Cost: one statement for all scopes, or none if no IDs are sent.
 */
export async function refuseUnknown(sql: Sql, orgId: string, asked: readonly AskedScope[]): Promise<void> {
  const scopes = asked.map(({ sent, known }) => {
    const scope = toScope(sent);
    const websiteIds = scope.websiteIds.filter((id) => !known?.websiteIds.includes(id));
    return { websiteIds, endpointIds: scope.endpointIds.filter((id) => !known?.endpointIds.includes(id)) };
  });
  const websiteIds = scopes.flatMap((scope) => scope.websiteIds);
  const endpointIds = scopes.flatMap((scope) => scope.endpointIds);
  if (websiteIds.length + endpointIds.length === 0) return;
  const [row] = await sql.query<Missing>(UNKNOWN, [orgId, websiteIds, endpointIds]);
  const missing = row ?? { websiteIds, endpointIds };
  const unknown = asked.flatMap(({ sent }) => [
    ...unknownOf('website', sent.website_ids ?? [], missing.websiteIds),
    ...unknownOf('endpoint', sent.endpoint_ids ?? [], missing.endpointIds),
  ]);
  const [first] = unknown;
  if (!first) return;
  const { code, detail } = problems.referenceNotFound(first.pointer, first.message);
  throw new Problem(code, detail, unknown.slice(0, MOST_NAMED));
}

function unknownOf(kind: 'website' | 'endpoint', sent: readonly unknown[], missing: readonly string[]): FieldProblem[] {
  return sent.flatMap((id, index): FieldProblem[] => {
    const uuid = parseId(kind, id);
    if (uuid === null || !missing.includes(uuid)) return [];
    const pointer = `/scope/${kind}_ids/${index}`;
    return [{ pointer, code: 'not_found', message: `the ${kind} does not exist, or belongs to another organization` }];
  });
}
