import { Injectable } from '@nestjs/common';
import { IncidentAdoption } from '../../incident/incident-adoption';
import { WorkerDatabase } from '../../platform/database/database';
import { MissingDestinations } from './missing-destinations';

/**
 * Repairs that a consistency check makes before it compares anything. They fix leftovers of an older version or a lost
 * key.
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
