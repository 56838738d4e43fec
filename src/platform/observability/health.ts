import { Injectable } from '@nestjs/common';
import type { Response } from 'express';

/** The state of one part of the service. `fatal`: only a restart helps (liveness); otherwise traffic should go elsewhere. */
export interface HealthFinding {
  ok: boolean;
  fatal?: boolean;
  detail?: string;
}

type Part = () => HealthFinding;

/** The health of the service by its parts, which register themselves. */
@Injectable()
export class Health {
  private readonly parts = new Map<string, Part>();
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

  /** From now on the service is not ready: load balancers stop sending before the listener closes. */
  drain(): void {
    this.stopping = true;
  }

  get draining(): boolean {
    return this.stopping;
  }

  sendLive(response: Response): void {
    const failed = this.findings().filter(([, finding]) => !finding.ok && finding.fatal === true);
    this.write(response, failed.length === 0, failed);
  }

  async sendReady(response: Response): Promise<void> {
    const findings = this.findings();
    for (const [name, part] of this.asked) findings.push([name, await part()]);
    if (this.stopping) findings.push(['process', { ok: false, detail: 'shutting down' }]);
    this.write(
      response,
      findings.every(([, finding]) => finding.ok),
      findings,
    );
  }

  private findings(): [string, HealthFinding][] {
    return [...this.parts].map(([name, part]) => [name, part()]);
  }

  private write(response: Response, ok: boolean, findings: [string, HealthFinding][]): void {
    const details = Object.fromEntries(
      findings.map(([name, { ok, detail }]) => [name, detail === undefined ? { ok } : { ok, detail }]),
    );
    response.status(ok ? 200 : 503).json({ status: ok ? 'ok' : 'failing', details });
  }
}
