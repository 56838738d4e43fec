import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, OrgId } from '../../platform/access/caller';
import { IdParam } from '../../platform/http/id-param.decorator';
import type { Page } from '../../platform/http/page';
import { WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { Route } from '../../platform/http/route.decorator';
import { InstallationPeople } from './installation-people.service';
import { PasswordLinkView, PeopleQuery, PersonView, RemovePersonQuery, UpdatePersonDto } from './people.dto';
import { PeopleService } from './people.service';

@ApiTags('People')
@Controller('api/v1/people')
export class PeopleController {
  constructor(
    private readonly people: PeopleService,
    private readonly installation: InstallationPeople,
  ) {}

  @Route('GET', '', {
    access: 'admin',
    needsAccounts: true,
    operationId: 'listPeople',
    summary: 'List people',
    description: 'The members of your organization, by when they joined.',
    returns: { page: PersonView, description: 'One page of people.' },
  })
  list(@OrgId() orgId: string, @Query() query: PeopleQuery): Promise<Page<PersonView>> {
    return this.people.list(orgId, query);
  }

  @Route('GET', ':id', {
    access: 'admin',
    needsAccounts: true,
    operationId: 'getPerson',
    summary: 'Get a person',
    description: 'A member of your organization.',
    returns: { ok: PersonView, ...WITH_ETAG },
  })
  get(@OrgId() orgId: string, @IdParam('person') id: string): Promise<PersonView> {
    return this.people.get(orgId, id);
  }

  @Route('PUT', ':id', {
    access: 'admin',
    needsAccounts: true,
    ifMatch: 'honoured',
    operationId: 'updatePerson',
    summary: 'Change what a person may do',
    description:
      'Holds at once, in their open sessions, too. A role that a group of the single sign-on decides cannot be changed here, nor that of the last administrator while others are members.',
    returns: { ok: PersonView, ...WITH_ETAG },
    problems: ['conflict'],
  })
  update(@OrgId() orgId: string, @IdParam('person') id: string, @Body() dto: UpdatePersonDto): Promise<PersonView> {
    return this.people.update(orgId, id, dto);
  }

  @Route('DELETE', ':id', {
    access: 'read',
    needsAccounts: true,
    ifMatch: 'honoured',
    operationId: 'removePerson',
    summary: 'Remove a person from the organization',
    description:
      'Ends the membership, not the account. Members may remove themselves, and admins may remove others. API keys that the person created stay, unless `revoke_keys=true`. Invitations and password links that the person created end. With `revoke_invitations=false`, the invitations become yours.',
    returns: { noContent: 'They are no member any more.' },
    problems: ['conflict'],
  })
  remove(
    @CurrentCaller() caller: Caller,
    @IdParam('person') id: string,
    @Query() query: RemovePersonQuery,
  ): Promise<void> {
    return this.people.remove(caller, id, query);
  }

  @Route('DELETE', ':id/second-factor', {
    access: 'operator',
    needsAccounts: true,
    ifMatch: { refused: 'A second factor has no settings that could change.' },
    operationId: 'resetSecondFactor',
    summary: 'Reset the second factor of a person',
    description:
      'Operator only, for a person who has lost the app and the recovery codes. From then on the password alone signs them in.',
    returns: { noContent: 'They have no second factor.' },
    problems: ['not_found', 'conflict'],
  })
  resetSecondFactor(@IdParam('person') id: string): Promise<void> {
    return this.installation.resetSecondFactor(id);
  }

  @Route('POST', ':id/password-link', {
    access: 'admin',
    needsAccounts: true,
    idempotencyKey: { refused: 'The response shows a token that is stored nowhere, so it cannot be sent again.' },
    operationId: 'createPasswordLink',
    summary: 'Make a link that sets a password',
    description:
      'For a member who has forgotten the password. The link works once, for 24 hours. It is refused for an operator and for a member of another organization. The link ends if the person joins or leaves an organization, becomes an operator, or gets a new password, and if the person or key that created it is not an admin any more.',
    returns: { created: PasswordLinkView },
    problems: ['conflict'],
  })
  passwordLink(@CurrentCaller() caller: Caller, @IdParam('person') id: string): Promise<PasswordLinkView> {
    return this.people.passwordLink(caller, id);
  }

  @Route('DELETE', ':id/password-link', {
    access: 'admin',
    needsAccounts: true,
    ifMatch: { refused: 'A link has no settings that could change.' },
    operationId: 'deletePasswordLink',
    summary: 'Revoke a link that sets a password',
    description: 'Ends the open link that `password_link` of the person shows.',
    returns: { noContent: 'The link no longer works.' },
  })
  endPasswordLink(@OrgId() orgId: string, @IdParam('person') id: string): Promise<void> {
    return this.people.endPasswordLink(orgId, id);
  }

  @Route('DELETE', ':id/identities', {
    access: 'admin',
    needsAccounts: true,
    ifMatch: { refused: 'An identity has no settings that could change.' },
    operationId: 'deletePersonIdentities',
    summary: 'Disconnect a person from the single sign-on',
    description:
      'Removes every identity in `identities` of the person, and ends the sessions that they started. It is refused for an operator and for a member of another organization.',
    returns: { noContent: 'No identity signs in as this person.' },
    problems: ['conflict'],
  })
  removeIdentities(@OrgId() orgId: string, @IdParam('person') id: string): Promise<void> {
    return this.people.removeIdentities(orgId, id);
  }
}
