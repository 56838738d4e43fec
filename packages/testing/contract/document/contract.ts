import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenApi, type Operation, operationsOf } from './openapi';

/** The API document for this package's version. It is the minimum that a service must implement. */
export const CONTRACT = JSON.parse(
  readFileSync(join(__dirname, '../../../../docs/openapi.json'), 'utf8'),
) as Readonly<OpenApi>;

/** The operations in the contract. A test that applies to all of them names the operation in its title. */
export const OPERATIONS: readonly Operation[] = operationsOf(CONTRACT);

/**
 * The least privileged caller allowed to run an operation. `public` is everyone. `operator` has the operator token and
 * no key. `person` is the browser of a user with an account. `probe` has a probe's token.
 */
export type Caller = 'public' | 'read' | 'write' | 'admin' | 'operator' | 'person' | 'probe';

const FOR_ADMINS =
  /^\S+ \/api\/v1\/(api-keys|audit-log|system|people|invitations)|^(?!GET )\S+ \/api\/v1\/(probes|organization$)/;
const FOR_OPERATORS = /^\S+ \/api\/v1\/(organizations|shared-probes|people\/\{id\}\/second-factor)/;
/** Operations that don't change anything in the organization, regardless of their method. */
const CHANGES_NOTHING = ['convertConfiguration', 'planConfiguration', 'previewHeartbeat'];

/**
 * Returns the least privileged caller allowed to run this operation. Reading needs `read`, and changing needs `write`.
 */
export function callerOf({ name, method, operationId, security }: Operation): Caller {
  if (security?.length === 0) return 'public';
  if (security?.some((one) => 'session' in one)) return 'person';
  if (security?.some((one) => 'probe_token' in one)) return 'probe';
  if (FOR_OPERATORS.test(name)) return 'operator';
  if (FOR_ADMINS.test(name)) return 'admin';
  return method === 'GET' || CHANGES_NOTHING.includes(operationId) ? 'read' : 'write';
}

export const operationsFor = (...callers: Caller[]): Operation[] =>
  OPERATIONS.filter((operation) => callers.includes(callerOf(operation)));

/** Returns rows for `it.each` whose names are shown using `%s`. */
export const rows = (operations: readonly Operation[]): [string, Operation][] =>
  operations.map((operation) => [operation.name, operation]);
