import { Injectable } from '@nestjs/common';
import { IncidentAdoption } from '../../incident/incident-adoption';
import { WorkerDatabase } from '../../platform/database/database';
import { MissingDestinations } from './missing-destinations';

/** What a consistency check puts right before it compares anything: what an older version or a lost key left behind. */
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
