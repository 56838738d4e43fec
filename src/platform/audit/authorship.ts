import { AsyncLocalStorage } from 'node:async_hooks';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { finalize, Observable } from 'rxjs';
import { ACCESS, type AccessRule, type AuthenticatedRequest, type Caller } from '../auth/caller';
import { requestIdOf } from '../http/request-id';

/** How somebody proved who they are: a key, the session or link made from one, the operator token, or not, with AUTH=off. */
export const CREDENTIALS = ['api_key', 'session', 'sign_in_link', 'operator', 'auth_off', 'system'] as const;
export type Credential = (typeof CREDENTIALS)[number];

/** Who is behind a change, and by which request. */
export interface Authorship {
  readonly via: Credential;
  /** uuid of the key, or of the key a session was made from; `null` without one. */
  readonly keyId: string | null;
  readonly keyName: string | null;
  /** The address that opened the connection: a proxy's, where one is in front. */
  readonly address: string | null;
  readonly requestId: string | null;
}

/** Where a request came from, whoever sent it. */
export type Origin = Pick<Authorship, 'address' | 'requestId'>;

const SYSTEM: Authorship = { via: 'system', keyId: null, keyName: null, address: null, requestId: null };
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

const storage = new AsyncLocalStorage<Authorship>();
let open = 0;

/** Who is behind what runs now; `system` outside of a request that changes something. */
export const currentAuthorship = (): Authorship => storage.getStore() ?? SYSTEM;

/**
 * Carries the authorship of a changing request along with everything it awaits. The carrying costs every promise of the
 * process a little, so it is switched off whenever no such request is under way: checks do not pay for it.
 */
@Injectable()
export class AuthorshipInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const rule = this.reflector.getAllAndOverride<AccessRule>(ACCESS, [context.getHandler(), context.getClass()]);
    if (SAFE.has(request.method) || rule === 'public') return next.handle();
    const author = authorshipOf(request.caller, credentialOf(request), originOf(request));
    return new Observable<unknown>((subscriber) => {
      open += 1;
      return storage.run(author, () => next.handle().pipe(finalize(leave)).subscribe(subscriber));
    });
  }
}

function leave(): void {
  open -= 1;
  if (open === 0) storage.disable();
}

export const originOf = (request: Request): Origin => ({
  address: request.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? null,
  requestId: requestIdOf(request),
});

/** Somebody with a key, or without one (operator, AUTH=off), who came in by a door. */
export const authorshipOf = (caller: Caller | undefined, via: Credential, origin: Origin): Authorship => ({
  via,
  keyId: caller?.keyId ?? null,
  keyName: caller?.keyId ? caller.keyName : null,
  ...origin,
});

/** The guard has let the request in; this only tells by which door. */
function credentialOf({ caller, headers }: AuthenticatedRequest): Credential {
  if (!caller) return 'operator';
  if (caller.keyId === null) return 'auth_off';
  return headers.authorization === undefined && headers['x-api-key'] === undefined ? 'session' : 'api_key';
}
