import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../platform/access/caller';
import { costOfScope } from '../platform/access/cost';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { IdParam } from '../platform/http/id-param.decorator';
import type { Page } from '../platform/http/page';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import {
  CreatedProbeView,
  CreateProbeDto,
  ProbesQuery,
  ProbeView,
  RotatedProbeView,
  RotateProbeDto,
  UpdateProbeDto,
} from './probe.dto';
import { ProbeService } from './probe.service';

const NO_REPEAT = { refused: 'The response contains a token that is not stored, so it cannot be sent again.' };

@ApiTags('Probes')
@Controller('api/v1/probes')
export class ProbeController {
  constructor(private readonly probes: ProbeService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfScope,
    operationId: 'listProbes',
    summary: 'List probes',
    description:
      'Lists the probes of your organization and the probes that the operator shares, oldest first. A probe is the same program running at another location, from which endpoints can be checked.',
    returns: { page: ProbeView, description: 'One page of probes.' },
  })
  list(@OrgId() orgId: string, @Query() query: ProbesQuery): Promise<Page<ProbeView>> {
    return this.probes.list(orgId, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    operationId: 'getProbe',
    summary: 'Get a probe',
    description:
      'Returns a probe of your organization, or a shared probe. For a shared probe, the IP address, clock, and load are not included.',
    returns: { ok: ProbeView, ...WITH_ETAG, description: 'The probe.' },
  })
  get(@OrgId() orgId: string, @IdParam('probe') id: string): Promise<ProbeView> {
    return this.probes.get(orgId, id);
  }

  @Route('POST', '', {
    access: 'admin',
    idempotencyKey: NO_REPEAT,
    operationId: 'createProbe',
    summary: 'Create a probe',
    description:
      'The response contains the token of the probe, which is shown only this once. Start the program with `ROLE=probe`, `PROBE_URL`, and `PROBE_TOKEN`. Anyone who has the token can read the definitions of the endpoints that use the probe, including their credentials.',
    returns: {
      created: CreatedProbeView,
      at: '/api/v1/probes',
      ...WITH_ETAG,
      description: 'The new probe and its token.',
    },
    problems: ['quota_exceeded', 'conflict'],
  })
  create(@OrgId() orgId: string, @Body() dto: CreateProbeDto): Promise<CreatedProbeView> {
    return this.probes.create(orgId, dto);
  }

  @Route('PUT', ':id', {
    access: 'admin',
    ifMatch: 'honoured',
    operationId: 'updateProbe',
    summary: 'Update a probe',
    description:
      'Partial update: only the fields that you send change. The key cannot be changed. Only the operator can change shared probes.',
    returns: { ok: ProbeView, ...WITH_ETAG, description: 'The updated probe.' },
  })
  @AlsoChecked(ProbeService, (probes, fields: UpdateProbeDto, { caller, params }) =>
    probes.findingsIn(caller.orgId, params['id'], fields),
  )
  update(@OrgId() orgId: string, @IdParam('probe') id: string, @Body() dto: UpdateProbeDto): Promise<ProbeView> {
    return this.probes.update(orgId, id, dto);
  }

  @Route('DELETE', ':id', {
    access: 'admin',
    ifMatch: 'honoured',
    operationId: 'deleteProbe',
    summary: 'Delete a probe',
    description:
      'Deletes the probe. Its token stops working immediately. If an endpoint uses the probe as a location, you get 409.',
    returns: { noContent: 'The probe is deleted.' },
    problems: ['conflict'],
  })
  remove(@OrgId() orgId: string, @IdParam('probe') id: string): Promise<void> {
    return this.probes.remove(orgId, id);
  }

  @Route('POST', ':id/rotate', {
    access: 'admin',
    idempotencyKey: NO_REPEAT,
    operationId: 'rotateProbe',
    summary: 'Create a new token for a probe',
    description:
      'Creates a new token. The old token stops working when the new one is first used, or after `grace` seconds at the latest. No checks are missed while you replace it. An old token that was never used stops working immediately.',
    returns: { ok: RotatedProbeView, description: 'The new token.' },
  })
  rotate(@OrgId() orgId: string, @IdParam('probe') id: string, @Body() dto: RotateProbeDto): Promise<RotatedProbeView> {
    return this.probes.rotate(orgId, id, dto);
  }
}
