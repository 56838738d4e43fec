import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { IdParam } from '../../platform/http/id-param.decorator';
import { Route } from '../../platform/http/route.decorator';
import { CreateApiKeyDto } from '../api-key/api-key.dto';
import { ApiKeyService } from '../api-key/api-key.service';
import { CreatedInvitationView } from './invitation.dto';
import { InvitationService } from './invitation.service';

const ONE_TIME = 'The response shows a token that is stored nowhere, so it cannot be sent again.';

@ApiTags('API keys')
@Controller('api/v1/api-keys')
export class InvitationController {
  constructor(private readonly invitations: InvitationService) {}

  @Route('POST', 'invite', {
    access: 'admin',
    idempotencyKey: { refused: ONE_TIME },
    operationId: 'invite',
    summary: 'Invite a person',
    description:
      'Makes a key with the name of a person, and a link to send: it works once, for 7 days at most, signs in to the ' +
      'dashboard and shows the person the key, which nobody else has seen. Until then the key lets nobody in. Revoking it ' +
      'ends the link.',
    returns: { created: CreatedInvitationView, at: '/api/v1/api-keys', description: 'The key without its secret.' },
    problems: ['quota_exceeded'],
  })
  @AlsoChecked(ApiKeyService, (keys, fields: Partial<CreateApiKeyDto>) => keys.findingsIn(fields))
  create(@OrgId() orgId: string, @Body() dto: CreateApiKeyDto): Promise<CreatedInvitationView> {
    return this.invitations.create(orgId, dto);
  }

  @Route('POST', ':id/invite', {
    access: 'admin',
    idempotencyKey: { refused: ONE_TIME },
    operationId: 'renewInvitation',
    summary: 'Make the link of an invitation anew',
    description:
      'The link before it stops working. When the new one is used, the key gets a new secret: one that the person had is ' +
      'refused from then on, so this is also the way back for who has lost it. Only for keys that were made by an invitation.',
    returns: { created: CreatedInvitationView, at: '/api/v1/api-keys', description: 'The key without its secret.' },
    problems: ['conflict'],
  })
  renew(@OrgId() orgId: string, @IdParam('apiKey') id: string): Promise<CreatedInvitationView> {
    return this.invitations.renew(orgId, id);
  }
}
