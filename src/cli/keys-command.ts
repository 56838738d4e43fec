import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { actFromCommandLine } from '../audit/authorship';
import { CreateApiKeyDto } from '../identity/api-key/api-key.dto';
import { ApiKeyService } from '../identity/api-key/api-key.service';
import { IdentityModule } from '../identity/identity.module';
import type { OrganizationView } from '../identity/organization/organization.dto';
import { OrganizationService } from '../identity/organization/organization.service';
import { type Config, loadConfig } from '../platform/config/config';
import { ConfigModule } from '../platform/config/config.module';
import { DatabaseModule } from '../platform/database/database.module';
import { StartError } from '../platform/config/start-error';
import { EventsModule } from '../platform/events/events.module';
import { HttpModule } from '../platform/http/http.module';
import { parseId } from '../platform/ids/id';
import { JobsModule } from '../platform/jobs/jobs.module';
import { NetModule } from '../platform/net/net.module';
import { ObservabilityModule } from '../platform/observability/observability.module';
import { Problem } from '../platform/problem/problem';
import { SecretsModule } from '../platform/secrets/secrets.module';
import { type KeyLine, keyTable, lifeOf } from './keys-text';

const USAGE = `usage: npm run keys -- create [--role ROLE] [--name NAME] [--expires TIME] [--organization ORG] [--json]
       npm run keys -- list [--organization ORG] [--json]
       npm run keys -- revoke KEY_ID [--organization ORG]

Makes, lists and revokes API keys in the database itself: the way back in when the last key is lost. Takes the same
variables as the service, and .env. The embedded database must not be in use: stop the service first. With
PostgreSQL it may run. Every change is in the audit log.

  --role ROLE          read, write or admin (default)
  --name NAME          what lists call the key; default "Made on the command line"
  --expires TIME       when it stops working: 2027-12-31, or a time with Z or an offset; default never
  --organization ORG   name or org_… id; default "Default", for list all
  --json               for programs: what the API returns

create prints the new key, and nothing else, on stdout: KEY=$(npm run --silent keys -- create)
revoke takes the id that list shows.
Where the package is installed, the command is npx uptime-monitor-keys in place of npm run keys --.
Exit code: 0 done, 1 not possible, 2 a mistake in the command line.`;

/** A mistake in the command line. */
class UsageError extends Error {}

/** What the command came to. */
export interface KeysResult {
  exitCode: 0 | 1 | 2;
  /** For stdout. */
  output?: string;
  /** For stderr. */
  remark?: string;
}

