import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Problem, problems } from '../../platform/problem/problem';
import { ServerSecrets } from '../../platform/secrets/server-secrets';
import { Clock } from '../../platform/time/clock';
import { sameOrigin } from '../same-origin';
import { BrowserSessions } from '../session/browser-sessions';
import { requireFresh } from '../session/fresh';
import { newToken, SessionService } from '../session/session.service';
import { clearFlowCookie, type Flow, FLOW_MS, flowCookie, openFlow, setFlowCookie } from './flow-cookie';
import { SignInRefused } from './sign-in-refused';

const REMEMBERED = 10_000;

/**
 * Manages sign-ins that wait for a browser to return from the provider. Each flow exists only in its browser and can be
 * used once.
 */
@Injectable()
export class Flows {
  /**
   * Used states. Each process remembers only the states that it has seen. If another process sees the same state, the
   * provider rejects the code, which it accepts only once.
   */
  private readonly used = new BoundedMap<string, true>(REMEMBERED);

  constructor(
    private readonly secrets: ServerSecrets,
    private readonly clock: Clock,
    private readonly browsers: BrowserSessions,
    private readonly sessions: SessionService,
  ) {}

  /**
   * Creates a flow, with `connect` set for the signed-in account. Throws `unauthenticated`. Throws `conflict` for a
   * key's session and for a session that isn't fresh.
   */
  async make(token: string | null, isToConnect: boolean, request: Request): Promise<Flow> {
    const connect = isToConnect ? await this.connecting(request) : null;
    const [state, nonce, verifier] = [newToken(), newToken(), newToken()];
    return { state, nonce, verifier, token, connect, beganAt: this.clock.now().getTime() };
  }

  give(flow: Flow, request: Request, response: Response): void {
    setFlowCookie(request, response, flow, this.secret);
  }

  /** Returns the flow for this browser and state. Throws `SignInRefused`. */
  take(state: unknown, request: Request): Flow {
    const sealed = flowCookie(request);
    if (sealed === null) throw new SignInRefused('expired', 'the browser has no cookie of a sign-in flow');
    const flow = openFlow(sealed, this.secret);
    if (flow === null) throw new SignInRefused('mismatch', 'the cookie of the flow was not created by this service');
    if (state !== flow.state) throw new SignInRefused('mismatch', 'the state belongs to another flow');
    if (this.clock.now().getTime() - flow.beganAt > FLOW_MS || this.used.get(flow.state) === true)
      throw new SignInRefused('expired', 'the flow was already used, or started more than ten minutes ago');
    this.used.set(flow.state, true);
    return flow;
  }

  forget(request: Request, response: Response): void {
    clearFlowCookie(request, response);
  }

  private async connecting(request: Request): Promise<NonNullable<Flow['connect']>> {
    const held = await this.browsers.held(request);
    if (!held) throw problems.unauthenticated();
    if (!sameOrigin(request))
      throw new Problem('origin_not_allowed', 'Start the connection from the dashboard itself.');
    if (held.person === null || held.id === null)
      throw problems.conflict('This session was created from an API key. Sign in with an account first.');
    requireFresh(held, this.clock.now());
    return { personId: held.person.id, proof: await this.sessions.mayConnect(held.id) };
  }

  private get secret(): Buffer {
    return this.secrets.get('single_sign_on');
  }
}
