import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../platform/config/config';
import { requestIdOf } from '../../platform/http/request-id';
import { failpoint } from '../../platform/observability/failpoints';
import { Problem, problems } from '../../platform/problem/problem';
import type { LinkKind } from '../people/account.dto';
import { Tokens } from '../people/tokens';
import { requireOwnOrigin } from '../session/browser-sessions';
import { PersonSignIn } from '../session/person-sign-in';
import { Arrivals } from './arrivals';
import type { Flow } from './flow-cookie';
import { Flows } from './flows';
import { OidcProvider } from './oidc-provider';
import { SignInRefused } from './sign-in-refused';
import type { SignInProblem } from './who-is';
import type { SingleSignOnStartView, StartSingleSignOnDto } from './single-sign-on.dto';

/** The seconds until a retry makes sense while the provider is unavailable. */
const RETRY_SECONDS = 30;
const SIGNED_IN = '/';
const CONNECTED = '/#/settings/account';

const JOINING: readonly LinkKind[] = ['invitation', 'first_account'];

/** The query parameters that the provider sends through the browser. */
type Sent = Readonly<Record<string, unknown>>;

/** Signs people in with the configured OpenID Connect provider. */
@Injectable()
export class SingleSignOnService {
  private readonly logger = new Logger(SingleSignOnService.name);

  constructor(
    private readonly config: Config,
    private readonly provider: OidcProvider,
    private readonly flows: Flows,
    private readonly arrivals: Arrivals,
    private readonly tokens: Tokens,
    private readonly signIns: PersonSignIn,
  ) {}

  /**
   * Returns the URL to send the browser to, and sets the flow's cookie. Throws `not_found` if no provider is
   * configured. Throws `unauthenticated` for a token that can't create an account, and for a connection request without
   * a session. Throws `temporarily_unavailable` while the provider is unavailable.
   */
  async begin(dto: StartSingleSignOnDto, request: Request, response: Response): Promise<SingleSignOnStartView> {
    this.requireProvider();
    requireOwnOrigin(request);
    const token = dto.token ?? null;
    if (token !== null) await this.tokens.find(token, request, JOINING);
    const flow = await this.flows.make(token, dto.connect === true, request);
    const location = await this.addressFor(flow, request);
    this.flows.give(flow, request, response);
    return { location };
  }

  /** Redirects the browser to the dashboard after signing it in, or to the page that explains the error. */
  async finish({ state }: Sent, request: Request, response: Response): Promise<void> {
    this.requireProvider();
    const path = await this.arrive(state, request, response);
    this.flows.forget(request, response);
    response.redirect(303, `${this.config.publicUrl}${path}`);
  }

  private requireProvider(): void {
    if (this.config.oidcIssuer === null) throw problems.notFound();
  }

  private async addressFor(flow: Flow, request: Request): Promise<string> {
    try {
      return await this.provider.addressFor(flow);
    } catch (error) {
      this.tell(error, request);
      throw new Problem(
        'temporarily_unavailable',
        'The single sign-on provider cannot be reached. Sign in another way, or try again later.',
        [],
        {
          'Retry-After': String(RETRY_SECONDS),
        },
      );
    }
  }

  /** Returns the path to redirect the browser to. */
  private async arrive(state: unknown, request: Request, response: Response): Promise<string> {
    try {
      const flow = this.flows.take(state, request);
      const claims = await this.provider.claims(searchOf(request), flow);
      const invitation = flow.token === null ? null : await this.tokens.find(flow.token, request, JOINING);
      const person = await this.arrivals.arrive(flow, claims, invitation, request);
      await failpoint('single_sign_on.committed');
      // A user who connects an identity is already signed in. Their session cookie is Strict and isn't sent here.
      if (flow.connect) return CONNECTED;
      const cameFor = invitation?.organization?.id ?? null;
      await this.signIns.begin(person, 'single_sign_on', request, response, { cameFor });
      return SIGNED_IN;
    } catch (error) {
      return `/#/sign-in/problem/${this.tell(error, request)}`;
    }
  }

  /** Logs the full reason and returns the code for the browser. */
  private tell(error: unknown, request: Request): SignInProblem {
    const code = codeOf(error);
    const isBug = !(error instanceof SignInRefused || error instanceof Problem);
    const text = `${requestIdOf(request)}: single sign-on failed with "${code}": ${error instanceof Error ? error.message : String(error)}`;
    if (isBug) this.logger.error(text, error instanceof Error ? error.stack : undefined);
    else this.logger.warn(text);
    return code;
  }
}

function codeOf(error: unknown): SignInProblem {
  if (error instanceof SignInRefused) return error.code;
  if (!(error instanceof Problem) || error.status >= 500) return 'unreachable';
  // The invitation was used in the meantime, or has expired.
  return error.code === 'unauthenticated' ? 'expired' : 'refused';
}

function searchOf({ originalUrl }: Request): string {
  const at = originalUrl.indexOf('?');
  return at < 0 ? '' : originalUrl.slice(at);
}
