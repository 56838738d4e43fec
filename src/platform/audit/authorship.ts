import { AsyncLocalStorage } from 'node:async_hooks';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { finalize, Observable } from 'rxjs';
import { ACCESS, type AccessRule, type AuthenticatedRequest } from '../auth/caller';
import { requestIdOf } from '../http/request-id';

/** How somebody proved who they are: a key, the session made from one, the operator token, or nothing with AUTH=off. */
export const CREDENTIALS = ['api_key', 'session', 'operator', 'auth_off', 'system'] as const;
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
    const author = authorshipOf(request);
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

function authorshipOf(request: AuthenticatedRequest): Authorship {
  const { caller } = request;
  return {
    via: credentialOf(request),
    keyId: caller?.keyId ?? null,
    keyName: caller?.keyId ? caller.keyName : null,
    address: request.socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, '') ?? null,
    requestId: requestIdOf(request),
  };
}

/** The guard has let the request in; this only tells by which door. */
function credentialOf({ caller, headers }: AuthenticatedRequest): Credential {
  if (!caller) return 'operator';
  if (caller.keyId === null) return 'auth_off';
  return headers.authorization === undefined && headers['x-api-key'] === undefined ? 'session' : 'api_key';
}
