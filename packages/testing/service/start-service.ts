import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../../src/app';
import { DeliveryLoop } from '../../../src/delivery/send/delivery-loop';
import type { Extension } from '../../../src/extension/extension';
import { ApiKeyService } from '../../../src/identity/api-key/api-key.service';
import { OrganizationService } from '../../../src/identity/organization/organization.service';
import type { Role } from '../../../src/platform/access/permissions';
import { Config } from '../../../src/platform/config/config';
import { parseId } from '../../../src/platform/ids/id';
import { Health } from '../../../src/platform/observability/health';
import { type ScriptedTarget, scriptedChecks, Scripts } from '../checker/scripted-checker';
import { Api, type ApiResponse } from './api';
import { checksOnDemand } from './checks-on-demand';
import { type Duration, millisecondsOf } from './duration';
import { judgeLateHeartbeats, type PingedEndpoint, type PingExtras, sendPing, type SentKind } from './heartbeats';
import { MovingClock } from './moving-clock';
import { noStalls } from './no-stalls';

/** Options for starting a service under test. */
export interface ServiceOptions {
  /**
   * Changes to the `Config` settings. By default, tests have no log output, no rate limit, and no retries after failed
   * checks.
   */
  config?: Partial<Config>;
  extensions?: readonly Extension[];
  /** The environment variables that extensions read their settings from. The process's environment isn't used. */
  environment?: Readonly<Record<string, string | undefined>>;
  /**
   * The database. `memory` is embedded and is deleted by `stop`. `temporary` is embedded in a directory that `close`
   * removes, for use with `restart`. Anything else is the URL of an empty PostgreSQL database that you create and drop.
   * Default: `memory`.
   */
  database?: 'memory' | 'temporary' | (string & Record<never, never>);
  /**
   * `scheduled` checks endpoints when they are due, as in production. `on demand` only checks using `POST
   * /endpoints/:id/checks`, so that each check is a step in the test. Default: `scheduled`.
   */
  checks?: 'scheduled' | 'on demand';
}

/** The clients for one organization, one for each role. */
export interface ServiceOrganization {
  /** The UUID that internal services expect. */
  orgId: string;
  admin: Api;
  write: Api;
  read: Api;
}

/** A complete running service with its own database and a free port on 127.0.0.1. Requests are real. */
export interface Service {
  readonly app: NestExpressApplication;
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly config: Config;
  /** A client for the organization "Default". */
  readonly admin: Api;
  readonly write: Api;
  readonly read: Api;
  /** A client without a key. */
  readonly anonymous: Api;
  /** A client with the operator token. */
  readonly operator: Api;
  organization(name: string): Promise<ServiceOrganization>;
  /** Returns the target that `SCRIPTED` endpoints with the URL `scripted://name` check. */
  target(name: string): ScriptedTarget;
  /**
   * Pings a heartbeat like its job would. Default: `'success'`. Pass the endpoint as seen by a key with the write role.
   * No status throws an error. After a 200, the ping and its check are committed. The limit is one ping per second with
   * a burst of ten, then 429.
   */
  ping(endpoint: PingedEndpoint, kind?: SentKind, extras?: PingExtras): Promise<ApiResponse>;
  /**
   * Moves the application's clocks forward: deadlines, reminders, and delivery delays and retries. Slots use the
   * database's clock, so no endpoint becomes due. A jump doesn't count as service downtime, so late heartbeats become
   * down. Evaluates late heartbeats, sends the due deliveries, and returns when nothing is being sent.
   */
  advance(duration: Duration): Promise<void>;
  /** Stops the service like SIGTERM does. Work in progress is finished. */
  stop(): Promise<void>;
  /**
   * Restarts the service on the same database, optionally with other settings. The database must not be `memory`. The
   * real clock is restored.
   */
  restart(config?: Partial<Config>): Promise<void>;
  /** Stops the service and removes its data. */
  close(): Promise<void>;
}

/** The operator's token in tests. */
export const OPERATOR_TOKEN = 'operator-token-for-the-tests-0001';

/** The settings for every service under test. A test's own settings override them. */
const FOR_TESTS = {
  port: 0,
  rateLimitPerSecond: 0,
  databaseSync: false,
  confirmFailures: false,
  operatorToken: OPERATOR_TOKEN,
} as const satisfies Partial<Config>;

/** Starts the real service. Call `close` at the end of the tests, because an open connection keeps Jest running. */
export function startService(options: ServiceOptions = {}): Promise<Service> {
  const scripts = new Scripts();
  const onDemand = options.checks === 'on demand' ? [checksOnDemand] : [];
  const extensions = [scriptedChecks(scripts), noStalls, ...onDemand, ...(options.extensions ?? [])];
  return startExactly({ ...options, extensions }, scripts);
}

