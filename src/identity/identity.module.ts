import { Global, Module } from '@nestjs/common';
import { ApiKeyController } from './api-key/api-key.controller';
import { ApiKeyService } from './api-key/api-key.service';
import { Bootstrap } from './organization/bootstrap';
import { OrganizationPurgeJob } from './organization/organization-purge.job';
import { OrganizationController } from './organization/organization.controller';
import { OrganizationService } from './organization/organization.service';
import { AccountController } from './person/account.controller';
import { AccountService } from './person/account.service';
import { GroupMemberships } from './person/group-memberships';
import { InstallationPeople } from './person/installation-people.service';
import { InvitationsController } from './person/invitations.controller';
import { InvitationsService } from './person/invitations.service';
import { OwnSessionsService } from './person/own-sessions.service';
import { Passwords } from './person/passwords.service';
import { PeopleController } from './person/people.controller';
import { PeopleService } from './person/people.service';
import { PersonStore } from './person/person-store';
import { Tokens } from './person/tokens';
import { ChangedBytes } from './quota/changed-bytes.service';
import { Quotas } from './quota/quotas.service';
import { RateLimits } from './rate-limits';
import { BrowserSessions } from './session/browser-sessions.service';
import { InvitationController } from './session/invitation.controller';
import { InvitationService } from './session/invitation.service';
import { ProxySignIns } from './session/proxy-sign-ins.service';
import { SessionController } from './session/session.controller';
import { SessionService } from './session/session.service';
import { SignInLinks } from './session/sign-in-links';
import { SignInService } from './session/sign-in.service';

/** Organizations, API keys and browser sessions; global, because the guard of every route needs them. */
@Global()
@Module({
  controllers: [
    OrganizationController,
    ApiKeyController,
    InvitationController,
    SessionController,
    AccountController,
    PeopleController,
    InvitationsController,
  ],
  providers: [
    ApiKeyService,
    InvitationService,
    OrganizationService,
    OrganizationPurgeJob,
    Quotas,
    ChangedBytes,
    Bootstrap,
    RateLimits,
    SessionService,
    ProxySignIns,
    BrowserSessions,
    SignInLinks,
    SignInService,
    PersonStore,
    Passwords,
    Tokens,
    AccountService,
    OwnSessionsService,
    PeopleService,
    InvitationsService,
    InstallationPeople,
    GroupMemberships,
  ],
  exports: [
    ApiKeyService,
    OrganizationService,
    Quotas,
    ChangedBytes,
    Bootstrap,
    RateLimits,
    SessionService,
    BrowserSessions,
    SignInLinks,
  ],
})
export class IdentityModule {}
