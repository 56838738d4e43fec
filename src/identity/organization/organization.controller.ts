import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../platform/access/caller';
import { IdParam } from '../../platform/http/id-param.decorator';
import { type Page, PageQuery } from '../../platform/http/page';
import { WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { Route } from '../../platform/http/route.decorator';
import {
  CreatedOrganizationView,
  CreateOrganizationDto,
  CurrentOrganizationView,
  OrganizationView,
  UpdateCurrentOrganizationDto,
  UpdateOrganizationDto,
} from './organization.dto';
import { OrganizationService } from './organization.service';

@ApiTags('Organizations')
@Controller('api/v1')
export class OrganizationController {
  constructor(private readonly organizations: OrganizationService) {}

  @Route('GET', 'organization', {
    access: 'read',
    operationId: 'getCurrentOrganization',
    summary: 'Who am I',
    description:
      'The organization your key belongs to, the key’s name and role (or the person’s), and what the organization may have and has.',
    returns: { ok: CurrentOrganizationView, ...WITH_ETAG, description: 'Your organization.' },
  })
  current(@CurrentCaller() caller: Caller): Promise<CurrentOrganizationView> {
    return this.organizations.current(caller);
  }

  @Route('PUT', 'organization', {
    access: 'admin',
    ifMatch: 'honoured',
    operationId: 'updateCurrentOrganization',
    summary: 'Change how members sign in',
    description:
      'Partial. Requiring a second factor holds at once, in open sessions also. An administrator who signs in with a password sets up their own second factor first.',
    returns: { ok: CurrentOrganizationView, ...WITH_ETAG, description: 'Your organization after the change.' },
    problems: ['conflict'],
  })
  updateCurrent(
    @CurrentCaller() caller: Caller,
    @Body() dto: UpdateCurrentOrganizationDto,
  ): Promise<CurrentOrganizationView> {
    return this.organizations.updateCurrent(caller, dto);
  }

  @Route('GET', 'organizations', {
    access: 'operator',
    operationId: 'listOrganizations',
    summary: 'List organizations',
    description: 'Operator only: all organizations of this installation, oldest first.',
    returns: { page: OrganizationView, description: 'One page of organizations.' },
    problems: ['not_found'],
  })
  list(@Query() query: PageQuery): Promise<Page<OrganizationView>> {
    return this.organizations.list(query);
  }

  @Route('POST', 'organizations', {
    access: 'operator',
    idempotencyKey: { refused: 'The response shows a key that is stored nowhere, so it cannot be sent again.' },
    operationId: 'createOrganization',
    summary: 'Create an organization',
    description: 'Operator only. The answer shows the first admin key, this one time only.',
    returns: {
      created: CreatedOrganizationView,
      at: '/api/v1/organizations',
      ...WITH_ETAG,
      description: 'The new organization and its first admin key.',
    },
    problems: ['not_found'],
  })
  create(@Body() dto: CreateOrganizationDto): Promise<CreatedOrganizationView> {
    return this.organizations.create(dto);
  }

  @Route('PUT', 'organizations/:id', {
    access: 'operator',
    ifMatch: 'honoured',
    operationId: 'updateOrganization',
    summary: 'Rename an organization, change its limits',
    description:
      'Operator only, partial. A limit below what the organization has removes nothing; it refuses more with 409 `quota_exceeded`.',
    returns: { ok: OrganizationView, ...WITH_ETAG, description: 'The organization after the change.' },
  })
  update(@IdParam('organization') id: string, @Body() dto: UpdateOrganizationDto): Promise<OrganizationView> {
    return this.organizations.update(id, dto);
  }

  @Route('DELETE', 'organizations/:id', {
    access: 'operator',
    ifMatch: 'honoured',
    operationId: 'deleteOrganization',
    summary: 'Delete an organization',
    description:
      'Operator only. Removes the organization with everything it owns, for good. Its keys and checks stop at once; a large one is removed in the background.',
    returns: { noContent: 'The organization is deleted.' },
    problems: ['conflict'],
  })
  remove(@IdParam('organization') id: string): Promise<void> {
    return this.organizations.remove(id);
  }
}
