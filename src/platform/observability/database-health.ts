import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { Health, type HealthFinding } from './health';

/** Asks the database by a real query whether it answers. */
@Injectable()
export class DatabaseHealth {
  private asking: Promise<HealthFinding> | null = null;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    health: Health,
  ) {
    health.registerAsked('database', () => this.finding());
  }

  /** One question at a time, for all who ask meanwhile: anybody may ask, as often as they like. */
  private finding(): Promise<HealthFinding> {
    this.asking ??= this.ask().finally(() => (this.asking = null));
    return this.asking;
  }

  private async ask(): Promise<HealthFinding> {
    try {
      await this.database.query('SELECT 1');
      return { ok: true, detail: this.config.databaseUrl?.startsWith('postgres') ? 'postgresql' : 'embedded' };
    } catch {
      return { ok: false, detail: 'does not answer' };
    }
  }
}
