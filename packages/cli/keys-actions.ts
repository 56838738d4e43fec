import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { CreateApiKeyDto } from '../../src/identity/api-key/api-key.dto';
import type { ApiKeyService } from '../../src/identity/api-key/api-key.service';
import type { OrganizationView } from '../../src/identity/organization/organization.dto';
import type { OrganizationService } from '../../src/identity/organization/organization.service';
import { StartError } from '../../src/platform/config/start-error';
import { parseId } from '../../src/platform/ids/id';
import { Problem } from '../../src/platform/problem/problem';
import type { CreateRequest, KeysRequest, KeysResult } from './keys-request';
import { inOptions, type KeyLine, keyTable, lifeOf } from './keys-text';
import { UsageError } from './usage-error';

/** What the actions ask of the service. */
export interface KeysServices {
  readonly keys: ApiKeyService;
  readonly organizations: OrganizationService;
}

/** What the request comes to, still to be done. Throws a `UsageError` by the rules of the API, before a database is opened. */
export function keysAction(request: KeysRequest): (services: KeysServices) => Promise<KeysResult> {
  switch (request.action) {
    case 'create': {
      const dto = newKey(request);
      return (services) => create(services, request, dto);
    }
    case 'list':
      return (services) => list(services, request);
    case 'revoke':
      return (services) => revoke(services, request);
    default:
      return request satisfies never;
  }
}

function newKey({ name, role, expires }: CreateRequest): CreateApiKeyDto {
  const dto = plainToInstance(CreateApiKeyDto, {
    name,
    role,
    ...(expires === undefined ? {} : { expires_at: expires }),
  });
  const [wrong] = validateSync(dto);
  if (wrong) throw new UsageError(inOptions(Object.values(wrong.constraints ?? {})[0] ?? `${wrong.property} is wrong`));
  return dto;
}

type Requested<Action> = Extract<KeysRequest, { action: Action }>;

async function create(
  { keys, organizations }: KeysServices,
  { organization: wanted, json }: CreateRequest,
  dto: CreateApiKeyDto,
): Promise<KeysResult> {
  const organization = await find(organizations, wanted);
  const made = await keys.create(parsed(organization.id), dto);
  const remark = `Made ${made.id} (${made.role}, organization ${organization.name}, ${lifeOf(made.expires_at)}). It is shown this one time.`;
  return json ? { exitCode: 0, output: JSON.stringify(made) } : { exitCode: 0, output: made.key, remark };
}

async function list(
  { keys, organizations }: KeysServices,
  { organization, json }: Requested<'list'>,
): Promise<KeysResult> {
  const chosen =
    organization === undefined ? await everyOrganization(organizations) : [await find(organizations, organization)];
  const lines: KeyLine[] = [];
  for (const { id, name } of chosen) {
    for await (const key of everyKey(keys, parsed(id))) lines.push({ ...key, organization: name });
  }
  return { exitCode: 0, output: json ? JSON.stringify(lines) : keyTable(lines) };
}

async function revoke(
  { keys, organizations }: KeysServices,
  { named, id, organization: wanted }: Requested<'revoke'>,
): Promise<KeysResult> {
  const organization = await find(organizations, wanted);
  try {
    await keys.remove(parsed(organization.id), id);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    return { exitCode: 1, remark: `Organization ${organization.name} has no key ${named}; list shows all keys.` };
  }
  return { exitCode: 0, remark: `Revoked ${named}.` };
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
