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

const NO_REPEAT = { refused: 'The response shows a token that is stored nowhere, so it cannot be sent again.' };

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
      'The same program at other places, each a location at which endpoints can be checked. Yours and those that the operator shares, oldest first.',
    returns: { page: ProbeView, description: 'One page of probes.' },
  })
  list(@OrgId() orgId: string, @Query() query: ProbesQuery): Promise<Page<ProbeView>> {
    return this.probes.list(orgId, query);
  }

  @Route('GET', ':id', {
    access: 'read',
    operationId: 'getProbe',
    summary: 'Get a probe',
    description: 'One of yours, or one that the operator shares: that without address, clock and load.',
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
      'The answer shows its token, this one time only: start the program with `ROLE=probe`, `PROBE_URL` and `PROBE_TOKEN`. Who has the token reads the definitions of the endpoints that name the probe, with their credentials.',
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
    description: 'Partial: only the fields sent change. The key stays. Shared probes are the operator’s to change.',
    returns: { ok: ProbeView, ...WITH_ETAG, description: 'The probe as it is now.' },
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
    description: 'Its token is refused at once. 409 while an endpoint names it as a location.',
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
    summary: 'Give a probe a new token',
    description:
      'The old token ends with the first use of the new one, after `grace` seconds at the latest: so nothing is missed while you carry it over. A token that was never used ends at once.',
    returns: { ok: RotatedProbeView, description: 'The new token.' },
  })
  rotate(@OrgId() orgId: string, @IdParam('probe') id: string, @Body() dto: RotateProbeDto): Promise<RotatedProbeView> {
    return this.probes.rotate(orgId, id, dto);
  }
}
