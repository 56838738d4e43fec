import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenApi, type Operation, operationsOf } from './openapi';

/** The document of the version of this package: what a service has to do at least. */
export const CONTRACT = JSON.parse(
  readFileSync(join(__dirname, '../../../../docs/openapi.json'), 'utf8'),
) as Readonly<OpenApi>;

/** Its operations: each test that counts for all of them is named by one. */
export const OPERATIONS: readonly Operation[] = operationsOf(CONTRACT);

/**
 * Who may call an operation at the least. `public`: everybody. `operator`: who has the operator token, and no key. `person`: the browser of
 * somebody with an account. `probe`: who has the token of a probe.
 */
export type Caller = 'public' | 'read' | 'write' | 'admin' | 'operator' | 'person' | 'probe';

const FOR_ADMINS =
  /^\S+ \/api\/v1\/(api-keys|audit-log|system|people|invitations)|^(?!GET )\S+ \/api\/v1\/(probes|organization$)/;
const FOR_OPERATORS = /^\S+ \/api\/v1\/(organizations|shared-probes|people\/\{id\}\/second-factor)/;
/** They change nothing of the organization, whatever their method. */
const CHANGES_NOTHING = ['convertConfiguration', 'planConfiguration', 'previewHeartbeat'];

/** The least that a caller of this operation has to be: reading is for `read`, changing for `write`. */
export function callerOf({ name, method, operationId, security }: Operation): Caller {
  if (security?.length === 0) return 'public';
  if (security?.some((one) => 'session' in one)) return 'person';
  if (security?.some((one) => 'probe_token' in one)) return 'probe';
  if (FOR_OPERATORS.test(name)) return 'operator';
  if (FOR_ADMINS.test(name)) return 'admin';
  return method === 'GET' || CHANGES_NOTHING.includes(operationId) ? 'read' : 'write';
}

/** The operations for this caller. */
export const operationsFor = (...callers: Caller[]): Operation[] =>
  OPERATIONS.filter((operation) => callers.includes(callerOf(operation)));

/** Rows for `it.each`, named by `%s`. */
export const rows = (operations: readonly Operation[]): [string, Operation][] =>
  operations.map((operation) => [operation.name, operation]);
