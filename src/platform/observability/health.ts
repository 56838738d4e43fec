import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Config } from '../config/config';
import { Database } from '../database/database';

/** The state of one part of the service. `fatal`: only a restart helps (liveness); otherwise traffic should go elsewhere. */
export interface HealthFinding {
  ok: boolean;
  fatal?: boolean;
  detail?: string;
}

type Part = () => HealthFinding;

/** The health of the service by its parts. Parts register themselves; the database is asked by a real query. */
@Injectable()
export class Health {
  private readonly parts = new Map<string, Part>();
  private stopping = false;
  private asking: Promise<HealthFinding> | null = null;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  /** `part` is called on every probe: it must be cheap and must not throw. */
  register(name: string, part: Part): void {
    this.parts.set(name, part);
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
    findings.push(['database', await this.databaseFinding()]);
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

  /** One question at a time, for all who ask meanwhile: anybody may ask, as often as they like. */
  private databaseFinding(): Promise<HealthFinding> {
    this.asking ??= this.askDatabase().finally(() => (this.asking = null));
    return this.asking;
  }

  private async askDatabase(): Promise<HealthFinding> {
    try {
      await this.database.query('SELECT 1');
      return { ok: true, detail: this.config.databaseUrl?.startsWith('postgres') ? 'postgresql' : 'embedded' };
    } catch {
      return { ok: false, detail: 'does not answer' };
    }
  }

  private write(response: Response, ok: boolean, findings: [string, HealthFinding][]): void {
    const details = Object.fromEntries(
      findings.map(([name, { ok, detail }]) => [name, detail === undefined ? { ok } : { ok, detail }]),
    );
    response.status(ok ? 200 : 503).json({ status: ok ? 'ok' : 'failing', details });
  }
}
