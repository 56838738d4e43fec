import { Body, Controller, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IdParam } from '../../platform/http/id-param.decorator';
import { Route } from '../../platform/http/route.decorator';
import { SessionView } from '../session/session.dto';
import type { SignedIn } from '../session/session.service';
import {
  AccountView,
  CreateAccountDto,
  IdentityQuery,
  LinkView,
  OwnSessionView,
  SetPasswordDto,
  TokenDto,
  UpdateAccountDto,
} from './account.dto';
import { AccountService } from './account.service';
import { Identities } from './identities.service';
import { JoinService } from './join.service';
import { OwnSessionsService } from './own-sessions.service';
import { Held } from './held';
import { PasswordReset } from './password-reset.service';

const ONCE = 'The token is used up.';
const OWN = 'A person changes nobody else’s account, and the page shows what is stored.';
const REFUSALS = ['unauthenticated', 'origin_not_allowed', 'rate_limited'] as const;

@ApiTags('Sign-in')
@Controller('auth')
export class AccountController {
  constructor(
    private readonly accounts: AccountService,
    private readonly joins: JoinService,
    private readonly passwordReset: PasswordReset,
    private readonly ownSessions: OwnSessionsService,
    private readonly identities: Identities,
  ) {}

  @Route('POST', 'link', {
    access: 'public',
    needsAccounts: true,
    idempotencyKey: { refused: 'It changes nothing.' },
    operationId: 'describeLink',
    summary: 'What a link is for',
    description: 'Does not use the token up. A token that is unknown, used or over is a wrong credential.',
    returns: { ok: LinkView },
    problems: [...REFUSALS, 'validation_failed', 'malformed_json'],
  })
  describe(@Body() dto: TokenDto, @Req() request: Request): Promise<LinkView> {
    return this.joins.describe(dto, request);
  }

  @Route('POST', 'account', {
    access: 'public',
    needsAccounts: true,
    idempotencyKey: { refused: ONCE },
    operationId: 'createAccount',
    summary: 'Make an account',
    description:
      'From the link of the first start, or from an invitation: joins the organization and signs in. A person who has an account signs in and joins instead.',
    returns: { created: SessionView },
    problems: [...REFUSALS, 'quota_exceeded', 'validation_failed', 'malformed_json'],
  })
  create(
    @Body() dto: CreateAccountDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView> {
    return this.joins.create(dto, request, response);
  }

  @Route('POST', 'join', {
    access: 'person',
    idempotencyKey: { refused: ONCE },
    operationId: 'joinOrganization',
    summary: 'Join by an invitation',
    description: 'For whoever is signed in with an account; the session goes over to the organization.',
    returns: { created: SessionView },
    problems: ['quota_exceeded', 'origin_not_allowed'],
  })
  join(@Held() held: SignedIn, @Body() dto: TokenDto, @Req() request: Request): Promise<SessionView> {
    return this.joins.join(held, dto, request);
  }

  @Route('POST', 'password', {
    access: 'public',
    needsAccounts: true,
    idempotencyKey: { refused: ONCE },
    operationId: 'setPassword',
    summary: 'Set a password by a link',
    description: 'Ends every session of the person and begins this one.',
    returns: { created: SessionView },
    problems: [...REFUSALS, 'validation_failed', 'malformed_json'],
  })
  setPassword(
    @Body() dto: SetPasswordDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView> {
    return this.passwordReset.set(dto, request, response);
  }

  @Route('GET', 'account', {
    access: 'person',
    operationId: 'getAccount',
    summary: 'Your account',
    description: 'Everything that is stored about you. For a session of a person; a key has no account.',
    returns: { ok: AccountView },
  })
  get(@Held() held: SignedIn): Promise<AccountView> {
    return this.accounts.get(held);
  }

  @Route('PUT', 'account', {
    access: 'person',
    ifMatch: { refused: OWN },
    operationId: 'updateAccount',
    summary: 'Change your name or password',
    description: 'Partial. A new password needs the one until now, and ends all other sessions.',
    returns: { ok: AccountView },
    problems: ['origin_not_allowed'],
  })
  update(
    @Held() held: SignedIn,
    @Body() dto: UpdateAccountDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountView> {
    return this.accounts.update(held, dto, request, response);
  }

  @Route('DELETE', 'account', {
    access: 'person',
    ifMatch: { refused: OWN },
    operationId: 'eraseAccount',
    summary: 'Erase your account',
    description:
      'For a session younger than ten minutes. Memberships, sessions and links go; keys and what was said stay, without your name.',
    returns: { noContent: 'Nothing is stored about you any more.' },
    problems: ['origin_not_allowed'],
  })
  erase(@Held() held: SignedIn): Promise<void> {
    return this.accounts.erase(held);
  }

  @Route('DELETE', 'account/identities', {
    access: 'person',
    ifMatch: { refused: 'An identity has no settings that could change.' },
    operationId: 'deleteOwnIdentity',
    summary: 'Remove one of your identities',
    description:
      'After that, the single sign-on or the proxy no longer signs you in to this account. Your other sessions that it started end. Your last way to sign in cannot be removed.',
    returns: { noContent: 'The identity is removed.' },
    problems: ['origin_not_allowed', 'conflict'],
  })
  removeIdentity(@Held() held: SignedIn, @Query() query: IdentityQuery): Promise<void> {
    return this.identities.removeOwn(held, query);
  }

  @Route('GET', 'sessions', {
    access: 'person',
    operationId: 'listOwnSessions',
    summary: 'Your sessions',
    description: 'Newest first, 50 at most.',
    returns: { list: OwnSessionView },
  })
  sessions(@Held() held: SignedIn): Promise<OwnSessionView[]> {
    return this.ownSessions.list(held);
  }

  @Route('DELETE', 'sessions/:id', {
    access: 'person',
    ifMatch: { refused: 'A session has no settings that could change.' },
    operationId: 'endOwnSession',
    summary: 'End one of your sessions',
    description: 'Its browser is signed out.',
    returns: { noContent: 'The session is over.' },
    problems: ['origin_not_allowed'],
  })
  endSession(@Held() held: SignedIn, @IdParam('session') id: string): Promise<void> {
    return this.ownSessions.end(held, id);
  }

  @Route('DELETE', 'sessions', {
    access: 'person',
    ifMatch: { refused: 'A session has no settings that could change.' },
    operationId: 'endOtherSessions',
    summary: 'End all your other sessions',
    description: 'All but the one that asks.',
    returns: { noContent: 'The others are over.' },
    problems: ['origin_not_allowed'],
  })
  endOthers(@Held() held: SignedIn): Promise<void> {
    return this.ownSessions.endOthers(held);
  }
}
