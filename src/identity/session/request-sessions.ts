import { createHmac } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Request } from 'express';
import { originOf } from '../../audit/authorship';
import { isTrustedProxy } from '../../platform/access/client-network';
import { Config } from '../../platform/config/config';
import { LoadShedder } from '../../platform/http/load/load-shedder';
import { Metrics } from '../../platform/observability/metrics';
import { problems } from '../../platform/problem/problem';
import { ServerSecrets } from '../../platform/secrets/server-secrets';
import { RateLimits } from '../rate-limits';
import { type ProxyUser, readProxyUser } from './proxy-user';
import { ProxyUsers } from './proxy-users';
import { sessionCookie } from './session-cookie';
import { SessionService, type SignedIn } from './session.service';

/** A browser's credential: the session token in its cookie, or the user that the proxy in front names. */
export interface Presented {
  /**
   * The session token. For a proxy user, the token is derived from a server secret and is valid only together with the
   * header.
   */
  token: string;
  user: ProxyUser | null;
}

/** Finds a request's session from the header of a trusted proxy, or otherwise from the cookie. */
@Injectable()
export class RequestSessions implements OnModuleInit {
  private readonly logger = new Logger(RequestSessions.name);
  private readonly ignored;
  private hasTold = false;
  private hasLoggedNotNamed = false;

  constructor(
    private readonly config: Config,
    private readonly sessions: SessionService,
    private readonly users: ProxyUsers,
    private readonly secrets: ServerSecrets,
    private readonly limits: RateLimits,
    private readonly load: LoadShedder,
    metrics: Metrics,
  ) {
    this.ignored = metrics.counter({
      name: 'uptime_proxy_headers_ignored_total',
      help: 'Requests with PROXY_USER_HEADER from an address that is not in TRUSTED_PROXIES, so the header is ignored.',
    });
  }

  onModuleInit(): void {
    this.load.recognize((request) => this.ownerOf(request));
  }

  /**
   * Returns the browser's credential, or `null` if it sent none. Throws `unauthenticated` if the proxy's header is
   * invalid.
   */
  presentedBy(request: Request): Presented | null {
    const user = this.userOf(request);
    if (user === 'wrong') throw problems.unauthenticated();
    if (user !== null) return { token: this.tokenOf(user), user };
    const token = sessionCookie(request);
    return token === null ? null : { token, user: null };
  }

  /**
   * Returns the session with current rights, or `null` for an invalid cookie. Looks up an unknown cookie only if the
   * address is allowed to. Throws `unauthenticated` for an unknown proxy user. This error isn't counted as a wrong
   * credential, because it isn't a guess.
   */
  async signedIn({ token, user }: Presented, request: Request): Promise<SignedIn | null> {
    if (user === null) return this.sessions.signedIn(token, () => this.limits.admitLookUp(request, 'other'));
    const held = await this.sessions.signedIn(token, free, 'header');
    if (held && this.users.isSettled(token, user)) return held;
    if (!(await this.users.settle(token, user, request, held !== null))) throw problems.unauthenticated();
    this.sessions.remember(token);
    return this.sessions.signedIn(token, free, 'header');
  }

  /**
   * Works like `signedIn`, for a page that checks its session. An invalid cookie isn't an error, but it counts as a
   * wrong credential from the address.
   */
  async asked(request: Request): Promise<SignedIn | null> {
    const presented = this.presentedBy(request);
    const held = presented && (await this.signedIn(presented, request));
    if (presented && !held) this.limits.refusal(request);
    return held;
  }

  /**
   * Returns whether the proxy let a browser through without naming its user, although the request came from a dashboard
   * page. The usual cause is a proxy that requires no sign-in for `/api/`. Logged once.
   */
  isNotNamed(request: Request): boolean {
    const isByPage = request.headers['sec-fetch-site'] === 'same-origin';
    if (this.config.proxyUserHeader === null || !isByPage) return false;
    if (!isTrustedProxy(request, request.socket.remoteAddress)) return false;
    if (!this.hasLoggedNotNamed)
      this.logger.warn(
        `A page requested ${request.path.replace(/^(\/[\w-]+\/).*/, '$1…')}, and the proxy did not say who is signed in: it has to send PROXY_USER_HEADER on every path. Logged only once.`,
      );
    return (this.hasLoggedNotNamed = true);
  }

  /** Ends the cookie's session, if there is one. */
  async close(request: Request): Promise<void> {
    const cookie = sessionCookie(request);
    if (cookie !== null)
      await this.sessions.close(cookie, originOf(request), () => this.limits.admitLookUp(request, 'other'));
  }

  /** Returns the session's owner if this process knows it. A user whom the proxy names counts as known. */
  private ownerOf(request: Request): string | null {
    const { proxyUserHeader } = this.config;
    if (proxyUserHeader !== null && isTrustedProxy(request, request.socket.remoteAddress)) {
      const user = readProxyUser(request.rawHeaders, this.config);
      if (user !== null && user !== 'wrong') return `user ${user.subject}`;
    }
    const cookie = request.headers.cookie === undefined ? null : sessionCookie(request);
    return cookie === null ? null : this.sessions.knownOwner(cookie);
  }

  private userOf(request: Request): ProxyUser | 'wrong' | null {
    if (this.config.proxyUserHeader === null) return null;
    const user = readProxyUser(request.rawHeaders, this.config);
    if (user === null || isTrustedProxy(request, request.socket.remoteAddress)) return user;
    this.ignored.inc();
    if (!this.hasTold)
      this.logger.warn(
        `PROXY_USER_HEADER came from ${request.socket.remoteAddress}, which is not in TRUSTED_PROXIES, so it is ignored. Logged only once.`,
      );
    this.hasTold = true;
    return null;
  }

  private tokenOf({ subject }: ProxyUser): string {
    return createHmac('sha256', this.secrets.get('proxy_user')).update(subject).digest('base64url');
  }
}

const free = (): void => undefined;
