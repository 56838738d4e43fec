import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from 'express';
import type { Author } from '../platform/access/author';
import type { AuthenticatedRequest, Caller } from '../platform/access/caller';
import { clientAddress } from '../platform/access/client-network';
import { SAFE_METHODS } from '../platform/access/safe-methods';
import { recordedRequestId } from '../platform/http/request-id';

/**
 * What the author was authenticated by: a key, a session or one-time link, the link of a message, the operator token, nothing with
 * AUTH=off, a shell on the server; of a sign-in of a person the password, the single sign-on, the proxy in front, an invitation.
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

/** Who made a change, and by which request. */
export interface Authorship {
  readonly via: Credential;
  /** uuid of the key, or of the key a session was made from; `null` without one. */
  readonly keyId: string | null;
  readonly keyName: string | null;
  /** uuid of the person. Names are joined when an entry is read: whoever is erased is erased there, too. */
  readonly personId: string | null;
  /** The address that opened the connection: a proxy's, where one is in front. */
  readonly address: string | null;
  readonly requestId: string | null;
}

/** Where a request came from. */
export type Origin = Pick<Authorship, 'address' | 'requestId'>;

const SYSTEM: Authorship = {
  via: 'system',
  keyId: null,
  keyName: null,
  personId: null,
  address: null,
  requestId: null,
};
/** The author of what no request asks for. */
let own = SYSTEM;

/** From now on this process is a command that somebody runs: what it changes is theirs. */
export function actFromCommandLine(): void {
  own = { ...SYSTEM, via: 'command_line' };
}

const storage = new AsyncLocalStorage<AuthenticatedRequest>();
let open = 0;

/** The author of what runs now; `system` outside of a request that changes something, and of a command. */
export function currentAuthorship(): Authorship {
  const request = storage.getStore();
  return (request && authorOf(request)) ?? own;
}

/** Who that is, for the row of what is done; nobody outside of a changing request of a caller. */
export function currentAuthor(): Author {
  const caller = storage.getStore()?.caller;
  return { by: caller?.keyName ?? null, personId: caller?.person?.id ?? null };
}

/**
 * Makes a changing request available to everything that its handler awaits, by AsyncLocalStorage. That costs every promise
 * of the process a little, so it is switched off while no such request is in flight: checks do not pay for it.
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

/** The author as the guard left it on the request; `null` on a public route. */
function authorOf(request: AuthenticatedRequest): Authorship | null {
  if (request.caller) return authorshipOf(request.caller, credentialOf(request.caller, request), originOf(request));
  return request.isOperator ? authorshipOf(undefined, 'operator', originOf(request)) : null;
}

export const originOf = (request: Request): Origin => ({
  address: clientAddress(request) ?? null,
  requestId: recordedRequestId(request),
});

/** The author of a request: `caller` is absent for the operator, and has no key with AUTH=off. */
export const authorshipOf = (caller: Caller | undefined, via: Credential, origin: Origin): Authorship => ({
  via,
  keyId: caller?.keyId ?? null,
  keyName: caller?.keyId ? caller.keyName : null,
  personId: caller?.person?.id ?? null,
  ...origin,
});

/** What the caller of a request was authenticated by. */
function credentialOf(caller: Caller, { headers }: Request): Credential {
  if (caller.person !== null) return 'session';
  if (caller.keyId === null) return 'auth_off';
  return headers.authorization === undefined && headers['x-api-key'] === undefined ? 'session' : 'api_key';
}
