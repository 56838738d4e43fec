import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import { Database } from '../../platform/database/database';
import { Cursors, LARGE_ROWS } from '../../platform/http/cursors';
import { MAX_PAGE_SIZE, type Page } from '../../platform/http/page';
import { NIL_UUID, parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { LOCAL_NAME, ProbeDirectory } from '../../probe/probe-directory';
import { WebsiteService } from '../../website/website.service';
import type { EndpointRow, EndpointView } from '../endpoint.dto';
import { EndpointRepository, selectEndpoints } from '../endpoint.repository';
import { conditionOf, type EndpointFilter } from './endpoint-filter';
import type { EndpointSearchQuery } from './endpoint-search.dto';

/** Of what is found: counted for its `X-Total-Count`. */
const MOST_COUNTED = 1000;

/** Where endpoints are looked for: all of an organization, or of one website of it. */
interface Scope {
  readonly column: 'org_id' | 'website_id';
  readonly value: string;
  /** From a kept counter. */
  readonly total: number;
}

const OF_LIVING_WEBSITES = `AND website_id NOT IN (SELECT d.id FROM website d WHERE d.org_id = $1 AND d.deleted_at IS NOT NULL)`;

/**
 * Endpoints of organization $1 behind $3, at most $4; `column` is $2. Cut off before anything is joined, and by the whole
 * order of one index: with `org_id = $1 ORDER BY id` the planner may walk over all organizations in the order of ids until
 * it has met enough of this one.
 */
const PAGE = (column: Scope['column']): string =>
  `${selectEndpoints(`(
    SELECT * FROM endpoint
     WHERE (${column}, id) > ($2::uuid, $3::uuid) AND ${column} <= $2::uuid ${OF_LIVING_WEBSITES}
     ORDER BY ${column}, id LIMIT $4)`)} ORDER BY e.id`;

/**
 * Ids of those that hold the conditions. Every endpoint of the scope behind $3 is judged, of nobody else, and then they are
 * put in order: a condition that few hold makes the planner leave the index of the scope for one that is in order already.
 * Of 20,000 endpoints that takes 10 to 45 ms.
 */
const matching = (column: Scope['column'], condition: string): string => `
  WITH matching AS MATERIALIZED (
    SELECT id FROM endpoint WHERE ${column} = $2::uuid AND id > $3::uuid ${OF_LIVING_WEBSITES} ${condition})
  SELECT id FROM matching ORDER BY id LIMIT $4`;

/** By primary key, before anything is joined (OFFSET 0 forbids anything else), with or without statistics; then those of others fall out. */
const SOME = `${selectEndpoints('(SELECT * FROM endpoint WHERE id = ANY ($2::uuid[]) OFFSET 0)')} ORDER BY e.id`;

/** Looks for endpoints in all websites of an organization. */
@Injectable()
export class EndpointSearchService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly websites: WebsiteService,
    private readonly endpoints: EndpointRepository,
    private readonly probes: ProbeDirectory,
  ) {}

  /**
   * A page costs a few look-ups for each of its endpoints, in a few statements where rows are large; one is for the kept
   * counter, one for maintenance. With a filter one finds the ids, and one counts for every page but the first.
   */
  async list(caller: Caller, query: EndpointSearchQuery): Promise<Page<EndpointView>> {
    const { status, type, tag, key, certificate_within: certificateWithin } = query;
    const location = await this.numberOf(caller.orgId, query.location);
    const filter: EndpointFilter = { status, type, tag, key, certificateWithin, location, text: query.q?.trim() };
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const scope = await this.scopeOf(caller.orgId, query.website_id);
    const reader = isFiltered
      ? this.found(caller, scope, filter, query)
      : {
          read: (after: string | null, count: number) =>
            this.database.query<EndpointRow>(PAGE(scope.column), [caller.orgId, scope.value, after ?? NIL_UUID, count]),
          total: () => scope.total,
        };
    const page = await this.cursors.paginate<EndpointRow>({
      orgId: caller.orgId,
      list: `all-endpoints:${JSON.stringify([query.website_id, filter])}`,
      cursor: query.cursor,
      limit: limitOf(query),
      rowsAtOnce: LARGE_ROWS,
      ...reader,
      idOf: (row) => row.id,
    });
    return this.endpoints.viewsOf(caller, page);
  }

  /** Throws `not_found` for a location that the organization cannot name. */
  private async numberOf(orgId: string, location: string | undefined): Promise<number | undefined> {
    if (location === undefined) return undefined;
    if (location === LOCAL_NAME) return 0;
    const probe = (await this.probes.named(this.database, orgId, [location])).get(location);
    if (!probe) throw problems.notFound();
    return probe.number;
  }

  /** Throws `not_found` for a website of another organization. */
  private async scopeOf(orgId: string, website: string | undefined): Promise<Scope> {
    const websiteId = parseId('website', website);
    return websiteId === null
      ? { column: 'org_id', value: orgId, total: (await this.websites.listed(orgId)).endpoints }
      : { column: 'website_id', value: websiteId, total: await this.websites.endpointsOf(orgId, websiteId) };
  }

  /** Finds the ids once, with enough of them to count by; reads the rows of a page by them. */
  private found(caller: Caller, scope: Scope, filter: EndpointFilter, query: EndpointSearchQuery) {
    const idsBehind = async (after: string, count: number): Promise<string[]> => {
      const { condition, parameters } = conditionOf(filter, caller.role, [caller.orgId, scope.value, after, count]);
      const rows = await this.database.query<{ id: string }>(matching(scope.column, condition), parameters);
      return rows.map(({ id }) => id);
    };
    const isFirst = query.cursor === undefined;
    let ids: readonly string[] | null = null;
    return {
      read: async (after: string | null, count: number): Promise<EndpointRow[]> => {
        ids ??= await idsBehind(after ?? NIL_UUID, Math.max(limitOf(query), isFirst ? MOST_COUNTED : 0) + 1);
        const rest = ids.filter((id) => after === null || id > after);
        const rows: EndpointRow[] = [];
        // Those that were deleted meanwhile are missing: fewer rows would mean that there are no more.
        while (rows.length < count && rest.length > 0) {
          const next = rest.splice(0, count - rows.length);
          rows.push(...(await this.database.query<EndpointRow>(SOME, [caller.orgId, next])));
        }
        return rows;
      },
      total: async (): Promise<number | null> => {
        const counted = isFirst && ids ? ids : await idsBehind(NIL_UUID, MOST_COUNTED + 1);
        return counted.length <= MOST_COUNTED ? counted.length : null;
      },
    };
  }
}

const limitOf = ({ limit }: EndpointSearchQuery): number => limit ?? MAX_PAGE_SIZE;
