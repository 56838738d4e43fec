import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from 'express';
import type { Author } from '../platform/access/author';
import type { AuthenticatedRequest, Caller } from '../platform/access/caller';
import { clientAddress } from '../platform/access/client-network';
import { SAFE_METHODS } from '../platform/access/safe-methods';
import { recordedRequestId } from '../platform/http/request-id';

/**
 * How the author was authenticated. For most changes, this is a key, a session or one-time link, a link in a message,
 * the operator token, or a shell on the server. With `AUTH=off`, it is nothing. When a person signs in, it is the
 * password, single sign-on, the proxy in front of the service, or an invitation.
 */
export const CREDENTIALS = [
  'api_key',
  'session',
  'sign_in_link',
  'acknowledge_link',
  'operator',
  'auth_off',
  'command_line',
  'system',
  'password',
  'single_sign_on',
  'proxy',
  'invitation',
] as const;
export type Credential = (typeof CREDENTIALS)[number];

export interface Authorship {
  readonly via: Credential;
  /** The UUID of the key, or of the key that a session was created from. `null` if there is none. */
  readonly keyId: string | null;
  readonly keyName: string | null;
  /**
   * The UUID of the person. Names are joined when an entry is read, so that an erased person's name isn't shown there
   * either.
   */
  readonly personId: string | null;
  /**
   * The address that opened the connection. If there is a proxy in front of the service, this is the proxy's address.
   */
  readonly address: string | null;
  readonly requestId: string | null;
}

export type Origin = Pick<Authorship, 'address' | 'requestId'>;

const SYSTEM: Authorship = {
  via: 'system',
  keyId: null,
  keyName: null,
  personId: null,
  address: null,
  requestId: null,
};
/** The author of changes that aren't made in response to a request. */
let own = SYSTEM;

/** Marks this process as a command that someone runs. That user becomes the author of its changes. */
export function actFromCommandLine(): void {
  own = { ...SYSTEM, via: 'command_line' };
}

const storage = new AsyncLocalStorage<AuthenticatedRequest>();
let open = 0;

/** Returns the current author. This is `system`, except in a command or in a request that changes something. */
export function currentAuthorship(): Authorship {
  const request = storage.getStore();
  return (request && authorOf(request)) ?? own;
}

/**
 * Returns the current author in the form that audited rows store. Both fields are `null` outside a request that changes
 * something.
 */
export function currentAuthor(): Author {
  const caller = storage.getStore()?.caller;
  return { by: caller?.keyName ?? null, personId: caller?.person?.id ?? null };
}

/**
 * Carries a changing request to everything that its handler awaits, using AsyncLocalStorage. That slows every promise
 * of the process a little. It is turned off while no such request is in flight, so that checks aren't slowed down.
 */
export async function carryAuthorship(request: Request, handle: () => Promise<void>): Promise<void> {
  if (SAFE_METHODS.has(request.method)) return handle();
  open += 1;
  try {
    await storage.run(request, handle);
  } finally {
    open -= 1;
    if (open === 0) storage.disable();
  }
}

/** Returns the author that the guard set on the request, or `null` on a public route. */
function authorOf(request: AuthenticatedRequest): Authorship | null {
  if (request.caller) return authorshipOf(request.caller, credentialOf(request.caller, request), originOf(request));
  return request.isOperator ? authorshipOf(undefined, 'operator', originOf(request)) : null;
}

export const originOf = (request: Request): Origin => ({
  address: clientAddress(request) ?? null,
  requestId: recordedRequestId(request),
});

/** Returns the author of a request. `caller` is absent for the operator, and has no key with `AUTH=off`. */
export const authorshipOf = (caller: Caller | undefined, via: Credential, origin: Origin): Authorship => ({
  via,
  keyId: caller?.keyId ?? null,
  keyName: caller?.keyId ? caller.keyName : null,
  personId: caller?.person?.id ?? null,
  ...origin,
});

function credentialOf(caller: Caller, { headers }: Request): Credential {
  if (caller.person !== null) return 'session';
  if (caller.keyId === null) return 'auth_off';
  return headers.authorization === undefined && headers['x-api-key'] === undefined ? 'session' : 'api_key';
}
