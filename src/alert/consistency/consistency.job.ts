import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Config } from '../../platform/config/config';
import { WorkerDatabase } from '../../platform/database/database';
import { Health } from '../../platform/observability/health';
import { Metrics } from '../../platform/observability/metrics';
import { INCONSISTENCY_KINDS, checkConsistency, type Inconsistency, repairForgotten } from './consistency-check';
import { DatabaseClock } from '../../platform/database/database-clock';
import { Heartbeat } from '../../platform/observability/heartbeat';

/** Events looked at in each audit; a fault is therefore reported for this long. */
const WINDOW_MS = 3_600_000;
/** Deliveries look every second: work that lies about this long means that they are stuck. Found within two minutes. */
const OVERDUE_MS = 60_000;

/**
 * Once a minute compares flags, events and owed messages, repairs what is safe and raises the rest in log, metrics and
 * health. While it passes, the heartbeat goes out.
 */
@Injectable()
export class ConsistencyJob implements OnModuleInit {
  private readonly logger = new Logger(ConsistencyJob.name);
  private readonly findings;
  private readonly passedAt;
  private detail = 'not audited yet';
  private reported = '';
  private running = false;

  constructor(
    private readonly config: Config,
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly heartbeat: Heartbeat,
    private readonly health: Health,
    metrics: Metrics,
  ) {
    this.findings = metrics.gauge({
      name: 'uptime_audit_findings',
      help: 'Disagreements between alerts, events and owed messages, by kind; 0 when all is well.',
      labelNames: ['kind'],
    });
    this.passedAt = metrics.gauge({
      name: 'uptime_audit_passed_timestamp_seconds',
      help: 'When the last audit without findings ended, in seconds since the epoch.',
    });
  }

  onModuleInit(): void {
    if (this.config.role !== 'api') this.health.register('audit', () => ({ ok: true, detail: this.detail }));
  }

  @Cron(CronExpression.EVERY_MINUTE, { name: 'alert-audit' })
  async tick(): Promise<void> {
    if (this.config.role === 'api' || this.running) return;
    this.running = true;
    try {
      const findings = await this.run();
      if (findings.length === 0) await this.heartbeat.beat();
    } catch (error) {
      this.detail = 'could not run';
      this.logger.error(`the audit could not run: ${String(error)}`);
    } finally {
      this.running = false;
    }
  }

  /** One audit with its repairs. What it answers is what is wrong still. */
  async run(): Promise<Inconsistency[]> {
    const now = this.clock.now();
    const found = await checkConsistency(this.database, {
      since: new Date(now.getTime() - WINDOW_MS),
      now,
      overdueMs: OVERDUE_MS,
    });
    const forgotten = found.find(({ kind }) => kind === 'message_forgotten');
    if (forgotten) {
      await repairForgotten(this.database, now);
      this.logger.warn(`${forgotten.count} owed messages had been forgotten and are taken up now`);
    }
    const findings = found.filter((finding) => finding !== forgotten);
    this.raise(findings, now);
    return findings;
  }

  private raise(findings: readonly Inconsistency[], now: Date): void {
    for (const kind of INCONSISTENCY_KINDS) {
      this.findings.set({ kind }, findings.find((finding) => finding.kind === kind)?.count ?? 0);
    }
    const text = findings.map(({ kind, count }) => `${kind}: ${count}`).join(', ');
    this.detail = text === '' ? 'passed' : text;
    if (text === '') this.passedAt.set(now.getTime() / 1000);
    else if (text !== this.reported) this.logger.error(`the audit found ${describe(findings)}`);
    this.reported = text;
  }
}

const describe = (findings: readonly Inconsistency[]): string =>
  findings.map(({ kind, count, samples }) => `${kind} ${count} times (${samples.join(' ')})`).join('; ');
