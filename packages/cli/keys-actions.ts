import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { CreateApiKeyDto } from '../../src/identity/api-key/api-key.dto';
import type { ApiKeyService } from '../../src/identity/api-key/api-key.service';
import { Problem } from '../../src/platform/problem/problem';
import type { CommandResult } from './database/command-result';
import type { IdentityServices } from './database/identity-services';
import { everyOrganization, findOrganization, pages, uuidOf } from './database/organizations';
import type { CreateRequest, KeysRequest } from './keys-request';
import { inOptions, type KeyLine, keyTable, lifeOf } from './keys-text';
import { UsageError } from './usage-error';

export type KeysServices = Pick<IdentityServices, 'keys' | 'organizations'>;

/**
 * Returns the requested action without running it. Throws: `UsageError` if a value breaks an API rule. No database is
 * opened before that.
 */
export function keysAction(request: KeysRequest): (services: KeysServices) => Promise<CommandResult> {
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
  if (wrong)
    throw new UsageError(inOptions(Object.values(wrong.constraints ?? {})[0] ?? `${wrong.property} is not valid`));
  return dto;
}

type Requested<Action> = Extract<KeysRequest, { action: Action }>;

async function create(
  { keys, organizations }: KeysServices,
  { organization: wanted, json }: CreateRequest,
  dto: CreateApiKeyDto,
): Promise<CommandResult> {
  const organization = await findOrganization(organizations, wanted);
  const made = await keys.create(uuidOf(organization), dto);
  const remark = `Created ${made.id} (${made.role}, organization ${organization.name}, ${lifeOf(made.expires_at)}). The key is shown only once.`;
  return json ? { exitCode: 0, output: JSON.stringify(made) } : { exitCode: 0, output: made.key, remark };
}

async function list(
  { keys, organizations }: KeysServices,
  { organization, json }: Requested<'list'>,
): Promise<CommandResult> {
  const chosen =
    organization === undefined
      ? await everyOrganization(organizations)
      : [await findOrganization(organizations, organization)];
  const lines: KeyLine[] = [];
  for (const each of chosen) {
    for await (const key of everyKey(keys, uuidOf(each))) lines.push({ ...key, organization: each.name });
  }
  return { exitCode: 0, output: json ? JSON.stringify(lines) : keyTable(lines) };
}

async function revoke(
  { keys, organizations }: KeysServices,
  { named, id, organization: wanted }: Requested<'revoke'>,
): Promise<CommandResult> {
  const organization = await findOrganization(organizations, wanted);
  try {
    await keys.remove(uuidOf(organization), id);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    return {
      exitCode: 1,
      remark: `The organization ${organization.name} has no key ${named}. Use ls to show all keys.`,
    };
  }
  return { exitCode: 0, remark: `Revoked ${named}.` };
}

const everyKey = (keys: ApiKeyService, orgId: string) => pages((cursor) => keys.list(orgId, { cursor }));
