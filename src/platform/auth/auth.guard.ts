import { timingSafeEqual, createHash } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Config } from '../config/config';
import { Problem, problems } from '../problem/problem';
import { Clock } from '../time/clock';
import { ApiKeyService } from './api-key.service';
import { ACCESS, type AccessRule, type AuthenticatedRequest, type Caller, type Role, ROLES } from './caller';
import { OrganizationService } from './organization.service';
import { sameOrigin } from './same-origin';
import { SESSION_AUTHENTICATOR, type SessionAuthenticator, sessionCookie } from './session-authenticator';
import { TokenBuckets } from './token-bucket';

/** Wrong credentials one address may send: 20 at once, then one every three seconds. */
const FAILED_SIGN_INS = { rate: 1 / 3, burst: 20 };
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Deny by default: a route without `@Access` answers 403. Finds out who is asking (key, then session cookie), applies the
 * limits, and leaves the caller on the request.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  private readonly logger = new Logger(AuthGuard.name);
  private readonly perKey: TokenBuckets;
  private readonly failures: TokenBuckets;

  constructor(
    private readonly config: Config,
    private readonly reflector: Reflector,
    private readonly keys: ApiKeyService,
    private readonly organizations: OrganizationService,
    clock: Clock,
    @Optional() @Inject(SESSION_AUTHENTICATOR) private readonly sessions?: SessionAuthenticator,
  ) {
    const monotonic = () => clock.monotonic();
    this.perKey = new TokenBuckets(config.rateLimitPerSecond, Math.max(1, config.rateLimitPerSecond * 2), monotonic);
    this.failures = new TokenBuckets(FAILED_SIGN_INS.rate, FAILED_SIGN_INS.burst, monotonic);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (rule === 'public') return true;
    if (rule === undefined) {
      this.logger.error(`${context.getClass().name}.${context.getHandler().name} has no @Access rule and is refused`);
      throw problems.insufficientRole('nobody');
    }
    if (rule === 'operator') return this.operator(request);
    const caller = await this.identify(request);
    this.limit(caller);
    if (ROLES.indexOf(caller.role) < ROLES.indexOf(rule)) throw problems.insufficientRole(rule);
    request.caller = caller;
    return true;
  }

  private async identify(request: Request): Promise<Caller> {
    const key = credential(request);
    const caller = key !== null ? await this.keys.authenticate(key) : await this.withoutKey(request);
    if (caller) return caller;
    throw this.refused(request);
  }

  private async withoutKey(request: Request): Promise<Caller | null> {
    if (!this.config.auth) return this.anyone();
    const cookie = sessionCookie(request);
    if (cookie === null || !this.sessions) return null;
    if (!SAFE.has(request.method) && !sameOrigin(request)) {
      throw new Problem('origin_not_allowed', 'Requests with the session cookie must come from the dashboard itself.');
    }
    return this.sessions.authenticate(cookie);
  }

  /** AUTH=off: everybody is Default's admin. */
  private async anyone(): Promise<Caller | null> {
    const organization = await this.organizations.findDefault();
    if (!organization) return null;
    return {
      orgId: organization.id,
      orgName: organization.name,
      isDefaultOrg: true,
      role: 'admin' satisfies Role,
      keyId: null,
      keyName: 'AUTH=off',
    };
  }

  /** Unset token: the routes do not exist. Organization keys, however mighty, are not enough. */
  private async operator(request: Request): Promise<boolean> {
    if (this.config.operatorToken === null) throw problems.notFound();
    const given = credential(request);
    if (given !== null && sameText(given, this.config.operatorToken)) return true;
    if (given !== null && (await this.keys.authenticate(given))) throw problems.insufficientRole('operator');
    throw this.refused(request);
  }

  private limit(caller: Caller): void {
    if (this.config.rateLimitPerSecond === 0) return;
    const wait = this.perKey.take(caller.keyId ?? caller.orgId);
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
  }

  /** One answer for every wrong credential; an address that guesses is slowed down. */
  private refused(request: Request): Problem {
    const wait = this.failures.take(request.socket.remoteAddress ?? '');
    return wait > 0 && credential(request) !== null
      ? problems.rateLimited(Math.ceil(wait))
      : problems.unauthenticated();
  }
}

/** The key of either header; `null` without one. A scheme other than Bearer is a wrong key. */
function credential(request: Request): string | null {
  const sent = request.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'authorization');
  if (sent.length > 1) throw new Problem('bad_request', 'Send one Authorization header.');
  const authorization = request.headers.authorization;
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const key = request.headers['x-api-key'];
  return typeof key === 'string' ? key : null;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const sameText = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
