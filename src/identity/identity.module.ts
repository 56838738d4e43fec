import { Global, Module } from '@nestjs/common';
import { RetentionJob } from '../platform/jobs/retention.job';
import { IdentityMetrics } from './identity.metrics';
import { ApiKeyController } from './api-key/api-key.controller';
import { ApiKeyService } from './api-key/api-key.service';
import { Bootstrap } from './organization/bootstrap';
import { OrganizationPurgeJob } from './organization/organization-purge.job';
import { OrganizationController } from './organization/organization.controller';
import { OrganizationService } from './organization/organization.service';
import { OrganizationZones } from './organization/organization-zones';
import { AccountController } from './people/account.controller';
import { AccountMails } from './people/account-mails';
import { AccountService } from './people/account.service';
import { Identities } from './people/identities.service';
import { JoinService } from './people/join.service';
import { Memberships } from './people/memberships';
import { PasswordReset } from './people/password-reset.service';
import { GroupMemberships } from './people/group-memberships';
import { InstallationPeople } from './people/installation-people.service';
import { InvitationsController } from './people/invitations.controller';
import { InvitationsService } from './people/invitations.service';
import { OpenLinks } from './people/open-links';
import { OwnSecondFactor } from './people/own-second-factor.service';
import { OwnSessionsService } from './people/own-sessions.service';
import { Passwords } from './person/passwords.service';
import { PeopleController } from './people/people.controller';
import { PeopleService } from './people/people.service';
import { SecondFactorController } from './people/second-factor.controller';
import { PERSON_RETENTION } from './person/person-retention';
import { PersonStore } from './person/person-store';
import { SecondFactors } from './person/second-factors.service';
import { Tokens } from './people/tokens';
import { ProxySignIns } from './proxy/proxy-sign-ins';
import { ChangeQuota } from './quota/change-quota.service';
import { ChangedBytes } from './quota/changed-bytes.service';
import { Quotas } from './quota/quotas.service';
import { RateLimits } from './rate-limits';
import { BrowserSessions } from './session/browser-sessions';
import { KnownNetworks } from './session/known-networks';
import { PersonSignIn } from './session/person-sign-in';
import { ProxyUsers } from './session/proxy-users';
import { RequestSessions } from './session/request-sessions';
import { SESSION_RETENTION } from './session/session-life';
import { SessionController } from './session/session.controller';
import { SessionService } from './session/session.service';
import { SignInLinks } from './session/sign-in-links';
import { SignInService } from './session/sign-in.service';
import { Arrivals } from './single-sign-on/arrivals';
import { Flows } from './single-sign-on/flows';
import { OidcProvider } from './single-sign-on/oidc-provider';
import { SingleSignOnController } from './single-sign-on/single-sign-on.controller';
import { SingleSignOnService } from './single-sign-on/single-sign-on.service';

/** Provides organizations, API keys, and browser sessions. Global, because every route's guard needs them. */
@Global()
@Module({
  controllers: [
    OrganizationController,
    ApiKeyController,
    SessionController,
    AccountController,
    SecondFactorController,
    PeopleController,
    InvitationsController,
    SingleSignOnController,
  ],
  providers: [
    ApiKeyService,
    OrganizationService,
    OrganizationZones,
    OrganizationPurgeJob,
    Quotas,
    ChangedBytes,
    ChangeQuota,
    Bootstrap,
    RateLimits,
    IdentityMetrics,
    SessionService,
    SignInLinks,
    { provide: ProxyUsers, useClass: ProxySignIns },
    RequestSessions,
    BrowserSessions,
    KnownNetworks,
    PersonSignIn,
    SignInService,
    PersonStore,
    SecondFactors,
    Passwords,
    Tokens,
    Memberships,
    OpenLinks,
    Identities,
    AccountMails,
    JoinService,
    PasswordReset,
    AccountService,
    OwnSecondFactor,
    OwnSessionsService,
    PeopleService,
    InvitationsService,
    InstallationPeople,
    GroupMemberships,
    OidcProvider,
    Flows,
    Arrivals,
    SingleSignOnService,
  ],
  exports: [
    ApiKeyService,
    OrganizationService,
    OrganizationZones,
    Quotas,
    ChangedBytes,
    ChangeQuota,
    Bootstrap,
    RateLimits,
    SessionService,
    RequestSessions,
    SignInLinks,
  ],
})
export class IdentityModule {
  constructor(retention: RetentionJob) {
    retention.add(PERSON_RETENTION);
    retention.add(SESSION_RETENTION);
  }
}
