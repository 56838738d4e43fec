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
    description: 'The invitations that have not been accepted yet, oldest first.',
    returns: { page: OpenInvitationView, description: 'One page of invitations.' },
  })
  list(@OrgId() orgId: string, @Query() query: InvitationsQuery): Promise<Page<OpenInvitationView>> {
    return this.invitations.list(orgId, query);
  }

  @Route('POST', '', {
    access: 'admin',
    needsAccounts: true,
    idempotencyKey: { refused: 'The response contains a token that is not stored, so it cannot be sent again.' },
    operationId: 'createInvitation',
    summary: 'Create an invitation',
    description:
      'Creates a link for you to send. The link works once, for 7 days, for anyone who has it. A new invitation for the same email replaces the old one. If the user or key that created the link is no longer an admin, the link stops working.',
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
    ifMatch: { refused: 'An invitation has no settings that can be changed.' },
    operationId: 'deleteInvitation',
    summary: 'Revoke an invitation',
    description: 'The link of the invitation stops working immediately.',
    returns: { noContent: 'The invitation was revoked.' },
  })
  remove(@OrgId() orgId: string, @IdParam('invitation') id: string): Promise<void> {
    return this.invitations.remove(orgId, id);
  }
}
