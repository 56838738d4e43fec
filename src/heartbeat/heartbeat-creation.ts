import { Injectable } from '@nestjs/common';
import { EndpointService } from '../endpoint/endpoint.service';
import { HEARTBEAT } from '../endpoint/heartbeat/heartbeat-schedule';
import { Database } from '../platform/database/database';
import { FairSemaphore } from '../platform/capacity/fair-semaphore';
import { TokenBuckets } from '../platform/capacity/token-bucket';
import { Config } from '../platform/config/config';
import { problems } from '../platform/problem/problem';
import { ChangeQuota } from '../identity/quota/change-quota.service';
import { Clock } from '../platform/time/clock';
import { sqlState } from '../platform/database/postgres-errors';

const UNIQUE_VIOLATION = '23505';

/** The schedule of a heartbeat that a job creates: once a day, with an hour of grace time. */
const DAILY = { every: 86_400, grace: 3600 };

/** Limits each organization to creating one endpoint at a time. */
const TURNS = { size: 2, share: 1, waiting: Infinity };
const TURN_MS = 10_000;

/** The limits for one website. Its ping key is in crontabs and build logs, and each new heartbeat may page someone. */
const AT_ONCE = { rate: 1, burst: 1 };
const A_DAY = { rate: 100 / 86_400, burst: 100 };

interface WebsiteRow {
  id: string;
  orgId: string;
  isDefaultOrg: boolean;
  /** True if another request has created it. */
  isThere: boolean;
}

const WEBSITE = `
  SELECT w.id, w.org_id AS "orgId", o.is_default AS "isDefaultOrg",
         EXISTS (SELECT FROM endpoint e WHERE e.org_id = w.org_id AND e.website_id = w.id AND e.external_key = $2) AS "isThere"
    FROM website w JOIN organization o ON o.id = w.org_id
   WHERE w.ping_key = $1 AND w.deleted_at IS NULL AND o.deleted_at IS NULL`;

/** Creates heartbeats for pings with `?create=1`. */
@Injectable()
export class HeartbeatCreation {
  private readonly turns = new FairSemaphore(TURNS);
  private readonly atOnce: TokenBuckets;
  private readonly aDay: TokenBuckets;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly endpoints: EndpointService,
    private readonly changes: ChangeQuota,
    clock: Clock,
  ) {
    const monotonic = (): number => clock.monotonic();
    this.atOnce = new TokenBuckets(AT_ONCE.rate, AT_ONCE.burst, monotonic);
    this.aDay = new TokenBuckets(A_DAY.rate, A_DAY.burst, monotonic);
  }

  /**
   * Creates a heartbeat. Returns `null` if the website does not exist or PING_CREATE=off, and `there` if another
   * request was first. Default contacts are added, as for other endpoints. It counts as an API change, because such
   * requests are rare. Throws: `rate_limited`, `quota_exceeded`.
   */
  async create(orgId: string, target: { pingKey: string; key: string }): Promise<'created' | 'there' | null> {
    if (!this.config.pingCreate) return null;
    const leave = await this.turns.take(orgId, AbortSignal.timeout(TURN_MS));
    if (!leave) throw problems.rateLimited(1);
    try {
      return await this.createInTurn(target);
    } finally {
      leave();
    }
  }

  private async createInTurn({ pingKey, key }: { pingKey: string; key: string }): Promise<'created' | 'there' | null> {
    const [website] = await this.database.query<WebsiteRow>(WEBSITE, [pingKey, key]);
    if (!website) return null;
    if (website.isThere) return 'there';
    await this.changes.require(website.orgId);
    this.count(website.id);
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
    try {
      await this.endpoints.create(caller, website.id, fields);
      return 'created';
    } catch (error) {
      if (sqlState(error) === UNIQUE_VIOLATION) return 'there';
      throw error;
    }
  }

  /** Throws: `rate_limited`. */
  private count(websiteId: string): void {
    const wait = Math.max(this.atOnce.waitFor(websiteId), this.aDay.waitFor(websiteId));
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    this.atOnce.take(websiteId);
    this.aDay.take(websiteId);
  }
}