/** Starts the service as built, without any of the kit's extensions. */
export async function startExactly(options: ServiceOptions, scripts: Scripts = new Scripts()): Promise<Service> {
  const { database = 'memory' } = options;
  const directory = database === 'temporary' ? await mkdtemp(join(tmpdir(), 'uptime-test-')) : null;
  const settings = {
    ...FOR_TESTS,
    logLevel: process.env['TEST_LOG'] ?? 'silent',
    bootstrapApiKey: `test-${randomBytes(24).toString('hex')}`,
    databaseUrl: directory === null ? urlOf(database) : null,
    dataDir: directory ?? tmpdir(),
    ...options.config,
  };
  const service = new RunningService(options, settings, scripts);
  await service.start({});
  return service;
}

const urlOf = (database: string): string => (database === 'memory' ? 'embedded:memory' : database);

/** The parts that each start creates. */
interface Started extends Omit<ServiceOrganization, 'orgId'> {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly config: Config;
  clock: MovingClock | null;
  isStopped: boolean;
}

class RunningService implements Service {
  private started: Started | null = null;

  constructor(
    private readonly options: ServiceOptions,
    private readonly settings: Partial<Config>,
    private readonly scripts: Scripts,
  ) {}

  get app(): NestExpressApplication {
    return this.now.app;
  }
  get url(): string {
    return this.now.url;
  }
  get config(): Config {
    return this.now.config;
  }
  get admin(): Api {
    return this.now.admin;
  }
  get write(): Api {
    return this.now.write;
  }
  get read(): Api {
    return this.now.read;
  }
  get anonymous(): Api {
    return new Api(this.url, null);
  }
  get operator(): Api {
    return new Api(this.url, OPERATOR_TOKEN);
  }

  async start(more: Partial<Config>): Promise<void> {
    const { extensions = [], environment = {} } = this.options;
    const config = Object.assign(new Config(), this.settings, more);
    const app = await createApp(config, extensions, environment);
    try {
      await app.listen(0, '127.0.0.1');
      const url = await app.getUrl();
      const organization = await app.get(OrganizationService).findDefault();
      if (!organization) throw new Error('there is no default organization');
      const { orgId: _, ...clients } = await clientsOf(app, url, organization.id);
      this.started = { app, url, config, ...clients, clock: null, isStopped: false };
    } catch (error) {
      // The caller has no reference for closing it, and its database would remain locked.
      await app.close();
      throw error;
    }
  }

  target(name: string): ScriptedTarget {
    return this.scripts.target(name);
  }

  async organization(name: string): Promise<ServiceOrganization> {
    const row = await this.app.get(OrganizationService).create({ name });
    const uuid = parseId('organization', row.id);
    if (uuid === null) throw new Error(`${row.id} is not an organization`);
    return clientsOf(this.app, this.url, uuid);
  }

  ping(endpoint: PingedEndpoint, kind: SentKind = 'success', extras: PingExtras = {}): Promise<ApiResponse> {
    return sendPing(this.url, endpoint, kind, extras);
  }

  async advance(duration: Duration): Promise<void> {
    const ms = millisecondsOf(duration);
    this.now.clock ??= MovingClock.of(this.app);
    this.now.clock.advance(ms);
    if (this.config.role !== 'api') await judgeLateHeartbeats(this.app);
    await this.app.get(DeliveryLoop).drain();
  }

  async stop(): Promise<void> {
    this.app.get(Health).drain();
    await this.end();
  }

  async restart(config: Partial<Config> = {}): Promise<void> {
    if (this.config.databaseUrl?.startsWith('embedded:memory'))
      throw new Error(
        "A database in memory is lost when the service stops. To restart the service, start it with database: 'temporary'.",
      );
    await this.start(config);
  }

  async close(): Promise<void> {
    await this.end();
    if (this.options.database === 'temporary' && this.settings.dataDir !== undefined)
      await rm(this.settings.dataDir, { recursive: true, force: true });
  }

  /** Runs only once. A second `close` of an application would wait for a database that has already stopped. */
  private async end(): Promise<void> {
    if (!this.started || this.started.isStopped) return;
    this.started.isStopped = true;
    await this.started.app.close();
  }

  private get now(): Started {
    if (!this.started) throw new Error('the service has not been started');
    return this.started;
  }
}

async function clientsOf(app: NestExpressApplication, url: string, orgId: string): Promise<ServiceOrganization> {
  const keys = app.get(ApiKeyService);
  const client = async (role: Role) => new Api(url, (await keys.create(orgId, { name: role, role })).key);
  return { orgId, admin: await client('admin'), write: await client('write'), read: await client('read') };
}
