import { Injectable } from '@nestjs/common';

/**
 * The state of one part of the service. `fatal` means that only a restart helps (liveness). Without it, traffic should
 * be sent elsewhere.
 */
export interface HealthFinding {
  ok: boolean;
  fatal?: boolean;
  detail?: string;
}

/** The response: 200 if `ok`, otherwise 503. */
export interface HealthReport {
  ok: boolean;
  body: { status: 'ok' | 'failing'; details: Readonly<Record<string, Pick<HealthFinding, 'ok' | 'detail'>>> };
}

type Part = () => HealthFinding;

/** The service's health. Its parts register themselves. */
@Injectable()
export class Health {
  private readonly parts = new Map<string, Part>();
  private leaving = false;
  private stopping = false;
  private readonly asked = new Map<string, () => Promise<HealthFinding>>();

  /** Registers a part that is called for every health request. It must be cheap and must not throw. */
  register(name: string, part: Part): void {
    this.parts.set(name, part);
  }

  /** Registers a part that is called for every readiness check. It must not reject. */
  registerAsked(name: string, part: () => Promise<HealthFinding>): void {
    this.asked.set(name, part);
  }

  /**
   * Marks the service as not ready. It still serves requests, so that load balancers stop sending them before any are
   * rejected.
   */
  leave(): void {
    this.leaving = true;
  }

  /** Makes the service reject API requests as well. */
  drain(): void {
    this.leave();
    this.stopping = true;
  }

  get isLeaving(): boolean {
    return this.leaving;
  }

  get draining(): boolean {
    return this.stopping;
  }

  /** Returns the liveness report, which fails only if a restart is needed. */
  live(): HealthReport {
    const failed = this.findings().filter(([, finding]) => !finding.ok && finding.fatal === true);
    return reportOf(failed.length === 0, failed);
  }

  /** Returns the readiness report, which shows whether the service is usable now. */
  async ready(): Promise<HealthReport> {
    const findings = this.findings();
    for (const [name, part] of this.asked) findings.push([name, await part()]);
    if (this.leaving) findings.push(['process', { ok: false, detail: 'shutting down' }]);
    return reportOf(
      findings.every(([, finding]) => finding.ok),
      findings,
    );
  }

  private findings(): [string, HealthFinding][] {
    return [...this.parts].map(([name, part]) => [name, part()]);
  }
}

function reportOf(ok: boolean, findings: [string, HealthFinding][]): HealthReport {
  const details = Object.fromEntries(
    findings.map(([name, { ok: isOk, detail }]) => [name, detail === undefined ? { ok: isOk } : { ok: isOk, detail }]),
  );
  return { ok, body: { status: ok ? 'ok' : 'failing', details } };
}
