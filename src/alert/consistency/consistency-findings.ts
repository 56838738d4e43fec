import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { Health } from '../../platform/observability/health';
import { Metrics } from '../../platform/observability/metrics';
import { Clock } from '../../platform/time/clock';
import { SECOND_MS } from '../../platform/time/time-units';
import { type Inconsistency, INCONSISTENCY_KINDS } from './consistency-check';

/** Reports the findings of the consistency check in the log, metrics, and health. */
@Injectable()
export class ConsistencyFindings {
  private readonly logger = new Logger(ConsistencyFindings.name);
  private readonly findings;
  private readonly passedAt;
  private detail = 'not checked yet';
  private reported = '';

  constructor(config: Config, health: Health, metrics: Metrics, clock: Clock) {
    this.findings = metrics.gauge({
      name: 'uptime_audit_findings',
      help: 'Inconsistencies between alerts, events, and pending deliveries, by kind. 0 if there are none.',
      labelNames: ['kind'],
    });
    this.passedAt = metrics.gauge({
      name: 'uptime_audit_passed_timestamp_seconds',
      help: 'The time when the last consistency check without findings ended, in seconds since the epoch. Before the first one, the start time of the process.',
    });
    if (config.role === 'api') return;
    for (const kind of INCONSISTENCY_KINDS) this.findings.set({ kind }, 0);
    this.passedAt.set(clock.now().getTime() / SECOND_MS);
    health.register('audit', () => ({ ok: true, detail: this.detail }));
  }

  /** Replaces the findings of the previous check. Logs them only if they changed. */
  publish(findings: readonly Inconsistency[], now: Date): void {
    for (const kind of INCONSISTENCY_KINDS) {
      this.findings.set({ kind }, findings.find((finding) => finding.kind === kind)?.count ?? 0);
    }
    const text = findings.map(({ kind, count }) => `${kind}: ${count}`).join(', ');
    this.detail = text === '' ? 'passed' : text;
    if (text === '') this.passedAt.set(now.getTime() / SECOND_MS);
    else if (text !== this.reported) this.logger.error(`the consistency check found ${describe(findings)}`);
    this.reported = text;
  }

  /** Reports that the check itself failed to run. */
  couldNotRun(): void {
    this.detail = 'could not run';
  }
}

const describe = (findings: readonly Inconsistency[]): string =>
  findings.map(({ kind, count, samples }) => `${kind} ${count} times (${samples.join(' ')})`).join('; ');
