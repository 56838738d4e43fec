import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';

/** Knows the time zone in which an organization counts days and months. */
@Injectable()
export class OrganizationZones {
  constructor(private readonly database: Database) {}

  /** Returns an IANA time zone. Cost: a lookup by key. */
  async of(orgId: string): Promise<string> {
    const [row] = await this.database.query<{ zone: string }>(
      'SELECT timezone AS zone FROM organization WHERE id = $1',
      [orgId],
    );
    return row?.zone ?? 'UTC';
  }
}
