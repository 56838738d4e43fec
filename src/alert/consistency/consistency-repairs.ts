import { Injectable } from '@nestjs/common';
import { IncidentAdoption } from '../../incident/incident-adoption';
import { WorkerDatabase } from '../../platform/database/database';
import { MissingDestinations } from './missing-destinations';

/**
 * Repairs that run before the consistency check compares anything. They fix data left behind by an older version or a
 * lost key.
 */
@Injectable()
export class ConsistencyRepairs {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly destinations: MissingDestinations,
    private readonly incidents: IncidentAdoption,
  ) {}

  async run(): Promise<void> {
    await this.destinations.write(this.database);
    await this.incidents.run();
  }
}
