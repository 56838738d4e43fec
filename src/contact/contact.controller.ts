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
import { ContactPreviewView, PreviewContactDto } from './contact-preview.dto';
import { ContactPreviewService } from './contact-preview.service';
import { ContactService } from './contact.service';
import { TestContactService } from './test-contact.service';

@ApiTags('Contacts')
@Controller('api/v1/contacts')
export class ContactController {
  constructor(
    private readonly contacts: ContactService,
    private readonly tests: TestContactService,
    private readonly previews: ContactPreviewService,
  ) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfList(1000),
    operationId: 'listContacts',
    summary: 'List contacts',
    description: 'A contact is a channel that you configure once and use in any number of alert rules. Oldest first.',
    returns: { page: ContactView, description: 'One page of contacts.' },
  })
  list(@CurrentCaller() caller: Caller, @Query() query: ContactQuery): Promise<Page<ContactView>> {
    return this.contacts.list(caller, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    operationId: 'getContact',
    summary: 'Get a contact',
    description: 'Credentials in the config are masked.',
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
      'With `default`, every endpoint that you create later gets an alert rule for the contact. If the channel generates a secret, it is shown only in this response. An organization can have 1,000 contacts, and 10 of them can be `default`.',
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
      'Changes only the fields that you send. `type` can only be changed together with `config`. A new config applies to all alert rules of the contact at once. If messages still go to the same account and address, for example after you rotate a token, triggered alerts stay triggered. Otherwise, they are resolved through the old config, and the next failed check triggers them again.',
    returns: { ok: ContactView, ...WITH_ETAG, description: 'The updated contact.' },
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
      'You cannot delete a contact while alert rules use it (409), unless `replace_with` names another contact. In that case, the alert rules switch to that contact in the same transaction.',
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
      'Takes the same fields as creating a contact. Sends one message, marked as a test, through the channel and responds after the attempt, within 15 s. Apart from an entry in the audit log, nothing is stored. The message is not retried. The limit is 10 test messages per minute for each destination. On-demand checks, endpoint tests, and test messages share a limit per organization: at most 8 at the same time, and bursts of up to 20, then one per second.',
    returns: { ok: DeliveryTestView, description: 'The result of the attempt.' },
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

  @Route('POST', 'preview', {
    access: 'write',
    cost: () => 5,
    idempotencyKey: { refused: 'Nothing is stored.' },
    operationId: 'previewContact',
    summary: 'Preview the messages of a contact',
    description:
      'Renders one message of each kind that the receiver gets, for a made-up outage. Takes the `type` and `config` of a contact. Nothing is stored or sent, and credentials are masked. You can send masked values back.',
    returns: { ok: ContactPreviewView, description: 'The messages.' },
    problems: ['target_not_allowed'],
  })
  preview(@CurrentCaller() caller: Caller, @Body() dto: PreviewContactDto): Promise<ContactPreviewView> {
    return this.previews.preview(caller, dto);
  }

  @Route('POST', ':id/test', {
    access: 'write',
    idempotencyKey: { refused: 'Each request sends a test message.' },
    operationId: 'testContact',
    summary: 'Send a test message through a contact',
    description:
      'Sends one message, marked as a test, and responds after the attempt, within 15 s. Apart from an entry in the audit log, nothing is stored. The message is not retried and does not count as `last_delivery`. The limit is 10 test messages per minute for each destination. On-demand checks, endpoint tests, and test messages share a limit per organization: at most 8 at the same time, and bursts of up to 20, then one per second.',
    returns: { ok: DeliveryTestView, description: 'The result of the attempt.' },
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
