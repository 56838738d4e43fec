import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { Cursors } from '../../platform/http/cursors';
import { publicPathOf } from '../../platform/http/own-address';
import type { Page, PageQuery } from '../../platform/http/page';
import { newUuid, NIL_UUID, parseId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { DAY_MS } from '../../platform/time/time-units';
import { DEFAULT_TARGET } from '../uptime/report.dto';
import { ReportService } from '../uptime/report.service';
import {
  type CreatedReportLinkView,
  type CreateReportLinkDto,
  DEFAULT_DAYS,
  type ReportLinkRow,
  type ReportLinkView,
  toReportLinkView,
} from './report-link.dto';

/** The maximum number of links of an organization, including expired ones that are still listed. */
const MAX_LINKS = 100;
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;
const TITLE = 'Uptime report';

const COLUMNS = 'id, org_id, title, month, timezone, target, website_id, tag, created_at, expires_at';
const PAGE = `SELECT ${COLUMNS} FROM report_link WHERE org_id = $1 AND id > $2 ORDER BY id LIMIT $3`;
const LOCK = 'SELECT 1 FROM organization WHERE id = $1 FOR NO KEY UPDATE';
const COUNT = 'SELECT count(*)::integer AS used FROM report_link WHERE org_id = $1';
const INSERT = `
  INSERT INTO report_link (id, org_id, hash, title, month, timezone, target, website_id, tag, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${COLUMNS}`;
const REMOVE = `DELETE FROM report_link WHERE org_id = $1 AND id = $2 RETURNING ${COLUMNS}`;
const FIND = `
  SELECT ${COLUMNS.replace(/\w+/g, 'l.$&')} FROM report_link l JOIN organization o ON o.id = l.org_id AND o.deleted_at IS NULL
   WHERE l.hash = $1 AND l.expires_at > $2`;

/**
 * Manages links through which anyone can read one report, without an account. Only a hash of the token is stored, so a
 * link can't be shown again.
 */
@Injectable()
export class ReportLinkService {
  constructor(
    private readonly database: Database,
    private readonly reports: ReportService,
    private readonly cursors: Cursors,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Oldest first. */
  async list(orgId: string, { cursor, limit = MAX_LINKS }: PageQuery): Promise<Page<ReportLinkView>> {
    const page = await this.cursors.paginate<ReportLinkRow>({
      orgId,
      list: 'report-links',
      cursor,
      limit,
      read: (after, count) => this.database.query(PAGE, [orgId, after ?? NIL_UUID, count]),
      idOf: ({ id }) => id,
      total: () => this.count(orgId),
    });
    return page.map(toReportLinkView);
  }

  /**
   * Creates a link. Throws: `not_found` if links are turned off or the website is unknown, `quota_exceeded`, and
   * `validation_failed` for a selection that has no report.
   */
  async create(orgId: string, dto: CreateReportLinkDto): Promise<CreatedReportLinkView> {
    if (!this.config.reportLinks)
      throw problems.conflict('Links to reports are turned off. Ask the operator to set REPORT_LINKS.');
    const { website_id: website, ...selection } = dto;
    const month = await this.reports.check(orgId, { ...selection, ...(website && { website_id: website }) });
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const now = this.clock.now();
    const row = await this.database.transaction(async (tx) => {
      await tx.query(LOCK, [orgId]);
      const [{ used } = { used: 0 }] = await tx.query<{ used: number }>(COUNT, [orgId]);
      if (used >= MAX_LINKS)
        throw problems.conflict(`An organization may have at most ${MAX_LINKS} links to reports. Delete some first.`);
      const [stored] = await tx.query<ReportLinkRow>(INSERT, [
        newUuid(),
        orgId,
        hashOf(token),
        dto.title?.trim() ?? TITLE,
        month.name,
        month.timeZone,
        dto.target ?? DEFAULT_TARGET,
        website ? parseId('website', website) : null,
        dto.tag ?? null,
        now,
        new Date(now.getTime() + (dto.expires_in_days ?? DEFAULT_DAYS) * DAY_MS),
      ]);
      if (!stored) throw new Error('the link was not stored');
      await recordChange(tx, { ...about(orgId, stored.id), action: 'create', after: toReportLinkView(stored) });
      return stored;
    });
    return { ...toReportLinkView(row), path: `${publicPathOf(this.config.publicUrl)}/reports/${token}` };
  }

  /** Deletes a link, which stops working on this instance at once, and on others within a minute. Throws: `not_found`. */
  async remove(orgId: string, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [row] = await tx.query<ReportLinkRow>(REMOVE, [orgId, id]);
      if (!row) throw problems.notFound();
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before: toReportLinkView(row) });
    });
  }

  /** Returns the link with this token, or `null` if it is unknown, deleted, or expired. Cost: one index lookup. */
  async find(token: string): Promise<ReportLinkRow | null> {
    if (!TOKEN.test(token) || !this.config.reportLinks) return null;
    const [row] = await this.database.query<ReportLinkRow>(FIND, [hashOf(token), this.clock.now()]);
    return row ?? null;
  }

  private async count(orgId: string): Promise<number> {
    const [row] = await this.database.query<{ used: number }>(COUNT, [orgId]);
    return row?.used ?? 0;
  }
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

const about = (orgId: string, id: string) => ({ orgId, resource: 'report_link', id }) as const;
