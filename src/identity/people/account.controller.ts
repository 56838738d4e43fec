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

const ONCE = 'The token can be used only once.';
const OWN = 'A user can change only their own account, and the page shows what is stored.';
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
    idempotencyKey: { refused: 'Nothing is changed.' },
    operationId: 'describeLink',
    summary: 'Get the purpose of a link',
    description: 'The token remains valid. A token that is unknown, used, or expired counts as a wrong credential.',
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
    summary: 'Create an account',
    description:
      'Accepts the link from the first start or from an invitation: creates the account, joins the organization, and signs in. If you already have an account, sign in and join instead.',
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
    summary: 'Join an organization by invitation',
    description: 'For a user who is signed in with an account. The session switches to the new organization.',
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
    summary: 'Set a password with a link',
    description: 'Ends every session of the user and starts a new one.',
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
    summary: 'Get your account',
    description: 'Returns everything that is stored about you. Requires the session of a user; a key has no account.',
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
    description:
      'Partial update. To change the password, send the current one. A new password ends all other sessions.',
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
      'Requires a session that is less than ten minutes old. Memberships, sessions, and links are deleted. Your API keys and anything that you wrote are kept without your name.',
    returns: { noContent: 'The account was erased.' },
    problems: ['origin_not_allowed'],
  })
  erase(@Held() held: SignedIn): Promise<void> {
    return this.accounts.erase(held);
  }

  @Route('DELETE', 'account/identities', {
    access: 'person',
    ifMatch: { refused: 'An identity has no settings that can be changed.' },
    operationId: 'deleteOwnIdentity',
    summary: 'Remove one of your identities',
    description:
      'After that, single sign-on or the proxy no longer signs you in to this account with this identity. Your other sessions that were started with this identity end. You cannot remove your last way to sign in.',
    returns: { noContent: 'The identity is removed.' },
    problems: ['origin_not_allowed', 'conflict'],
  })
  removeIdentity(@Held() held: SignedIn, @Query() query: IdentityQuery): Promise<void> {
    return this.identities.removeOwn(held, query);
  }

  @Route('GET', 'sessions', {
    access: 'person',
    operationId: 'listOwnSessions',
    summary: 'List your sessions',
    description: 'Newest first, at most 50.',
    returns: { list: OwnSessionView },
  })
  sessions(@Held() held: SignedIn): Promise<OwnSessionView[]> {
    return this.ownSessions.list(held);
  }

  @Route('DELETE', 'sessions/:id', {
    access: 'person',
    ifMatch: { refused: 'A session has no settings that can be changed.' },
    operationId: 'endOwnSession',
    summary: 'End one of your sessions',
    description: 'Signs out the browser of that session.',
    returns: { noContent: 'The session has ended.' },
    problems: ['origin_not_allowed'],
  })
  endSession(@Held() held: SignedIn, @IdParam('session') id: string): Promise<void> {
    return this.ownSessions.end(held, id);
  }

  @Route('DELETE', 'sessions', {
    access: 'person',
    ifMatch: { refused: 'A session has no settings that can be changed.' },
    operationId: 'endOtherSessions',
    summary: 'End all your other sessions',
    description: 'Ends all your sessions except the one that sends the request.',
    returns: { noContent: 'The other sessions have ended.' },
    problems: ['origin_not_allowed'],
  })
  endOthers(@Held() held: SignedIn): Promise<void> {
    return this.ownSessions.endOthers(held);
  }
}
