import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, OrgId } from '../../platform/access/caller';
import { IdParam } from '../../platform/http/id-param.decorator';
import type { Page } from '../../platform/http/page';
import { WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { Route } from '../../platform/http/route.decorator';
import { PasswordLinkView, PeopleQuery, PersonView, RemovePersonQuery, UpdatePersonDto } from './people.dto';
import { PeopleService } from './people.service';

@ApiTags('People')
@Controller('api/v1/people')
export class PeopleController {
  constructor(private readonly people: PeopleService) {}

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
      'Ends the membership, not the account. Anybody may leave; others are removed by administrators. Keys that they made stay, unless `revoke_keys=true`.',
    returns: { noContent: 'They are no member any more.' },
    problems: ['conflict'],
  })
  remove(
    @CurrentCaller() caller: Caller,
    @IdParam('person') id: string,
    @Query() { revoke_keys }: RemovePersonQuery,
  ): Promise<void> {
    return this.people.remove(caller, id, revoke_keys === true);
  }

  @Route('POST', ':id/password-link', {
    access: 'admin',
    needsAccounts: true,
    idempotencyKey: { refused: 'The response shows a token that is stored nowhere, so it cannot be sent again.' },
    operationId: 'createPasswordLink',
    summary: 'Make a link that sets a password',
    description:
      'For somebody who has forgotten it: works once, for 24 hours. Refused for who is in another organization, too.',
    returns: { created: PasswordLinkView },
    problems: ['conflict'],
  })
  passwordLink(@OrgId() orgId: string, @IdParam('person') id: string): Promise<PasswordLinkView> {
    return this.people.passwordLink(orgId, id);
  }
}