interface Options {
  role: string;
  name: string;
  expires?: string | undefined;
  organization?: string | undefined;
  json: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Services = { keys: ApiKeyService; organizations: OrganizationService };

/** Runs the command with its arguments. Throws only for a bug. */
export async function runKeys(args: string[], environment: () => Environment): Promise<KeysResult> {
  try {
    const { values, positionals } = parse(args);
    const [action, id, ...rest] = positionals;
    if (values.help) return { exitCode: 0, output: USAGE };
    const work = { create, list, revoke }[action ?? ''];
    if (!work || rest.length > 0 || (action === 'revoke') !== (id !== undefined)) throw new UsageError(USAGE);
    return await withServices(loadConfig(environment()), (services) => work(services, values, id ?? ''));
  } catch (error) {
    if (error instanceof UsageError) return { exitCode: 2, remark: error.message };
    if (error instanceof Problem) return { exitCode: 1, remark: textOf(error) };
    if (error instanceof Error && ('code' in error || error.constructor.name === 'ConfigError'))
      return { exitCode: 1, remark: error.message };
    throw error;
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        role: { type: 'string', default: 'admin' },
        name: { type: 'string', default: 'Made on the command line' },
        expires: { type: 'string' },
        organization: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Of the log only that a server is waited for, and not on stdout, which is for the key. */
const WAITING: LoggerService = {
  log: () => {},
  error: () => {},
  warn: (message: unknown, context?: unknown) => {
    if (context === 'Database') process.stderr.write(`${String(message)}\n`);
  },
};

/** The service's own modules for keys, on its database, without its routes and checks. */
async function withServices<T>(config: Config, work: (services: Services) => Promise<T>): Promise<T> {
  requireDatabase(config);
  actFromCommandLine();
  @Module({
    imports: [
      ConfigModule.forRoot(config),
      DatabaseModule.forRoot(),
      EventsModule,
      SecretsModule,
      NetModule,
      ObservabilityModule,
      JobsModule,
      HttpModule,
      IdentityModule,
    ],
  })
  class KeysModule {}

  const context = await NestFactory.createApplicationContext(KeysModule, { logger: WAITING, abortOnError: false });
  try {
    return await work({ keys: context.get(ApiKeyService), organizations: context.get(OrganizationService) });
  } finally {
    await context.close();
  }
}

/** A mistyped directory must not become a new, empty database. */
function requireDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== null && databaseUrl.startsWith('embedded:'))
    throw new StartError('DATABASE_URL: a database in memory belongs to the running service alone.');
  if (databaseUrl === null && !existsSync(join(dataDir, 'pgdata')))
    throw new StartError(`DATA_DIR: ${dataDir} holds no database. Set DATA_DIR, or DATABASE_URL, as for the service.`);
}

async function create({ keys, organizations }: Services, options: Options): Promise<KeysResult> {
  const dto = plainToInstance(CreateApiKeyDto, {
    name: options.name,
    role: options.role,
    ...(options.expires === undefined ? {} : { expires_at: options.expires }),
  });
  const [wrong] = validateSync(dto);
  if (wrong) throw new UsageError(inOptions(Object.values(wrong.constraints ?? {})[0] ?? `${wrong.property} is wrong`));
  const organization = await find(organizations, options.organization ?? 'Default');
  const made = await keys.create(parsed(organization.id), dto);
  const remark = `Made ${made.id} (${made.role}, organization ${organization.name}, ${lifeOf(made.expires_at)}). It is shown this one time.`;
  return options.json ? { exitCode: 0, output: JSON.stringify(made) } : { exitCode: 0, output: made.key, remark };
}

async function list({ keys, organizations }: Services, options: Options): Promise<KeysResult> {
  const chosen =
    options.organization === undefined
      ? await everyOrganization(organizations)
      : [await find(organizations, options.organization)];
  const lines: KeyLine[] = [];
  for (const { id, name } of chosen) {
    for await (const key of everyKey(keys, parsed(id))) lines.push({ ...key, organization: name });
  }
  return { exitCode: 0, output: options.json ? JSON.stringify(lines) : keyTable(lines) };
}

async function revoke({ keys, organizations }: Services, options: Options, keyId: string): Promise<KeysResult> {
  const id = parseId('apiKey', keyId);
  if (id === null)
    throw new UsageError(`the key must be named by its id, key_…, which list shows, not by ${keyId.slice(0, 8)}…`);
  const organization = await find(organizations, options.organization ?? 'Default');
  try {
    await keys.remove(parsed(organization.id), id);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    return { exitCode: 1, remark: `Organization ${organization.name} has no key ${keyId}; list shows all keys.` };
  }
  return { exitCode: 0, remark: `Revoked ${keyId}.` };
}

/** By id or name. Two organizations may have the same name. */
async function find(organizations: OrganizationService, wanted: string): Promise<OrganizationView> {
  const all = await everyOrganization(organizations);
  const found = all.filter(({ id, name }) => id === wanted || name === wanted);
  const [first, second] = found;
  if (!first) {
    const names = all.map(({ name }) => name).slice(0, 20);
    const known = names.length > 0 ? `There are: ${names.join(', ')}.` : 'There is none yet: start the service once.';
    throw new StartError(`There is no organization ${wanted}. ${known}`);
  }
  if (second)
    throw new StartError(`Several are called ${wanted}; name one by its id: ${found.map(({ id }) => id).join(', ')}.`);
  return first;
}

async function everyOrganization(organizations: OrganizationService): Promise<OrganizationView[]> {
  const all: OrganizationView[] = [];
  for await (const each of pages((cursor) => organizations.list({ cursor }))) all.push(each);
  return all;
}

const everyKey = (keys: ApiKeyService, orgId: string) => pages((cursor) => keys.list(orgId, { cursor }));

async function* pages<T>(
  read: (cursor: string | undefined) => Promise<{ items: readonly T[]; nextCursor: string | null }>,
): AsyncGenerator<T> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await read(cursor);
    yield* items;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

function parsed(id: string): string {
  const uuid = parseId('organization', id);
  if (uuid === null) throw new Error(`${id} is no organization's id`);
  return uuid;
}

const inOptions = (text: string): string =>
  text.replaceAll('expires_at', '--expires').replace(/^(name|role)\b/, '--$1');
const textOf = ({ errors, detail }: Problem): string => inOptions(errors[0]?.message ?? detail);
