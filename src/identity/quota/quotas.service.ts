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

/** How long `limitOf` may be behind a change by the operator. */
const KNOWN_MS = 5 * SECOND_MS;
const MAX_KNOWN = 10_000;

type Use = Readonly<Record<CountedQuota, number>>;

interface Row extends Use {
  isDefault: boolean;
  overrides: QuotaOverrides;
}

// One row of two small tables by key. Triggers keep the counters: docs/architecture.md.
const READ = `
  SELECT o.is_default AS "isDefault", o.quotas AS overrides, u.websites, u.endpoints, u.alerts, u.api_keys, u.status_pages, u.people, u.probes,
         u.check_rate / 1e6::float8 AS checks_per_second
    FROM organization_use u JOIN organization o ON o.id = u.org_id
   WHERE u.org_id = $1 AND o.deleted_at IS NULL`;

/** How much an organization may have, and has. */
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
   * To be called in the transaction that adds this much, before it does, and after it has locked everything else that it
   * locks: the organization's counters stay locked until it ends, so that of parallel transactions none goes beyond a limit.
   * Throws `quota_exceeded`, and `not_found` for an organization that is being deleted. Returns the limits.
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

  /** The organization's limit, up to five seconds old; `null` without one. */
  async limitOf(orgId: string, name: QuotaName): Promise<number | null> {
    const known = this.known.get(orgId);
    const now = this.clock.monotonic();
    if (known && now - known.at < KNOWN_MS) return known.limits[name];
    const { limits } = await this.read(this.database, orgId);
    this.known.set(orgId, { at: now, limits });
    return limits[name];
  }

  /** Limit and use of everything; `used` is `null` for what the database does not count. */
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

  /** Limits and what the database counts, as they are now. */
  async read(sql: Sql, orgId: string): Promise<{ limits: Limits; use: Use }> {
    const [row] = await sql.query<Row>(READ, [orgId]);
    if (!row) throw problems.notFound();
    const { isDefault, overrides, ...use } = row;
    return { limits: limitsOf({ isDefault, overrides }, this.config), use };
  }
}
