import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from '../platform/access/caller';
import { type ProbeTokenHolder, ProbeTokens } from '../platform/access/probe-tokens';
import { Problem } from '../platform/problem/problem';
import { ApiKeyService } from './api-key/api-key.service';
import { RateLimits } from './rate-limits';

/** Whose credential a request shows in its headers. One that this process does not know is looked up only if the address may. */
@Injectable()
export class Credentials {
  constructor(
    private readonly keys: ApiKeyService,
    private readonly probes: ProbeTokens,
    private readonly limits: RateLimits,
  ) {}

  /** The caller of a valid key, or `null`. */
  callerOf(key: string, request: Request): Promise<Caller | null> {
    return this.keys.authenticate(key, () => this.limits.admitLookUp(request));
  }

  /** The probe whose token the request shows, or `null`. */
  async probeOf(request: Request): Promise<ProbeTokenHolder | null> {
    const token = credential(request);
    return token === null ? null : this.probes.holderOf(token, () => this.limits.admitLookUp(request));
  }
}

/** The key of either header; `null` without one. A scheme other than Bearer counts as a wrong key. */
export function credential(request: Request): string | null {
  const sent = request.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization');
  if (sent.length > 1) throw new Problem('bad_request', 'Send one Authorization header.');
  const authorization = request.headers.authorization;
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const key = request.headers['x-api-key'];
  return typeof key === 'string' ? key : null;
}
