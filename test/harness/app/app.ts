import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import supertest from 'supertest';
import { createApp } from '../../../src/app';
import type { AppExtension } from '../../../src/app.module';
import { ApiKeyService } from '../../../src/identity/api-key/api-key.service';
import type { Role } from '../../../src/platform/access/caller';
import { Bootstrap } from '../../../src/identity/organization/bootstrap';
import { OrganizationService } from '../../../src/identity/organization/organization.service';
import { Config } from '../../../src/platform/config/config';
import { parseId } from '../../../src/platform/ids/id';
import { Health } from '../../../src/platform/observability/health';
import { freshDatabase } from '../database/database';

export const OPERATOR_TOKEN = 'operator-token-for-the-tests-0001';

export interface ApiResponse<Body = unknown> {
  status: number;
  headers: Record<string, string>;
  body: Body;
  text: string;
}

/** A client of one API key. Paths are below `/api/v1`. */
export class Api {
  constructor(
    readonly url: string,
    readonly key: string | null,
  ) {}

  get<Body = never>(path: string): Promise<ApiResponse<Body>> {
    return this.send('get', path);
  }

  post<Body = never>(path: string, body?: object): Promise<ApiResponse<Body>> {
    return this.send('post', path, body);
  }

  put<Body = never>(path: string, body: object): Promise<ApiResponse<Body>> {
    return this.send('put', path, body);
  }

  delete<Body = never>(path: string): Promise<ApiResponse<Body>> {
    return this.send('delete', path);
  }

  private async send<Body>(
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
    body?: object,
  ): Promise<ApiResponse<Body>> {
    let request = supertest(this.url)[method](`/api/v1${path}`);
    if (this.key !== null) request = request.set('Authorization', `Bearer ${this.key}`);
    const { status, headers, text, body: parsed } = await (body === undefined ? request : request.send(body));
    return {
      status,
      headers,
      body: (isJson(headers) ? parsed : null) as Body,
      text,
    };
  }
}

const isJson = (headers: Record<string, string>): boolean => /json/.test(headers['content-type'] ?? '');

export interface TestOrganization {
  orgId: string;
  admin: Api;
  write: Api;
  read: Api;
}

export interface TestApp {
  app: NestExpressApplication;
  url: string;
  config: Config;
  /** Organization "Default". */
  admin: Api;
  write: Api;
  read: Api;
  anonymous: Api;
  operator: Api;
  organization(name: string): Promise<TestOrganization>;
  /** Stops the application as SIGTERM does; with `durable` the database is kept for `restart`. */
  stop(): Promise<void>;
  /** Starts it again on the same database, with other settings if given. */
  restart(overrides?: Partial<Config>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the real application on a database of its own (embedded in memory, or PostgreSQL with TEST_DATABASE_URL) on a
 * free port; `modules` are added to its own. Call it in `beforeAll` and `close()` in `afterAll`.
 */
export async function startApp(
  overrides: Partial<Config> = {},
  { durable = false, modules = [] }: { durable?: boolean; modules?: readonly AppExtension[] } = {},
): Promise<TestApp> {
  const database = await freshDatabase();
  const directory =
    durable && database.url.startsWith('embedded:') ? await mkdtemp(join(tmpdir(), 'uptime-test-')) : null;
  const testApp = {} as TestApp;
  const start = async (more: Partial<Config>): Promise<void> => {
    const config = Object.assign(new Config(), {
      databaseUrl: directory === null ? database.url : null,
      dataDir: directory ?? './data',
      port: 0,
      logLevel: process.env['TEST_LOG'] ?? 'silent',
      rateLimitPerSecond: 0,
      confirmFailures: false,
      operatorToken: OPERATOR_TOKEN,
      ...overrides,
      ...more,
    });
    const app = await createApp(config, modules);
    await app.get(Bootstrap).prepare();
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    const organization = await app.get(OrganizationService).findDefault();
    if (!organization) throw new Error('there is no default organization');
    const { orgId: _, ...clients } = await clientsOf(app, url, organization.id);
    Object.assign(testApp, {
      app,
      url,
      config,
      ...clients,
      anonymous: new Api(url, null),
      operator: new Api(url, OPERATOR_TOKEN),
    });
  };
  await start({});
  return Object.assign(testApp, {
    organization: async (name: string) => {
      const row = await testApp.app.get(OrganizationService).create({ name });
      return clientsOf(testApp.app, testApp.url, uuidOf(row.id));
    },
    stop: async () => {
      testApp.app.get(Health).drain();
      await testApp.app.close();
    },
    restart: start,
    close: async () => {
      await testApp.app.close();
      await database.drop();
      if (directory !== null) await rm(directory, { recursive: true, force: true });
    },
  });
}

function uuidOf(id: string): string {
  const uuid = parseId('organization', id);
  if (uuid === null) throw new Error(`${id} is not an organization`);
  return uuid;
}

async function clientsOf(app: NestExpressApplication, url: string, orgId: string): Promise<TestOrganization> {
  const keys = app.get(ApiKeyService);
  const client = async (role: Role) => new Api(url, (await keys.create(orgId, { name: role, role })).key);
  return { orgId, admin: await client('admin'), write: await client('write'), read: await client('read') };
}
