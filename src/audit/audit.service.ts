import { Injectable } from '@nestjs/common';
import { authorName } from '../platform/access/author';
import { Database } from '../platform/database/database';
import { Cursors, MEDIUM_ROWS } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { parseId } from '../platform/ids/id';
import { type AuditEntryView, type AuditQuery, type AuditRow, parseAuditedId, toAuditEntryView } from './audit.dto';

const LIST = 'audit-log';
const DEFAULT_LIMIT = 50;
/** Cursors for the operator's log are signed with this instead of an organization. */
const OPERATOR = 'operator';

/** Reads the audit log of an organization, and the operator's log. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /**
   * Returns a page, newest first. Entries written later don't shift a page that starts at a cursor. Cost: one
   * statement.
   */
  list(orgId: string, query: AuditQuery): Promise<Page<AuditEntryView>> {
    return this.page(orgId, query, 'audit_log WHERE org_id = $8 AND', [orgId]);
  }

  /** Returns a page of the operator's actions, newest first. Cost: one statement. */
  listOperator(query: AuditQuery): Promise<Page<AuditEntryView>> {
    return this.page(OPERATOR, query, 'operator_audit_log WHERE', []);
  }

  private async page(
    reader: string,
    query: AuditQuery,
    source: string,
    more: readonly string[],
  ): Promise<Page<AuditEntryView>> {
    const page = await this.cursors.paginate({
      orgId: reader,
      list: LIST,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      rowsAtOnce: MEDIUM_ROWS,
      read: (before, count) =>
        this.database.query<AuditRow>(
          `SELECT id, created_at, action, resource, resource_id, changed, before, after, via, key_id, key_name, address,
                  request_id, person_id, ${authorName('NULL', 'person_id')} AS person_name
             FROM ${source} ($1::uuid IS NULL OR id < $1) AND ($2::text IS NULL OR resource = $2)
              AND ($3::uuid IS NULL OR resource_id = $3)
              AND ($7::uuid IS NULL OR person_id = $7)
              AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)
            ORDER BY id DESC LIMIT $6`,
          [
            before,
            query.resource ?? null,
            parseAuditedId(query.resource_id),
            query.since ?? null,
            query.until ?? null,
            count,
            parseId('person', query.person_id),
            ...more,
          ],
        ),
      idOf: (row) => row.id,
    });
    return page.map(toAuditEntryView);
  }
}
