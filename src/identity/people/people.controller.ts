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
    summary: 'List members',
    description: 'The members of your organization, in the order in which they joined.',
    returns: { page: PersonView, description: 'One page of members.' },
  })
  list(@OrgId() orgId: string, @Query() query: PeopleQuery): Promise<Page<PersonView>> {
    return this.people.list(orgId, query);
  }

  @Route('GET', ':id', {
    access: 'admin',
    needsAccounts: true,
    operationId: 'getPerson',
    summary: 'Get a member',
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
    summary: 'Change the role of a member',
    description:
      'The change applies immediately, even in open sessions. A role that comes from a single sign-on group cannot be changed here. You cannot change the role of the last administrator while there are other members.',
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
    summary: 'Remove a member from the organization',
    description:
      'Ends the membership, not the account. Members may remove themselves, and admins may remove others. API keys that the member created are kept, unless you set `revoke_keys=true`. Invitations and password links that the member created end. With `revoke_invitations=false`, the invitations become yours.',
    returns: { noContent: 'The user is no longer a member.' },
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
    ifMatch: { refused: 'A second factor has no settings that can be changed.' },
    operationId: 'resetSecondFactor',
    summary: 'Reset the second factor of a user',
    description:
      'For the operator only, for a user who has lost the app and the recovery codes. After that, the user signs in with the password alone.',
    returns: { noContent: 'The user has no second factor.' },
    problems: ['not_found', 'conflict'],
  })
  resetSecondFactor(@IdParam('person') id: string): Promise<void> {
    return this.installation.resetSecondFactor(id);
  }

  @Route('POST', ':id/password-link', {
    access: 'admin',
    needsAccounts: true,
    idempotencyKey: { refused: 'The response contains a token that is not stored, so it cannot be sent again.' },
    operationId: 'createPasswordLink',
    summary: 'Create a link to set a password',
    description:
      'For a member who has forgotten the password. The link works once, for 24 hours. The request is rejected for an operator and for a member of another organization. The link stops working if the member joins or leaves an organization, becomes an operator, or gets a new password. It also stops working if the user or key that created it is no longer an admin.',
    returns: { created: PasswordLinkView },
    problems: ['conflict'],
  })
  passwordLink(@CurrentCaller() caller: Caller, @IdParam('person') id: string): Promise<PasswordLinkView> {
    return this.people.passwordLink(caller, id);
  }

  @Route('DELETE', ':id/password-link', {
    access: 'admin',
    needsAccounts: true,
    ifMatch: { refused: 'A link has no settings that can be changed.' },
    operationId: 'deletePasswordLink',
    summary: 'Revoke a link to set a password',
    description: 'Revokes the open link in the member’s `password_link`.',
    returns: { noContent: 'The link no longer works.' },
  })
  endPasswordLink(@OrgId() orgId: string, @IdParam('person') id: string): Promise<void> {
    return this.people.endPasswordLink(orgId, id);
  }

  @Route('DELETE', ':id/identities', {
    access: 'admin',
    needsAccounts: true,
    ifMatch: { refused: 'An identity has no settings that can be changed.' },
    operationId: 'deletePersonIdentities',
    summary: 'Disconnect a member from single sign-on',
    description:
      'Removes every identity in the member’s `identities`, and ends the sessions that were started with them. The request is rejected for an operator and for a member of another organization.',
    returns: { noContent: 'No identity signs in to this account.' },
    problems: ['conflict'],
  })
  removeIdentities(@OrgId() orgId: string, @IdParam('person') id: string): Promise<void> {
    return this.people.removeIdentities(orgId, id);
  }
}
