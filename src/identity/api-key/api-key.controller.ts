import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { RefusesIdempotencyKey } from '../../platform/http/idempotency/idempotent.decorator';
import { LocatedAt } from '../../platform/http/location.interceptor';
import { type Page, PageQuery } from '../../platform/http/page';
import { HonoursIfMatch, WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../../platform/problem/problems.decorator';
import { ApiKeyView, CreateApiKeyDto, CreatedApiKeyView } from './api-key.dto';
import { ApiKeyService } from './api-key.service';
import { Access, OrgId } from '../../platform/access/caller';

@ApiTags('API keys')
@Controller('api/v1/api-keys')
export class ApiKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Get()
  @Access('admin')
  @ApiOperation({
    operationId: 'listApiKeys',
    summary: 'List API keys',
    description: 'The keys of your organization, oldest first, without their secrets.',
  })
  @ApiOkResponse({ type: ApiKeyView, isArray: true, description: 'One page of keys.' })
  @Problems('invalid_query', 'invalid_cursor')
  list(@OrgId() orgId: string, @Query() query: PageQuery): Promise<Page<ApiKeyView>> {
    return this.keys.list(orgId, query);
  }

  @Post()
  @Access('admin')
  @LocatedAt('/api/v1/api-keys')
  @RefusesIdempotencyKey('The response shows a key that is stored nowhere, so it cannot be sent again.')
  @ApiOperation({
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description: 'The answer shows the key itself, this one time only.',
  })
  @ApiCreatedResponse({ ...WITH_ETAG, type: CreatedApiKeyView, description: 'The new key.' })
  @BodyProblems('quota_exceeded')
  @AlsoChecked(ApiKeyService, (keys, fields: Partial<CreateApiKeyDto>) => keys.findingsIn(fields))
  create(@OrgId() orgId: string, @Body() dto: CreateApiKeyDto): Promise<CreatedApiKeyView> {
    return this.keys.create(orgId, dto);
  }

  @Delete(':id')
  @Access('admin')
  @HonoursIfMatch()
  @HttpCode(204)
  @ApiParam({ name: 'id', example: 'key_01jd3k6q7be5y9x4v2m8n0r1st' })
  @ApiOperation({
    operationId: 'deleteApiKey',
    summary: 'Revoke an API key',
    description:
      'Its requests are refused at once; sessions made from it end. The last admin key that does not expire stays: create another one first.',
  })
  @ApiNoContentResponse({ description: 'The key is revoked.' })
  @Problems('not_found', 'conflict')
  remove(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('apiKey')) id: string): Promise<void> {
    return this.keys.remove(orgId, id);
  }
}
