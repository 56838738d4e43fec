import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeliveryTestView } from '../delivery/delivery.dto';
import { type Caller, CurrentCaller } from '../platform/access/caller';
import { costOfList } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { ClientLeft } from '../platform/http/client-left';
import { IdParam } from '../platform/http/id-param.decorator';
import type { Page } from '../platform/http/page';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import { ContactQuery, ContactView, CreateContactDto, DeleteContactQuery, UpdateContactDto } from './contact.dto';
import { ContactService } from './contact.service';
import { TestContactService } from './test-contact.service';

@ApiTags('Contacts')
@Controller('api/v1/contacts')
export class ContactController {
  constructor(
    private readonly contacts: ContactService,
    private readonly tests: TestContactService,
  ) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfList(1000),
    operationId: 'listContacts',
    summary: 'List contacts',
    description: 'Channels that are configured once and used by any number of alerts, oldest first.',
    returns: { page: ContactView, description: 'One page of contacts.' },
  })
  list(@CurrentCaller() caller: Caller, @Query() query: ContactQuery): Promise<Page<ContactView>> {
    return this.contacts.list(caller, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    operationId: 'getContact',
    summary: 'Get a contact',
    description: 'One contact; credentials in its config are masked.',
    returns: { ok: ContactView, ...WITH_ETAG, description: 'The contact.' },
  })
  get(@CurrentCaller() caller: Caller, @IdParam('contact') id: string): Promise<ContactView> {
    return this.contacts.get(caller, id);
  }

  @Route('POST', '', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'createContact',
    summary: 'Create a contact',
    description:
      'With `default`, every endpoint that is created from then on gets an alert through it. A secret that the channel generated is shown in this answer only. At most 1,000 contacts, 10 of them `default`.',
    returns: { created: ContactView, at: '/api/v1/contacts', ...WITH_ETAG, description: 'The new contact.' },
    problems: ['quota_exceeded', 'target_not_allowed', 'conflict'],
  })
  @AlsoChecked(ContactService, (contacts, fields: Partial<CreateContactDto>, { caller }) =>
    contacts.findingsInNew(caller, fields),
  )
  create(@CurrentCaller() caller: Caller, @Body() dto: CreateContactDto): Promise<ContactView> {
    return this.contacts.create(caller, dto);
  }

  @Route('PUT', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'updateContact',
    summary: 'Update a contact',
    description:
      'Partial: only the fields sent change, `type` only together with `config`. A change of the config holds for all its alerts at once. Where messages still go to the same account and address, as with a rotated token, open incidents stay open; else they are closed through the old config, and the next failing result opens new ones.',
    returns: { ok: ContactView, ...WITH_ETAG, description: 'The contact as it is now.' },
    problems: ['quota_exceeded', 'target_not_allowed', 'conflict'],
  })
  @AlsoChecked(ContactService, (contacts, fields: UpdateContactDto, { caller, params }) =>
    contacts.findingsIn(caller, params['id'], fields),
  )
  update(
    @CurrentCaller() caller: Caller,
    @IdParam('contact') id: string,
    @Body() dto: UpdateContactDto,
  ): Promise<ContactView> {
    return this.contacts.update(caller, id, dto);
  }

  @Route('DELETE', ':id', {
    access: 'write',
    ifMatch: 'honoured',
    operationId: 'deleteContact',
    summary: 'Delete a contact',
    description:
      '409 while alerts use it, unless `replace_with` names another contact: then they notify through that one from now on, in the same transaction.',
    returns: { noContent: 'The contact is deleted.' },
    problems: ['conflict'],
  })
  remove(
    @CurrentCaller() caller: Caller,
    @IdParam('contact') id: string,
    @Query() query: DeleteContactQuery,
  ): Promise<void> {
    return this.contacts.remove(caller, id, query);
  }

  @Route('POST', 'test', {
    access: 'write',
    idempotencyKey: { refused: 'Each request sends a test message.' },
    operationId: 'testNewContact',
    summary: 'Send a test message before saving a contact',
    description:
      'Takes what creating a contact takes, sends one message marked as a test through its channel now and answers after the attempt, within 15 s. Nothing is stored but an entry in the audit log; the message is not retried. At most 10 a minute per destination. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
    returns: { ok: DeliveryTestView, description: 'What became of the message.' },
    problems: ['target_not_allowed'],
  })
  @AlsoChecked(ContactService, (contacts, fields: Partial<CreateContactDto>, { caller }) =>
    contacts.findingsInNew(caller, fields),
  )
  testNew(
    @CurrentCaller() caller: Caller,
    @Body() dto: CreateContactDto,
    @ClientLeft() left: AbortSignal,
  ): Promise<DeliveryTestView> {
    return this.tests.sendNew(caller, dto, left);
  }

  @Route('POST', ':id/test', {
    access: 'write',
    idempotencyKey: { refused: 'Each request sends a test message.' },
    operationId: 'testContact',
    summary: 'Send a test message through a contact',
    description:
      'Sends one message marked as a test now and answers after the attempt, within 15 s. Nothing is stored but an entry in the audit log; the message is not retried and is no `last_delivery`. At most 10 a minute per destination. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
    returns: { ok: DeliveryTestView, description: 'What became of the message.' },
    problems: ['conflict'],
  })
  test(
    @CurrentCaller() caller: Caller,
    @IdParam('contact') id: string,
    @ClientLeft() left: AbortSignal,
  ): Promise<DeliveryTestView> {
    return this.tests.send(caller, id, left);
  }
}
