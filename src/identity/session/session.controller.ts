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
    summary: 'How one gets in',
    description: 'What the page of signing in offers.',
    returns: { ok: SignInMethodsView },
    problems: ['rate_limited'],
  })
  methods(): Promise<SignInMethodsView> {
    return this.browsers.methods();
  }

  @Route('POST', 'session', {
    access: 'public',
    idempotencyKey: { refused: 'Signing in begins a session each time.' },
    operationId: 'signIn',
    summary: 'Sign in to the dashboard',
    description:
      'Exchanges an API key (or the token of a one-time sign-in link) for an httpOnly session cookie with the rights of ' +
      'that key: 12 hours idle, 7 days at most, with a read key 7 days idle; gone with the key. For browsers; programs send ' +
      'the key itself: a key signs in 20 times at once, then once every ten seconds. ' +
      'The link of a key that 0.1.0 invited a person to also gives it a secret: `api_key`. ' +
      'A person with a second factor sends it along: without it the response to a right password is 401 `second_factor_required`.',
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
    summary: 'Who is signed in',
    description: 'Who the browser’s session cookie, or the header of a proxy, stands for; 204 for nobody.',
    returns: { ok: SessionView, noContent: 'Nobody is signed in.' },
    problems: ['unauthenticated', 'origin_not_allowed', 'rate_limited'],
  })
  current(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<SessionView | undefined> {
    return this.browsers.current(request, response);
  }

  @Route('PUT', 'session', {
    access: 'public',
    needsAccounts: true,
    ifMatch: { refused: 'A session has no settings that could change.' },
    operationId: 'moveSession',
    summary: 'Go over to another organization',
    description: 'The session of a person stands for another of their organizations from now on.',
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
    ifMatch: { refused: 'A session has no settings that could change.' },
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
