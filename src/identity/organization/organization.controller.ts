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
    summary: 'Get the current organization',
    description:
      'Returns the organization that your key belongs to, the name and role of the key (or of the signed-in user), and the limits and usage of the organization.',
    returns: { ok: CurrentOrganizationView, ...WITH_ETAG, description: 'Your organization.' },
  })
  current(@CurrentCaller() caller: Caller): Promise<CurrentOrganizationView> {
    return this.organizations.current(caller);
  }

  @Route('PUT', 'organization', {
    access: 'admin',
    ifMatch: 'honoured',
    operationId: 'updateCurrentOrganization',
    summary: 'Update the current organization',
    description:
      'Changes the time zone, and how members sign in. Partial update. If you require a second factor, the requirement applies immediately, even in open sessions. An administrator who signs in with a password must first set up their own second factor.',
    returns: { ok: CurrentOrganizationView, ...WITH_ETAG, description: 'The updated organization.' },
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
    description: 'For the operator only: all organizations of this installation, oldest first.',
    returns: { page: OrganizationView, description: 'One page of organizations.' },
    problems: ['not_found'],
  })
  list(@Query() query: PageQuery): Promise<Page<OrganizationView>> {
    return this.organizations.list(query);
  }

  @Route('POST', 'organizations', {
    access: 'operator',
    idempotencyKey: { refused: 'The response contains a key that is not stored, so it cannot be sent again.' },
    operationId: 'createOrganization',
    summary: 'Create an organization',
    description: 'For the operator only. The response contains the first admin key, which is shown only this once.',
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
    summary: 'Rename an organization or change its limits',
    description:
      'For the operator only. Partial update. If you set a limit below the current usage, nothing is deleted, but new resources are rejected with 409 `quota_exceeded`.',
    returns: { ok: OrganizationView, ...WITH_ETAG, description: 'The updated organization.' },
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
      'For the operator only. Permanently deletes the organization and everything that it owns. Its keys and checks stop immediately. A large organization is deleted in the background.',
    returns: { noContent: 'The organization is deleted.' },
    problems: ['conflict'],
  })
  remove(@IdParam('organization') id: string): Promise<void> {
    return this.organizations.remove(id);
  }
}
