import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Extension } from '../../../src/extension/extension';
import { OrganizationPurgeJob } from '../../../src/identity/organization/organization-purge.job';
import { OrganizationService } from '../../../src/identity/organization/organization.service';
import type { Config } from '../../../src/platform/config/config';
import { Database, type Sql } from '../../../src/platform/database/database';
import { Clock } from '../../../src/platform/time/clock';
import { type Service, type ServiceOrganization, startExactly } from '../../../packages/testing/service/start-service';
import { freshDatabase } from '../database/database';
import { checkInvariants } from './invariants';
import { counted, leaveSharedService, type SharedService, sharedService } from './shared-services';

/** A service as a spec uses it. `admin`, `write`, and `read` are keys for the organization `orgId`. */
export interface TestApp extends Service {
  /** The UUID of the spec's organization. */
  readonly orgId: string;
}

/** Settings that many specs need and that make no difference to the others. */
const SHARED = {
  egressPrivate: 'allow',
  rawRetentionDays: 100,
  statusPageDomains: 'allow',
  statusRateLimitPerSecond: 0,
} as const satisfies Partial<Config>;

/**
 * Returns an organization on a service with these settings. Other specs with the same settings use the same service
 * before and after this one, but never at the same time. The organization isn't the Default organization. Call this in
 * `beforeAll`, and call `close()` in `afterAll`, which removes the organization. Don't count resources across the
 * installation, move the service's clock, or stop the service. For that, use `startOwnApp`.
 */
export async function startApp(overrides: Partial<Config> = {}): Promise<TestApp> {
  const settings = { ...SHARED, ...overrides };
  const key = JSON.stringify(Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)));
  const shared = await sharedService(key, () => Shared.start(settings));
  const tenant = await shared.tenant();
  tenant.onClose(() => leaveSharedService(key));
  return tenant;
}

/**
 * Returns a separate service with a separate database (embedded in memory, or PostgreSQL with TEST_DATABASE_URL),
 * started by the test kit's `startService`. With `durable`, it can be restarted. The organization is the Default
 * organization.
 */
export async function startOwnApp(
  overrides: Partial<Config> = {},
  { durable = false, extensions = [] }: { durable?: boolean; extensions?: readonly Extension[] } = {},
): Promise<TestApp> {
  const database = await freshDatabase();
  const directory =
    durable && database.url.startsWith('embedded:') ? await mkdtemp(join(tmpdir(), 'uptime-test-')) : null;
  const kept = directory === null ? {} : { databaseUrl: null, dataDir: directory };
  const config = { ...kept, ...overrides };
  const app = await counted(() => startExactly({ database: database.url, extensions, config }));
  const close = app.close.bind(app);
  app.close = async () => {
    await close();
    await database.drop();
    if (directory !== null) await rm(directory, { recursive: true, force: true });
  };
  const standard = await app.app.get(OrganizationService).findDefault();
  if (!standard) throw new Error('there is no default organization');
  return Object.assign(app, { orgId: standard.id });
}

/**
 * Rows that are kept for a while after their organization is removed: deliveries to pagers, and stream events that
 * haven't been sent yet.
 */
const ENDING = ['notification', 'notification_destination', 'stream_event'];

class Shared implements SharedService {
  tenants = 0;
  private readonly startedAt = new Date();

  private constructor(private readonly service: TestApp) {}

  static async start(settings: Partial<Config>): Promise<Shared> {
    return new Shared(await startOwnApp(settings));
  }

  async tenant(): Promise<Tenant> {
    this.tenants++;
    try {
      return new Tenant(this.service, await this.service.organization('Test'), () => this.leave());
    } catch (error) {
      this.tenants--;
      throw error;
    }
  }

  async end(): Promise<void> {
    const sql = this.service.app.get(Database);
    try {
      if (this.tenants > 0) throw new Error(`${this.tenants} specs have not closed what startApp gave them`);
      // A process that only serves the API doesn't send anything, so pending deliveries aren't overdue, even on a slow
      // machine.
      await checkInvariants(sql, this.service.config.role === 'api' ? this.startedAt : new Date());
      await checkNothingIsLeft(sql);
    } finally {
      await this.service.close();
    }
  }

  /** Removes the organization. The last spec to leave also removes everything else that was created. */
  private async leave(): Promise<void> {
    this.tenants--;
    if (this.tenants > 0) return;
    const { app } = this.service;
    const others = await app
      .get(Database)
      .query<{ id: string }>('SELECT id FROM organization WHERE NOT is_default AND deleted_at IS NULL');
    for (const { id } of others) await app.get(OrganizationService).remove(id);
    await app.get(OrganizationPurgeJob).run();
    await app.get(Database).query('DELETE FROM probe WHERE org_id IS NULL');
    const clock = app.get(Clock);
    if (!Object.hasOwn(clock, 'now')) return;
    // Restores the clock for later specs.
    for (const name of ['now', 'monotonic'] as const) Reflect.deleteProperty(clock, name);
    throw new Error('the clock of a shared service was moved: use startOwnApp');
  }
}

/** Fails with each table that has a row belonging to an organization other than the Default organization. */
async function checkNothingIsLeft(sql: Sql): Promise<void> {
  const owned = await sql.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.column_name = 'org_id' AND c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
        AND c.table_name <> ALL ($1::text[])`,
    [ENDING],
  );
  const counts = owned.map(
    ({ name }) => `SELECT '${name}' AS name, count(*)::int AS rows FROM ${name}
                    WHERE org_id NOT IN (SELECT id FROM organization WHERE is_default)`,
  );
  const left = await sql.query<{ name: string; rows: number }>(
    `SELECT * FROM (${counts.join(' UNION ALL ')}) counted WHERE rows > 0`,
  );
  if (left.length > 0)
    throw new Error(
      `rows of organizations that are gone: ${left.map(({ name, rows }) => `${rows} in ${name}`).join(', ')}`,
    );
}

const OWN_ONLY = 'This service is shared with other specs: use startOwnApp.';

class Tenant implements TestApp {
  readonly orgId: string;
  readonly admin: Service['admin'];
  readonly write: Service['write'];
  readonly read: Service['read'];
  private readonly closing: (() => unknown)[];
  private isClosed = false;

  constructor(
    private readonly service: Service,
    { orgId, admin, write, read }: ServiceOrganization,
    leave: () => unknown,
  ) {
    this.orgId = orgId;
    this.admin = admin;
    this.write = write;
    this.read = read;
    this.closing = [leave];
  }

  get app(): Service['app'] {
    return this.service.app;
  }
  get url(): string {
    return this.service.url;
  }
  get config(): Config {
    return this.service.config;
  }
  get anonymous(): Service['anonymous'] {
    return this.service.anonymous;
  }
  get operator(): Service['operator'] {
    return this.service.operator;
  }

  organization(name: string): Promise<ServiceOrganization> {
    return this.service.organization(name);
  }

  target(name: string): ReturnType<Service['target']> {
    return this.service.target(name);
  }

  ping(...args: Parameters<Service['ping']>): ReturnType<Service['ping']> {
    return this.service.ping(...args);
  }

  advance(): Promise<void> {
    return Promise.reject(new Error(OWN_ONLY));
  }
  stop(): Promise<void> {
    return Promise.reject(new Error(OWN_ONLY));
  }
  restart(): Promise<void> {
    return Promise.reject(new Error(OWN_ONLY));
  }

  onClose(then: () => unknown): void {
    this.closing.push(then);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const then of this.closing) await then();
  }
}
