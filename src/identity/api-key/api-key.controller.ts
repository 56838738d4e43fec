import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { IdParam } from '../../platform/http/id-param.decorator';
import type { Page } from '../../platform/http/page';
import { WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { Route } from '../../platform/http/route.decorator';
import { ApiKeysQuery, ApiKeyView, CreateApiKeyDto, CreatedApiKeyView } from './api-key.dto';
import { ApiKeyService } from './api-key.service';

@ApiTags('API keys')
@Controller('api/v1/api-keys')
export class ApiKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Route('GET', '', {
    access: 'admin',
    operationId: 'listApiKeys',
    summary: 'List API keys',
    description: 'The API keys of your organization, oldest first, without their secrets.',
    returns: { page: ApiKeyView, description: 'One page of keys.' },
  })
  list(@OrgId() orgId: string, @Query() query: ApiKeysQuery): Promise<Page<ApiKeyView>> {
    return this.keys.list(orgId, query);
  }

  @Route('POST', '', {
    access: 'admin',
    idempotencyKey: { refused: 'The response contains a key that is not stored, so it cannot be sent again.' },
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description: 'The response contains the key itself, which is shown only this once.',
    returns: { created: CreatedApiKeyView, at: '/api/v1/api-keys', ...WITH_ETAG, description: 'The new key.' },
    problems: ['quota_exceeded'],
  })
  @AlsoChecked(ApiKeyService, (keys, fields: Partial<CreateApiKeyDto>) => keys.findingsIn(fields))
  create(@OrgId() orgId: string, @Body() dto: CreateApiKeyDto): Promise<CreatedApiKeyView> {
    return this.keys.create(orgId, dto);
  }

  @Route('DELETE', ':id', {
    access: 'admin',
    ifMatch: 'honoured',
    operationId: 'deleteApiKey',
    summary: 'Revoke an API key',
    description:
      'Revokes the key. Its requests are rejected immediately, and sessions that were created from the key end. The last admin key that does not expire cannot be revoked: create another one first.',
    returns: { noContent: 'The key is revoked.' },
    problems: ['conflict'],
  })
  remove(@OrgId() orgId: string, @IdParam('apiKey') id: string): Promise<void> {
    return this.keys.remove(orgId, id);
  }
}
