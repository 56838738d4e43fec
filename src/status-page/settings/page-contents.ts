import { Injectable } from '@nestjs/common';
import { Database, type Sql } from '../../platform/database/database';
import { parseId } from '../../platform/ids/id';
import type { FieldProblem } from '../../platform/problem/problem';
import type { PageGroup } from '../page-groups';
import type { CreatePageGroupDto, PublicPageRow } from './public-page.dto';

/** The limits of a page for all its groups combined, both for what is shown and for what is read. */
const MOST = { endpoints: 200, websites: 100 } as const;
const KINDS = ['endpoints', 'websites'] as const;

const EXISTING = `
  SELECT e.id FROM endpoint e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
   WHERE e.org_id = $1 AND e.id = ANY ($2::uuid[])
   UNION ALL
  SELECT id FROM website WHERE org_id = $1 AND id = ANY ($3::uuid[]) AND deleted_at IS NULL`;

type Grouped = Pick<PublicPageRow, 'website_id' | 'groups'>;

/** Finds the contents of pages: existing endpoints and websites of the organization. */
@Injectable()
export class PageContents {
  constructor(private readonly database: Database) {}

  /** Returns the groups of each page, without deleted resources. */
  async of(orgId: string, pages: readonly Grouped[], sql: Sql = this.database): Promise<PageGroup[][]> {
    const groups = pages.map(groupsOf);
    const existing = await this.existing(sql, orgId, groups.flat());
    return groups.map((list) =>
      list.map(({ name, endpoints, websites }) => ({
        name,
        endpoints: endpoints.filter((id) => existing.has(id)),
        websites: websites.filter((id) => existing.has(id)),
      })),
    );
  }

  /**
   * Returns the problems with the new groups of pages. Resources of another organization are reported as missing. Cost:
   * one statement.
   */
  async problemsOf(sql: Sql, orgId: string, pages: readonly (readonly PageGroup[])[]): Promise<FieldProblem[][]> {
    const existing = await this.existing(sql, orgId, pages.flat());
    return pages.map((groups) => [...tooMany(groups), ...missing(groups, existing)]);
  }

  private async existing(sql: Sql, orgId: string, groups: readonly PageGroup[]): Promise<Set<string>> {
    const rows = await sql.query<{ id: string }>(EXISTING, [
      orgId,
      groups.flatMap((group) => group.endpoints),
      groups.flatMap((group) => group.websites),
    ]);
    return new Set(rows.map(({ id }) => id));
  }
}

/** Returns a problem for each kind of resource that exceeds the limit of a page. */
export const tooMany = (groups: readonly PageGroup[]): FieldProblem[] =>
  KINDS.filter((kind) => groups.reduce((sum, group) => sum + group[kind].length, 0) > MOST[kind]).map((kind) => {
    const message = `groups must have at most ${MOST[kind]} ${kind} in total`;
    return { pointer: '/groups', code: 'out_of_range', message };
  });

const missing = (groups: readonly PageGroup[], existing: ReadonlySet<string>): FieldProblem[] =>
  KINDS.flatMap((kind) =>
    groups.flatMap((group, at) =>
      group[kind].flatMap((id, index): FieldProblem[] => {
        if (existing.has(id)) return [];
        const message = `this ${kind.slice(0, -1)} does not exist; choose one that exists`;
        return [{ pointer: `/groups/${at}/${kind}/${index}`, code: 'invalid_format', message }];
      }),
    ),
  );

/** The page of a website shows that website until groups are added. */
const groupsOf = ({ website_id, groups }: Grouped): PageGroup[] =>
  groups ?? [{ name: '', endpoints: [], websites: website_id === null ? [] : [website_id] }];

/** Returns the stored form of groups whose IDs are valid. */
export const toPageGroups = (groups: readonly CreatePageGroupDto[]): PageGroup[] =>
  groups.map(({ name = '', endpoints = [], websites = [] }) => ({
    name: name.trim(),
    endpoints: endpoints.flatMap((id) => parseId('endpoint', id) ?? []),
    websites: websites.flatMap((id) => parseId('website', id) ?? []),
  }));
