import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from '../platform/access/caller';
import { type ProbeTokenHolder, ProbeTokens } from '../platform/access/probe-tokens';
import { Config } from '../platform/config/config';
import { LoadShedder } from '../platform/http/load/load-shedder';
import { Problem } from '../platform/problem/problem';
import { ApiKeyService } from './api-key/api-key.service';
import { type HashedKey, lookUpOf } from './api-key/api-key-secret';
import { RateLimits } from './rate-limits';
import { sameText } from './same-text';

/** Owners of requests with AUTH=off and of requests with the operator token. */
const OPEN_TO_ALL = 'auth-off';
const OPERATOR = 'operator';

/**
 * Finds the holder of the credential in a request's headers. Looks up a credential that is new to this process only if
 * the address is allowed to.
 */
@Injectable()
export class Credentials implements OnModuleInit {
  private readonly hashed = new WeakMap<Request, HashedKey>();

  constructor(
    private readonly config: Config,
    private readonly keys: ApiKeyService,
    private readonly probes: ProbeTokens,
    private readonly limits: RateLimits,
    private readonly load: LoadShedder,
  ) {}

  onModuleInit(): void {
    this.load.recognize((request) => this.ownerOf(request));
  }

  /** Returns the caller of a valid key, or `null`. */
  callerOf(key: string, request: Request): Promise<Caller | null> {
    const admit = (): void => this.limits.admitLookUp(request, lookUpOf(key));
    return this.keys.authenticate(key, admit, this.hashed.get(request));
  }

  /** Returns the probe whose token the request contains, or `null`. */
  async probeOf(request: Request): Promise<ProbeTokenHolder | null> {
    const token = credential(request);
    return token === null ? null : this.probes.holderOf(token, () => this.limits.admitLookUp(request, lookUpOf(token)));
  }

  /** Returns the owner of the request's key or token, if this process knows it. */
  private ownerOf(request: Request): string | null {
    if (!this.config.auth) return OPEN_TO_ALL;
    const shown = isTwice(request) ? null : credential(request);
    if (shown === null) return null;
    const probe = this.probes.knownOwner(shown);
    if (probe !== null) return probe;
    const hashed = this.keys.hashed(shown);
    if (hashed) this.hashed.set(request, hashed);
    const owner = hashed && this.keys.knownOwner(hashed);
    if (owner !== null) return owner;
    const { operatorToken } = this.config;
    return operatorToken !== null && sameText(shown, operatorToken) ? OPERATOR : null;
  }
}

const isTwice = ({ rawHeaders }: Request): boolean => {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === AUTHORIZATION.length && rawHeaders[i]?.toLowerCase() === AUTHORIZATION) count++;
  return count > 1;
};
const AUTHORIZATION = 'authorization';

/**
 * Returns the key from either header, or `null` if neither is set. A scheme other than Bearer counts as a wrong key.
 */
export function credential(request: Request): string | null {
  if (isTwice(request)) throw new Problem('bad_request', 'Send only one Authorization header.');
  const { authorization } = request.headers;
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const key = request.headers['x-api-key'];
  return typeof key === 'string' ? key : null;
}
