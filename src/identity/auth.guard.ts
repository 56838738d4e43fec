import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Config } from '../platform/config/config';
import { Problem, problems } from '../platform/problem/problem';
import { COST, type CostOf } from '../platform/access/cost';
import { SAFE_METHODS } from '../platform/access/safe-methods';
import {
  ACCESS,
  type AccessRule,
  type AuthenticatedRequest,
  type Caller,
  COUNTED_BY,
  NEEDS_ACCOUNTS,
} from '../platform/access/caller';
import { leastRoleWith, may } from '../platform/access/permissions';
import { credential, Credentials } from './credentials';
import { OrganizationService } from './organization/organization.service';
import { requireOrganization } from './organization/wanted-organization';
import { RateLimits } from './rate-limits';
import { sameText } from './same-text';
import { problemOfOrigin, requireOwnPage, sameOrigin } from './same-origin';
import { RequestSessions } from './session/request-sessions';
import { sessionCookie } from './session/session-cookie';
import type { SignedIn } from './session/session.service';

/**
 * Denies by default: a route without `@Access` returns 403. Authenticates the caller by API key, then by the proxy's
 * header, then by session cookie. Authenticates a probe by its token. Then applies the rate limits and stores the
 * caller on the request.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  private readonly logger = new Logger(AuthGuard.name);

  constructor(
    private readonly config: Config,
    private readonly reflector: Reflector,
    private readonly credentials: Credentials,
    private readonly organizations: OrganizationService,
    private readonly limits: RateLimits,
    private readonly sessions: RequestSessions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (!this.config.auth && this.reflector.get<true | undefined>(NEEDS_ACCOUNTS, context.getHandler()))
      throw problems.conflict('With AUTH=off there are no accounts.');
    if (rule === 'public') return this.visitor(request, context);
    if (rule === undefined) {
      this.logger.error(
        `${context.getClass().name}.${context.getHandler().name} has no @Access rule, so requests to it are rejected`,
      );
      throw problems.insufficientRole('nobody');
    }
    if (rule === 'operator') return this.operator(request);
    if (rule === 'person') return this.person(request);
    if (rule === 'probe') return this.probe(request);
    const caller = await this.authenticate(request);
    requireOrganization(caller, request.headers['x-organization']);
    const costOf = this.reflector.get<CostOf | undefined>(COST, context.getHandler());
    this.limits.countRequest(request, caller, costOf);
    if (!may(caller, rule)) throw problems.insufficientRole(leastRoleWith(rule));
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
    const caller = key !== null ? await this.credentials.callerOf(key, request) : await this.withoutKey(request);
    if (caller) return caller;
    throw this.refused(request);
  }

  private async withoutKey(request: Request): Promise<Caller | null> {
    if (!this.config.auth) return this.withoutAuth(request);
    const held = await this.signedIn(request);
    if (held && !held.caller) throw new Problem('insufficient_role', IN_NO_ORGANIZATION);
    return held && held.caller;
  }

  /** Returns the browser's session. Changes must come from the service's own pages. */
  private async signedIn(request: Request): Promise<SignedIn | null> {
    const presented = this.sessions.presentedBy(request);
    if (presented === null) return null;
    if (!SAFE_METHODS.has(request.method) && !sameOrigin(request)) throw problemOfOrigin();
    return this.sessions.signedIn(presented, request);
  }

  /** Admits the session of a person with an account. For keys and their sessions, the route does not exist. */
  private async person(request: AuthenticatedRequest): Promise<true> {
    const key = credential(request);
    if (key !== null && (await this.credentials.callerOf(key, request))) throw problems.notFound();
    const held = key === null ? await this.signedIn(request) : null;
    if (!held) throw this.refused(request);
    if (held.person === null) throw problems.notFound();
    this.limits.countPerson(request, held.person.id, held.caller?.orgId ?? null);
    if (held.caller) request.caller = held.caller;
    request.signedIn = held;
    return true;
  }

  /**
   * Admits a probe by its token, even with AUTH=off. Rejects keys and sessions here, just as all other routes reject
   * probe tokens.
   */
  private async probe(request: AuthenticatedRequest): Promise<true> {
    const held = await this.credentials.probeOf(request);
    if (!held)
      throw credential(request) === null
        ? problems.unknownProbe()
        : this.limits.refusal(request, problems.unknownProbe());
    this.limits.countProbe(request, held.caller);
    if (!held.isEnabled) throw problems.probeDisabled();
    request.probe = held.caller;
    return true;
  }

  /**
   * Admits everyone who can reach the port as an administrator. Pages from other sites in a browser on this machine are
   * rejected.
   */
  private withoutAuth(request: Request): Promise<Caller | null> {
    requireOwnPage(request, this.config);
    return this.organizations.defaultAdmin();
  }

  /**
   * Admits the operator token or an operator's session. If no token is set, the routes do not exist for anyone else. An
   * organization's key is never enough, not even an admin key.
   */
  private async operator(request: AuthenticatedRequest): Promise<boolean> {
    const given = credential(request);
    const held = given === null && this.config.auth ? await this.signedIn(request) : null;
    if (held?.person?.isOperator) {
      if (held.caller) requireOrganization(held.caller, request.headers['x-organization']);
      this.limits.countPerson(request, held.person.id, held.caller?.orgId ?? null);
      if (held.caller) request.caller = held.caller;
      return (request.isOperator = true);
    }
    if (this.config.operatorToken === null) throw problems.notFound();
    if (held) throw problems.insufficientRole('operator');
    if (given !== null && sameText(given, this.config.operatorToken)) return (request.isOperator = true);
    if (given !== null && (await this.credentials.callerOf(given, request)))
      throw problems.insufficientRole('operator');
    throw this.refused(request);
  }

  /**
   * Returns the same problem for every wrong credential. Slows down an address that guesses, but not one that sends no
   * credentials.
   */
  private refused(request: Request): Problem {
    const isWithout = credential(request) === null;
    if (isWithout && sessionCookie(request) === null)
      return this.sessions.isNotNamed(request) ? problems.unauthenticated(NOT_NAMED) : problems.unauthenticated();
    const refusal = this.limits.refusal(request);
    return isWithout ? problems.unauthenticated() : refusal;
  }
}

const IN_NO_ORGANIZATION =
  'You are not a member of any organization, or no longer a member of this one. Choose another organization, or ask to be invited. If you got your role through a group, sign in with single sign-on. If the organization requires a second factor, set one up under My account.';

const NOT_NAMED =
  'The reverse proxy did not identify you on this path. It must also send PROXY_USER_HEADER here, for browsers that signed in through it.';
