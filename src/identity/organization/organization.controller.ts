import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { RefusesIdempotencyKey } from '../../platform/http/idempotency/idempotent.decorator';
import { LocatedAt } from '../../platform/http/location.interceptor';
import { type Page, PageQuery } from '../../platform/http/page';
import { HonoursIfMatch, WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { PrefixedIdPipe } from '../../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../../platform/problem/problems.decorator';
import { Access, type Caller, CurrentCaller } from '../../platform/access/caller';
import {
  CreatedOrganizationView,
  CreateOrganizationDto,
  CurrentOrganizationView,
  OrganizationView,
  UpdateOrganizationDto,
} from './organization.dto';
import { OrganizationService } from './organization.service';

@ApiTags('Organizations')
@Controller('api/v1')
export class OrganizationController {
  constructor(private readonly organizations: OrganizationService) {}

  @Get('organization')
  @Access('read')
  @ApiOperation({
    operationId: 'getCurrentOrganization',
    summary: 'Who am I',
    description:
      'The organization your key belongs to, the key’s name and role, and what the organization may have and has.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: CurrentOrganizationView, description: 'Your organization.' })
  @Problems()
  current(@CurrentCaller() caller: Caller): Promise<CurrentOrganizationView> {
    return this.organizations.current(caller);
  }

  @Get('organizations')
  @Access('operator')
  @ApiOperation({
    operationId: 'listOrganizations',
    summary: 'List organizations',
    description: 'Operator only: all organizations of this installation, oldest first.',
  })
  @ApiOkResponse({ type: OrganizationView, isArray: true, description: 'One page of organizations.' })
  @Problems('invalid_query', 'invalid_cursor', 'not_found')
  list(@Query() query: PageQuery): Promise<Page<OrganizationView>> {
    return this.organizations.list(query);
  }

  @Post('organizations')
  @Access('operator')
  @LocatedAt('/api/v1/organizations')
  @RefusesIdempotencyKey('The response shows a key that is stored nowhere, so it cannot be sent again.')
  @ApiOperation({
    operationId: 'createOrganization',
    summary: 'Create an organization',
    description: 'Operator only. The answer shows the first admin key, this one time only.',
  })
  @ApiCreatedResponse({
    ...WITH_ETAG,
    type: CreatedOrganizationView,
    description: 'The new organization and its first admin key.',
  })
  @BodyProblems('not_found')
  create(@Body() dto: CreateOrganizationDto): Promise<CreatedOrganizationView> {
    return this.organizations.create(dto);
  }

  @Put('organizations/:id')
  @Access('operator')
  @HonoursIfMatch()
  @ApiParam({ name: 'id', example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  @ApiOperation({
    operationId: 'updateOrganization',
    summary: 'Rename an organization, change its limits',
    description:
      'Operator only, partial. A limit below what the organization has removes nothing; it refuses more with 409 `quota_exceeded`.',
  })
  @ApiOkResponse({ ...WITH_ETAG, type: OrganizationView, description: 'The organization after the change.' })
  @BodyProblems('not_found')
  update(
    @Param('id', new PrefixedIdPipe('organization')) id: string,
    @Body() dto: UpdateOrganizationDto,
  ): Promise<OrganizationView> {
    return this.organizations.update(id, dto);
  }

  @Delete('organizations/:id')
  @Access('operator')
  @HonoursIfMatch()
  @HttpCode(204)
  @ApiParam({ name: 'id', example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  @ApiOperation({
    operationId: 'deleteOrganization',
    summary: 'Delete an organization',
    description:
      'Operator only. Removes the organization with everything it owns, for good. Its keys and checks stop at once; a large one is removed in the background.',
  })
  @ApiNoContentResponse({ description: 'The organization is deleted.' })
  @Problems('not_found', 'conflict')
  remove(@Param('id', new PrefixedIdPipe('organization')) id: string): Promise<void> {
    return this.organizations.remove(id);
  }
}
