import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { DeliveryTestView } from '../delivery/delivery.dto';
import { Access, type Caller, CurrentCaller } from '../platform/access/caller';
import { Cost, costOfList } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { ClientLeft } from '../platform/http/client-left';
import { Idempotent, RefusesIdempotencyKey } from '../platform/http/idempotency/idempotent.decorator';
import { LocatedAt } from '../platform/http/location.interceptor';
import type { Page } from '../platform/http/page';
import { HonoursIfMatch, WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../platform/problem/problems.decorator';
import { ContactQuery, ContactView, CreateContactDto, DeleteContactQuery, UpdateContactDto } from './contact.dto';
import { ContactService } from './contact.service';
import { TestContactService } from './test-contact.service';

const CONTACT_ID = { name: 'id', example: 'ct_01jd3k6q7be5y9x4v2m8n0r1st' };

@ApiTags('Contacts')
@Controller('api/v1/contacts')
export class ContactController {
  constructor(
    private readonly contacts: ContactService,
    private readonly tests: TestContactService,
  ) {}

  @Get()
  @Access('read')
  @Cost(costOfList(1000))
  @ApiOperation({
    operationId: 'listContacts',
    summary: 'List contacts',
    description: 'Channels that are configured once and used by any number of alerts, oldest first.',
  })
  @ApiOkResponse({ type: ContactView, isArray: true, description: 'One page of contacts.' })
  @Problems('invalid_query', 'invalid_cursor')
  list(@CurrentCaller() caller: Caller, @Query() query: ContactQuery): Promise<Page<ContactView>> {
    return this.contacts.list(caller, query);
  }

  @Get(':id')
  @Access('read')
  @ApiParam(CONTACT_ID)
  @ApiOperation({
    operationId: 'getContact',
    summary: 'Get a contact',
    description: 'One contact; credentials in its config are masked.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: ContactView, description: 'The contact.' })
  @Problems('not_found')
  get(@CurrentCaller() caller: Caller, @Param('id', new PrefixedIdPipe('contact')) id: string): Promise<ContactView> {
    return this.contacts.get(caller, id);
  }

  @Post()
  @Access('write')
  @LocatedAt('/api/v1/contacts')
  @Idempotent()
  @ApiOperation({
    operationId: 'createContact',
    summary: 'Create a contact',
    description:
      'With `default`, every endpoint that is created from then on gets an alert through it. A secret that the channel generated is shown in this answer only. At most 1,000 contacts, 10 of them `default`.',
  })
  @ApiCreatedResponse({ ...WITH_ETAG, type: ContactView, description: 'The new contact.' })
  @BodyProblems('quota_exceeded', 'target_not_allowed', 'conflict')
  @AlsoChecked(ContactService, (contacts, fields: Partial<CreateContactDto>, { caller }) =>
    contacts.findingsInNew(caller, fields),
  )
  create(@CurrentCaller() caller: Caller, @Body() dto: CreateContactDto): Promise<ContactView> {
    return this.contacts.create(caller, dto);
  }

  @Put(':id')
  @Access('write')
  @HonoursIfMatch()
  @ApiParam(CONTACT_ID)
  @ApiOperation({
    operationId: 'updateContact',
    summary: 'Update a contact',
    description:
      'Partial: only the fields sent change, `type` only together with `config`. A change of the config holds for all its alerts at once. Where messages still go to the same account and address, as with a rotated token, open incidents stay open; else they are closed through the old config, and the next failing result opens new ones.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: ContactView, description: 'The contact as it is now.' })
  @BodyProblems('not_found', 'quota_exceeded', 'target_not_allowed', 'conflict')
  @AlsoChecked(ContactService, (contacts, fields: UpdateContactDto, { caller, params }) =>
    contacts.findingsIn(caller, params['id'], fields),
  )
  update(
    @CurrentCaller() caller: Caller,
    @Param('id', new PrefixedIdPipe('contact')) id: string,
    @Body() dto: UpdateContactDto,
  ): Promise<ContactView> {
    return this.contacts.update(caller, id, dto);
  }

  @Delete(':id')
  @Access('write')
  @HonoursIfMatch()
  @HttpCode(204)
  @ApiParam(CONTACT_ID)
  @ApiOperation({
    operationId: 'deleteContact',
    summary: 'Delete a contact',
    description:
      '409 while alerts use it, unless `replace_with` names another contact: then they notify through that one from now on, in the same transaction.',
  })
  @ApiNoContentResponse({ description: 'The contact is deleted.' })
  @Problems('invalid_query', 'not_found', 'conflict')
  remove(
    @CurrentCaller() caller: Caller,
    @Param('id', new PrefixedIdPipe('contact')) id: string,
    @Query() query: DeleteContactQuery,
  ): Promise<void> {
    return this.contacts.remove(caller, id, query);
  }

  @Post('test')
  @Access('write')
  @RefusesIdempotencyKey('Each request sends a test message.')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'testNewContact',
    summary: 'Send a test message before saving a contact',
    description:
      'Takes what creating a contact takes, sends one message marked as a test through its channel now and answers after the attempt, within 15 s. Nothing is stored but an entry in the audit log; the message is not retried. At most 10 a minute per destination. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
  })
  @ApiOkResponse({ type: DeliveryTestView, description: 'What became of the message.' })
  @BodyProblems('target_not_allowed')
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

  @Post(':id/test')
  @Access('write')
  @RefusesIdempotencyKey('Each request sends a test message.')
  @HttpCode(200)
  @ApiParam(CONTACT_ID)
  @ApiOperation({
    operationId: 'testContact',
    summary: 'Send a test message through a contact',
    description:
      'Sends one message marked as a test now and answers after the attempt, within 15 s. Nothing is stored but an entry in the audit log; the message is not retried and is no `last_delivery`. At most 10 a minute per destination. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
  })
  @ApiOkResponse({ type: DeliveryTestView, description: 'What became of the message.' })
  @Problems('not_found', 'conflict')
  test(
    @CurrentCaller() caller: Caller,
    @Param('id', new PrefixedIdPipe('contact')) id: string,
    @ClientLeft() left: AbortSignal,
  ): Promise<DeliveryTestView> {
    return this.tests.send(caller, id, left);
  }
}
