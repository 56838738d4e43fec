import { Injectable } from '@nestjs/common';
import type { Caller } from '../platform/access/caller';
import { Config } from '../platform/config/config';
import { VERSION } from '../platform/version';
import { Database } from '../platform/database/database';
import { problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { SECOND_MS } from '../platform/time/time-units';
import type { SystemOverloadView, SystemView } from './system.dto';

interface Facts {
  version: string;
  size_bytes: string;
  active_endpoints: number;
  lag_ms: number;
  pending: number;
  oldest_pending_age_seconds: number | null;
  failed: number;
  checks_per_second: number;
  overloaded_since: Date | null;
  overload_ratio: number;
  skipped_per_second: number;
}

/** Reads the state of the installation, which the dashboard shows to its operators. */
@Injectable()
export class SystemService {
  private readonly startedAt: Date;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    clock: Clock,
  ) {
    this.startedAt = new Date(clock.now().getTime() - process.uptime() * SECOND_MS);
  }

  /** Throws: `not_found` unless the caller belongs to the Default organization. */
  async read(caller: Caller): Promise<SystemView> {
    if (!caller.isDefaultOrg) throw problems.notFound();
    const [facts] = await this.database.query<Facts>('SELECT * FROM system_facts, monitoring_load');
    if (!facts) throw problems.storageUnavailable();
    return {
      version: VERSION,
      role: this.config.role,
      started_at: this.startedAt.toISOString(),
      memory_bytes: process.memoryUsage.rss(),
      database: {
        kind: this.config.databaseUrl?.startsWith('postgres') ? 'postgresql' : 'embedded',
        version: facts.version.split(' ')[0] ?? '',
        size_bytes: Number(facts.size_bytes),
      },
      scheduler: {
        active_endpoints: facts.active_endpoints,
        lag_ms: Math.round(facts.lag_ms),
        checks_per_second: tenths(facts.checks_per_second),
        overload: overloadOf(facts),
      },
      outbox: {
        pending: facts.pending,
        oldest_pending_age_seconds: facts.oldest_pending_age_seconds,
        failed: facts.failed,
      },
      retention: { raw_days: this.config.rawRetentionDays, rollup_days: this.config.rollupRetentionDays },
    };
  }
}

function overloadOf(facts: Facts): SystemOverloadView | null {
  if (facts.overloaded_since === null) return null;
  return {
    since: facts.overloaded_since.toISOString(),
    ratio: tenths(facts.overload_ratio),
    skipped_per_second: tenths(facts.skipped_per_second),
  };
}

const tenths = (value: number): number => Math.round(value * 10) / 10;
