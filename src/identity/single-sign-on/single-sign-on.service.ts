import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../platform/config/config';
import { requestIdOf } from '../../platform/http/request-id';
import { Problem, problems } from '../../platform/problem/problem';
import { RateLimits } from '../rate-limits';
import { requireOwnOrigin, SignInService } from '../session/sign-in.service';
import { Arrivals } from './arrivals';
import type { Flow } from './flow-cookie';
import { Flows } from './flows';
import { OidcProvider } from './oidc-provider';
import { SignInRefused } from './sign-in-refused';
import type { SingleSignOnStartView, StartSingleSignOnDto } from './single-sign-on.dto';

/** Seconds until it is worth to try again while the provider is away. */
const RETRY_SECONDS = 30;
const SIGNED_IN = '/';
const CONNECTED = '/#/settings/account';

/** Signs people in by the OpenID Connect provider of the settings. */
@Injectable()
export class SingleSignOnService {
  private readonly logger = new Logger(SingleSignOnService.name);

  constructor(
    private readonly config: Config,
    private readonly provider: OidcProvider,
    private readonly flows: Flows,
    private readonly arrivals: Arrivals,
    private readonly signIns: SignInService,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Where the browser goes, which gets the cookie of the flow. Throws `not_found` without a provider, `unauthenticated` for a
   * token that is no invitation and for who wants to connect and is not signed in, `temporarily_unavailable` while the provider
   * is away.
   */
  async begin(dto: StartSingleSignOnDto, request: Request, response: Response): Promise<SingleSignOnStartView> {
    this.requireProvider();
    requireOwnOrigin(request);
    const token = dto.token ?? null;
    if (token !== null) await this.requireInvitation(token, request);
    const flow = await this.flows.make(token, dto.connect === true, request);
    const location = await this.addressFor(flow, request);
    this.flows.give(flow, request, response);
    return { location };
  }

  /** Sends the browser on, signed in or to the page of what went wrong. */
  async finish(request: Request, response: Response): Promise<void> {
    this.requireProvider();
    const path = await this.arrive(request, response);
    this.flows.forget(response);
    response.setHeader('Cache-Control', 'no-store');
    response.redirect(303, `${this.config.publicUrl}${path}`);
  }

  private requireProvider(): void {
    if (this.config.oidcIssuer === null) throw problems.notFound();
  }

  private async requireInvitation(token: string, request: Request): Promise<void> {
    this.limits.admitLookUp(request);
    if (!(await this.arrivals.isInvitation(token))) throw this.limits.refusal(request);
  }

  private async addressFor(flow: Flow, request: Request): Promise<string> {
    try {
      return await this.provider.addressFor(flow);
    } catch (error) {
      this.tell(error, request);
      throw new Problem('temporarily_unavailable', 'The single sign-on cannot be reached: sign in another way.', [], {
        'Retry-After': String(RETRY_SECONDS),
      });
    }
  }

  /** Where the browser goes on to. */
  private async arrive(request: Request, response: Response): Promise<string> {
    try {
      const flow = this.flows.take(request);
      const claims = await this.provider.claims(searchOf(request), flow);
      const arrived = await this.arrivals.arrive(flow, claims, (person) =>
        this.signIns.authorOf(person, 'single_sign_on', request),
      );
      // Whoever connects is signed in; their cookie, which is Strict, is not even sent here.
      if (flow.connect) return CONNECTED;
      await this.signIns.begin(arrived.person, 'single_sign_on', request, response, arrived.orgId);
      return SIGNED_IN;
    } catch (error) {
      return `/#/sign-in/problem/${this.tell(error, request)}`;
    }
  }

  /** The whole reason is for the log; the browser is told a code. */
  private tell(error: unknown, request: Request): string {
    const [code, isBug] =
      error instanceof SignInRefused
        ? [error.code, false]
        : error instanceof Problem
          ? [error.status >= 500 ? 'unreachable' : 'refused', false]
          : ['unreachable', true];
    const text = `${requestIdOf(request)}: a single sign-on ends with "${code}": ${error instanceof Error ? error.message : String(error)}`;
    if (isBug) this.logger.error(text, error instanceof Error ? error.stack : undefined);
    else this.logger.warn(text);
    return code;
  }
}

function searchOf({ originalUrl }: Request): string {
  const at = originalUrl.indexOf('?');
  return at < 0 ? '' : originalUrl.slice(at);
}
