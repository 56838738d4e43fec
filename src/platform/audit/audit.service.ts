import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { Cursors } from '../http/cursors';
import type { Page } from '../http/page';
import { type AuditEntryView, type AuditQuery, type AuditRow, parseAuditedId, toAuditEntryView } from './audit.dto';

const LIST = 'audit-log';
const DEFAULT_LIMIT = 50;

/** The audit log of an organization, for reading only. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /** Newest first, one statement. A page that starts at a cursor is not shifted by entries written meanwhile. */
  async list(orgId: string, query: AuditQuery): Promise<Page<AuditEntryView>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const before = this.cursors.decode(orgId, LIST, query.cursor);
    const rows = await this.database.query<AuditRow>(
      `SELECT id, created_at, action, resource, resource_id, changed, before, after, via, key_id, key_name, address, request_id
         FROM audit_log
        WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2) AND ($3::text IS NULL OR resource = $3)
          AND ($4::uuid IS NULL OR resource_id = $4)
          AND ($5::timestamptz IS NULL OR created_at >= $5) AND ($6::timestamptz IS NULL OR created_at < $6)
        ORDER BY id DESC LIMIT $7`,
      [
        orgId,
        before,
        query.resource ?? null,
        parseAuditedId(query.resource_id),
        query.since ?? null,
        query.until ?? null,
        limit + 1,
      ],
    );
    return this.cursors.page(orgId, LIST, rows, limit, (row) => row.id).map(toAuditEntryView);
  }
}
