import { Injectable } from '@nestjs/common';
import { Config } from '../config/config';
import { Database } from '../database/database';
import { Health, type HealthFinding } from './health';

/** Runs a real query to check whether the database responds. */
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

  /**
   * Runs one query at a time and shares its result, because anyone may request the health check as often as they like.
   */
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
