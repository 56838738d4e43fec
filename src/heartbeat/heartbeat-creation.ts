import { Injectable } from '@nestjs/common';
import { EndpointService } from '../endpoint/endpoint.service';
import { HEARTBEAT } from '../endpoint/heartbeat/heartbeat-schedule';
import { Database } from '../platform/database/database';
import { FairSemaphore } from '../platform/capacity/fair-semaphore';
import { problems } from '../platform/problem/problem';
import { sqlState } from '../platform/database/postgres-errors';

const UNIQUE_VIOLATION = '23505';

/** What a job that creates its own heartbeat gets: once a day, an hour late at most. */
const DAILY = { every: 86_400, grace: 3600 };

/** Each makes an endpoint: one at a time of an organization. */
const TURNS = { size: 2, share: 1, waiting: Infinity };
const TURN_MS = 10_000;

/** A website by its ping key. */
const WEBSITE = `
  SELECT w.id, w.org_id AS "orgId", o.is_default AS "isDefaultOrg" FROM website w JOIN organization o ON o.id = w.org_id
   WHERE w.ping_key = $1 AND w.deleted_at IS NULL AND o.deleted_at IS NULL`;

/** Heartbeats that a ping makes: `?create=1`. */
@Injectable()
export class HeartbeatCreation {
  private readonly turns = new FairSemaphore(TURNS);

  constructor(
    private readonly database: Database,
    private readonly endpoints: EndpointService,
  ) {}

  /**
   * `null`: there is no such website. `there`: another request was first. Default contacts get it, as with other endpoints. Throws
   * `quota_exceeded`.
   */
  async create({ pingKey, key }: { pingKey: string; key: string }): Promise<'created' | 'there' | null> {
    const [website] = await this.database.query<{ id: string; orgId: string; isDefaultOrg: boolean }>(WEBSITE, [
      pingKey,
    ]);
    if (!website) return null;
    const caller = {
      keyId: null,
      keyName: 'ping',
      person: null,
      role: 'write' as const,
      orgName: '',
      orgId: website.orgId,
      isDefaultOrg: website.isDefaultOrg,
    };
    const fields = { name: key, key, type: HEARTBEAT, heartbeat: DAILY };
    const leave = await this.turns.take(website.orgId, AbortSignal.timeout(TURN_MS));
    if (!leave) throw problems.rateLimited(1);
    try {
      await this.endpoints.create(caller, website.id, fields);
      return 'created';
    } catch (error) {
      if (sqlState(error) === UNIQUE_VIOLATION) return 'there';
      throw error;
    } finally {
      leave();
    }
  }
}
