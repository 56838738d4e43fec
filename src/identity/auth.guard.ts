import { timingSafeEqual, createHash } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Config } from '../platform/config/config';
import { parseId } from '../platform/ids/id';
import { Problem, problems } from '../platform/problem/problem';
import { ApiKeyService } from './api-key/api-key.service';
import { COST, type CostOf } from '../platform/access/cost';
import {
  ACCESS,
  type AccessRule,
  type AuthenticatedRequest,
  type Caller,
  COUNTED_BY,
  ROLES,
} from '../platform/access/caller';
import { OrganizationService } from './organization/organization.service';
import { RateLimits } from './rate-limits';
import { requireOwnPage, sameOrigin } from './same-origin';
import { BrowserSessions } from './session/browser-sessions.service';
import { sessionCookie } from './session/session-cookie';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Deny by default: a route without `@Access` is a 403. Authenticates the caller (API key, else the header of a proxy, else session cookie), applies the
 * rate limits, and leaves the caller on the request.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  private readonly logger = new Logger(AuthGuard.name);

  constructor(
    private readonly config: Config,
    private readonly reflector: Reflector,
    private readonly keys: ApiKeyService,
    private readonly organizations: OrganizationService,
    private readonly limits: RateLimits,
    private readonly browsers: BrowserSessions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (rule === 'public') return this.visitor(request, context);
    if (rule === undefined) {
      this.logger.error(`${context.getClass().name}.${context.getHandler().name} has no @Access rule and is refused`);
      throw problems.insufficientRole('nobody');
    }
    if (rule === 'operator') return this.operator(request);
    if (rule === 'person') return this.person(request);
    const caller = await this.authenticate(request);
    requireOrganization(request, caller);
    const costOf = this.reflector.get<CostOf | undefined>(COST, context.getHandler());
    this.limits.countRequest(request, caller, costOf);
    if (ROLES.indexOf(caller.role) < ROLES.indexOf(rule)) throw problems.insufficientRole(rule);
    request.caller = caller;
    return true;
  }

  private visitor(request: Request, context: ExecutionContext): true {
    if (this.reflector.get<string | undefined>(COUNTED_BY, context.getHandler()) === undefined)
      this.limits.countVisit(request);
    return true;
  }

  private async authenticate(request: Request): Promise<Caller> {
    const key = credential(request);
    const caller = key !== null ? await this.callerOf(key, request) : await this.withoutKey(request);
    if (caller) return caller;
    throw this.refused(request);
  }

  private callerOf(key: string, request: Request): Promise<Caller | null> {
    return this.keys.authenticate(key, () => this.limits.admitLookUp(request));
  }

  private async withoutKey(request: Request): Promise<Caller | null> {
    if (!this.config.auth) return this.withoutAuth(request);
    const presented = this.browsers.presentedBy(request);
    if (presented === null) return null;
    if (!SAFE.has(request.method) && !sameOrigin(request, this.config)) throw problemOfOrigin();
    const held = await this.browsers.signedIn(presented, request);
    if (held && !held.caller) throw new Problem('insufficient_role', IN_NO_ORGANIZATION);
    return held && held.caller;
  }

  /** The session of somebody with an account. For a key, a key's session and AUTH=off the route does not exist. */
  private async person(request: AuthenticatedRequest): Promise<true> {
    if (!this.config.auth || credential(request) !== null) throw problems.notFound();
    const presented = this.browsers.presentedBy(request);
    if (!SAFE.has(request.method) && !sameOrigin(request, this.config)) throw problemOfOrigin();
    const held = presented && (await this.browsers.signedIn(presented, request));
    if (!held) throw this.refused(request);
    if (held.person === null) throw problems.notFound();
    this.limits.countPerson(held.person.id);
    if (held.caller) request.caller = held.caller;
    request.signedIn = held;
    return true;
  }

  /** Whoever reaches the port is an administrator, but no page of another site that a browser on this machine shows. */
  private withoutAuth(request: Request): Promise<Caller | null> {
    requireOwnPage(request, this.config);
    return this.organizations.defaultAdmin();
  }

  /**
   * The operator token, or the session of a person who is an operator. Without a token in the settings the routes do not exist
   * for anybody else. The key of an organization is never enough, not even an admin's.
   */
  private async operator(request: AuthenticatedRequest): Promise<boolean> {
    const given = credential(request);
    if (given === null && this.config.auth) {
      const caller = await this.withoutKey(request).catch(() => null);
      if (caller?.person?.isOperator === true) {
        request.caller = caller;
        return (request.isOperator = true);
      }
    }
    if (this.config.operatorToken === null) throw problems.notFound();
    if (given !== null && sameText(given, this.config.operatorToken)) return (request.isOperator = true);
    if (given !== null && (await this.callerOf(given, request))) throw problems.insufficientRole('operator');
    throw this.refused(request);
  }

  /** Every wrong credential gets one response; an address that guesses is slowed down, one that sends none is not. */
  private refused(request: Request): Problem {
    const isWithout = credential(request) === null;
    if (isWithout && sessionCookie(request) === null) return problems.unauthenticated();
    const refusal = this.limits.refusal(request);
    return isWithout ? problems.unauthenticated() : refusal;
  }
}

const IN_NO_ORGANIZATION =
  'You are in no organization, or not in this one any more: choose another, or ask to be invited.';

const problemOfOrigin = (): Problem =>
  new Problem('origin_not_allowed', 'Requests with the session cookie must come from the dashboard itself.');

/** A page that was opened before its browser went over to another organization must not act in that one. Throws `conflict`. */
function requireOrganization(request: Request, { orgId }: Caller): void {
  const wanted = request.headers['x-organization'];
  if (wanted !== undefined && parseId('organization', wanted) !== orgId)
    throw problems.conflict(
      'This request is for another organization than the one you are signed in to. Load the page again.',
    );
}

/** The key of either header; `null` without one. A scheme other than Bearer counts as a wrong key. */
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
