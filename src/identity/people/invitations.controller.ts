import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, OrgId } from '../../platform/access/caller';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { IdParam } from '../../platform/http/id-param.decorator';
import type { Page } from '../../platform/http/page';
import { Route } from '../../platform/http/route.decorator';
import { InvitationsService } from './invitations.service';
import { CreatedOpenInvitationView, CreateInvitationDto, InvitationsQuery, OpenInvitationView } from './people.dto';

@ApiTags('Invitations')
@Controller('api/v1/invitations')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  @Route('GET', '', {
    access: 'admin',
    needsAccounts: true,
    operationId: 'listInvitations',
    summary: 'List invitations',
    description: 'Who has been invited and has not joined yet, oldest first.',
    returns: { page: OpenInvitationView, description: 'One page of invitations.' },
  })
  list(@OrgId() orgId: string, @Query() query: InvitationsQuery): Promise<Page<OpenInvitationView>> {
    return this.invitations.list(orgId, query);
  }

  @Route('POST', '', {
    access: 'admin',
    needsAccounts: true,
    idempotencyKey: { refused: 'The response shows a token that is stored nowhere, so it cannot be sent again.' },
    operationId: 'createInvitation',
    summary: 'Invite somebody',
    description:
      'Creates a link for you to send. It works once, for 7 days, for anyone who has it. Another invitation for the same email replaces it. The link ends if the person or key that created it is not an admin any more.',
    returns: { created: CreatedOpenInvitationView, at: '/api/v1/invitations' },
    problems: ['conflict', 'quota_exceeded'],
  })
  @AlsoChecked(InvitationsService, (invitations, fields: Partial<CreateInvitationDto>) =>
    invitations.findingsIn(fields),
  )
  create(@CurrentCaller() caller: Caller, @Body() dto: CreateInvitationDto): Promise<CreatedOpenInvitationView> {
    return this.invitations.create(caller, dto);
  }

  @Route('DELETE', ':id', {
    access: 'admin',
    needsAccounts: true,
    ifMatch: { refused: 'An invitation has no settings that could change.' },
    operationId: 'deleteInvitation',
    summary: 'Take an invitation back',
    description: 'Its link leads nowhere from now on.',
    returns: { noContent: 'The invitation is gone.' },
  })
  remove(@OrgId() orgId: string, @IdParam('invitation') id: string): Promise<void> {
    return this.invitations.remove(orgId, id);
  }
}
