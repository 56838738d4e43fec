import { Injectable } from '@nestjs/common';

/** The state of one part of the service. `fatal`: only a restart helps (liveness); otherwise traffic should go elsewhere. */
export interface HealthFinding {
  ok: boolean;
  fatal?: boolean;
  detail?: string;
}

/** What is answered: 200 when `ok`, else 503. */
export interface HealthReport {
  ok: boolean;
  body: { status: 'ok' | 'failing'; details: Readonly<Record<string, Pick<HealthFinding, 'ok' | 'detail'>>> };
}

type Part = () => HealthFinding;

/** The health of the service by its parts, which register themselves. */
@Injectable()
export class Health {
  private readonly parts = new Map<string, Part>();
  private leaving = false;
  private stopping = false;
  private readonly asked = new Map<string, () => Promise<HealthFinding>>();

  /** `part` is called on every probe: it must be cheap and must not throw. */
  register(name: string, part: Part): void {
    this.parts.set(name, part);
  }

  /** `part` is asked whenever somebody wants to know whether the service is ready; it must not reject. */
  registerAsked(name: string, part: () => Promise<HealthFinding>): void {
    this.asked.set(name, part);
  }

  /** From now on the service is not ready, but it still serves: load balancers stop sending before anything is refused. */
  leave(): void {
    this.leaving = true;
  }

  /** From now on the service refuses requests of the API as well. */
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

  /** Whether it lives: what only a restart helps. */
  live(): HealthReport {
    const failed = this.findings().filter(([, finding]) => !finding.ok && finding.fatal === true);
    return reportOf(failed.length === 0, failed);
  }

  /** Whether it can be used now. */
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
