import { Injectable } from '@nestjs/common';

/**
 * The state of one part of the service. `fatal` means that only a restart helps (liveness). Otherwise traffic should go
 * elsewhere.
 */
export interface HealthFinding {
  ok: boolean;
  fatal?: boolean;
  detail?: string;
}

/** The response: 200 if `ok`, else 503. */
export interface HealthReport {
  ok: boolean;
  body: { status: 'ok' | 'failing'; details: Readonly<Record<string, Pick<HealthFinding, 'ok' | 'detail'>>> };
}

type Part = () => HealthFinding;

/** The health of the service. Its parts register themselves. */
@Injectable()
export class Health {
  private readonly parts = new Map<string, Part>();
  private leaving = false;
  private stopping = false;
  private readonly asked = new Map<string, () => Promise<HealthFinding>>();

  /** Registers a part that is called on every probe. It must be cheap and must not throw. */
  register(name: string, part: Part): void {
    this.parts.set(name, part);
  }

  /** Registers a part that is called for each readiness check. It must not reject. */
  registerAsked(name: string, part: () => Promise<HealthFinding>): void {
    this.asked.set(name, part);
  }

  /** Makes the service not ready. It still serves, so that load balancers stop sending before anything is refused. */
  leave(): void {
    this.leaving = true;
  }

  /** Makes the service refuse API requests as well. */
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

  /** Returns the readiness report, which shows whether the service can be used now. */
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
