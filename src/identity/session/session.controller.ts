import { Body, Controller, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Route } from '../../platform/http/route.decorator';
import { BrowserSessions } from './browser-sessions';
import { PersonSignIn } from './person-sign-in';
import { CreatedSessionView, CreateSessionDto, MoveSessionDto, SessionView, SignInMethodsView } from './session.dto';
import { SignInService } from './sign-in.service';

@ApiTags('Sign-in')
@Controller('auth')
export class SessionController {
  constructor(
    private readonly signIns: SignInService,
    private readonly people: PersonSignIn,
    private readonly browsers: BrowserSessions,
  ) {}

  @Route('GET', 'methods', {
    access: 'public',
    operationId: 'getSignInMethods',
    summary: 'List sign-in methods',
    description: 'Returns the sign-in methods that the sign-in page offers.',
    returns: { ok: SignInMethodsView },
    problems: ['rate_limited'],
  })
  methods(): Promise<SignInMethodsView> {
    return this.browsers.methods();
  }

  @Route('POST', 'session', {
    access: 'public',
    idempotencyKey: { refused: 'Each sign-in starts a new session.' },
    operationId: 'signIn',
    summary: 'Sign in to the dashboard',
    description:
      'Exchanges an API key, or the token of a one-time sign-in link, for an httpOnly session cookie with the ' +
      'permissions of that key. The session ends after 12 hours without use, and after 7 days at the latest. A session ' +
      'of a read key ends only after 7 days without use. Every session ends when its key stops working. Use it only ' +
      'in browsers; programs send the key itself. A key can sign in 20 times at once, then once every ten seconds. ' +
      'For an invitation link that version 0.1.0 created, the response also contains a new key: `api_key`. A user with a second ' +
      'factor sends it in the same request. Without it, the response to a correct password is 401 ' +
      '`second_factor_required`.',
    returns: { created: CreatedSessionView },
    problems: ['malformed_json', 'unauthenticated', 'second_factor_required', 'origin_not_allowed', 'rate_limited'],
  })
  signIn(
    @Body() credentials: CreateSessionDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreatedSessionView> {
    return this.signIns.signIn(credentials, request, response);
  }

  @Route('GET', 'session', {
    access: 'public',
    operationId: 'getSession',
    summary: 'Get the current session',
    description:
      'Returns the key or user that is signed in with the session cookie or a proxy header. 204 if no one is signed in.',
    returns: { ok: SessionView, noContent: 'No one is signed in.' },
    problems: ['unauthenticated', 'origin_not_allowed', 'rate_limited'],
  })
  current(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SessionView | undefined> {
    return this.browsers.current(request, response);
  }

  @Route('PUT', 'session', {
    access: 'public',
    needsAccounts: true,
    ifMatch: { refused: 'A session has no settings that can be changed.' },
    operationId: 'moveSession',
    summary: 'Switch organization',
    description: 'Switches the session of a user to another of their organizations.',
    returns: { ok: SessionView },
    problems: [
      'unauthenticated',
      'origin_not_allowed',
      'rate_limited',
      'not_found',
      'validation_failed',
      'malformed_json',
    ],
  })
  move(@Body() dto: MoveSessionDto, @Req() request: Request): Promise<SessionView> {
    return this.people.move(dto, request);
  }

  @Route('DELETE', 'session', {
    access: 'public',
    ifMatch: { refused: 'A session has no settings that can be changed.' },
    operationId: 'signOut',
    summary: 'Sign out',
    description: 'Ends the session and removes its cookie.',
    returns: { noContent: 'Signed out.' },
    problems: ['origin_not_allowed'],
  })
  signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    return this.browsers.signOut(request, response);
  }
}
