import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Config } from '../../platform/config/config';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { SECOND_MS } from '../../platform/time/time-units';
import { ChangedBytes } from './changed-bytes.service';
import {
  COUNTED_QUOTAS,
  type CountedQuota,
  type Limits,
  limitsOf,
  QUOTA_NAMES,
  type QuotaName,
  type QuotaOverrides,
  refusalOf,
} from './quotas';

/** The maximum delay until `limitOf` reflects a change by the operator. */
const KNOWN_MS = 5 * SECOND_MS;
const MAX_KNOWN = 10_000;

type Use = Readonly<Record<CountedQuota, number>>;

interface Row extends Use {
  isDefault: boolean;
  overrides: QuotaOverrides;
}

// Cost: one row by key from each of two small tables. Triggers maintain the counters (see docs/contributing/architecture.md).
const READ = `
  SELECT o.is_default AS "isDefault", o.quotas AS overrides, u.websites, u.endpoints, u.alerts, u.api_keys, u.status_pages, u.people, u.probes,
         u.check_rate / 1e6::float8 AS checks_per_second
    FROM organization_use u JOIN organization o ON o.id = u.org_id
   WHERE u.org_id = $1 AND o.deleted_at IS NULL`;

/** Reads and enforces organizations' quotas. */
@Injectable()
export class Quotas {
  private readonly known = new BoundedMap<string, { at: number; limits: Limits }>(MAX_KNOWN);

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly changed: ChangedBytes,
  ) {}

  /**
   * Claims quota for rows that a transaction will add. Call it before adding the rows and after taking all other locks.
   * The organization's counters stay locked until the transaction ends, so that parallel transactions can't exceed a
   * limit. Throws `quota_exceeded`, and `not_found` for an organization that is being deleted. Returns the limits.
   */
  async claim(tx: Tx, orgId: string, wanted: Readonly<Partial<Record<CountedQuota, number>>>): Promise<Limits> {
    const [row] = await tx.query<Row>(`${READ} FOR NO KEY UPDATE OF u`, [orgId]);
    if (!row) throw problems.notFound();
    const limits = limitsOf(row, this.config);
    for (const name of COUNTED_QUOTAS) {
      const refusal = refusalOf(name, limits[name], row[name], wanted[name] ?? 0);
      if (refusal) throw refusal;
    }
    return limits;
  }

  /** Returns the organization's limit, up to five seconds old, or `null` if there is no limit. */
  async limitOf(orgId: string, name: QuotaName): Promise<number | null> {
    const known = this.known.get(orgId);
    const now = this.clock.monotonic();
    if (known && now - known.at < KNOWN_MS) return known.limits[name];
    const { limits } = await this.read(this.database, orgId);
    this.known.set(orgId, { at: now, limits });
    return limits[name];
  }

  /** Returns the limit and current use of each quota. `used` is `null` for quotas that the database does not count. */
  async usage(orgId: string): Promise<Record<QuotaName, { limit: number | null; used: number | null }>> {
    const { limits, use } = await this.read(this.database, orgId);
    const known: Partial<Record<QuotaName, number>> = {
      ...use,
      changed_bytes_per_day: await this.changed.today(orgId),
    };
    return Object.fromEntries(
      QUOTA_NAMES.map((name) => [name, { limit: limits[name], used: known[name] ?? null }]),
    ) as Record<QuotaName, { limit: number | null; used: number | null }>;
  }

  /** Returns the current limits and the counts from the database. */
  async read(sql: Sql, orgId: string): Promise<{ limits: Limits; use: Use }> {
    const [row] = await sql.query<Row>(READ, [orgId]);
    if (!row) throw problems.notFound();
    const { isDefault, overrides, ...use } = row;
    return { limits: limitsOf({ isDefault, overrides }, this.config), use };
  }
}
