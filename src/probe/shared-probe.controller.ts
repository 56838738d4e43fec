import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
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
/** The `orgId` of shared probes, which belong to no organization. */
const SHARED = null;

@ApiTags('Probes')
@Controller('api/v1/shared-probes')
export class SharedProbeController {
  constructor(private readonly probes: ProbeService) {}

  @Route('GET', '', {
    access: 'operator',
    operationId: 'listSharedProbes',
    summary: 'List shared probes',
    description:
      'For the operator only. Lists the probes that every organization can use as `shared/<key>`, oldest first.',
    returns: { page: ProbeView, description: 'One page of probes.' },
    problems: ['not_found'],
  })
  list(@Query() query: ProbesQuery): Promise<Page<ProbeView>> {
    return this.probes.list(SHARED, query);
  }

  @Route('GET', ':id', {
    access: 'operator',
    operationId: 'getSharedProbe',
    summary: 'Get a shared probe',
    description: 'For the operator only. `endpoint_count` counts the endpoints of all organizations.',
    returns: { ok: ProbeView, ...WITH_ETAG, description: 'The probe.' },
  })
  get(@IdParam('probe') id: string): Promise<ProbeView> {
    return this.probes.get(SHARED, id);
  }

  @Route('POST', '', {
    access: 'operator',
    idempotencyKey: NO_REPEAT,
    operationId: 'createSharedProbe',
    summary: 'Create a shared probe',
    description:
      'For the operator only. The response contains the token of the probe, which is shown only this once. With `allow_private`, the probe reaches private addresses only for the Default organization.',
    returns: {
      created: CreatedProbeView,
      at: '/api/v1/shared-probes',
      ...WITH_ETAG,
      description: 'The new probe and its token.',
    },
    problems: ['not_found', 'conflict'],
  })
  create(@Body() dto: CreateProbeDto): Promise<CreatedProbeView> {
    return this.probes.create(SHARED, dto);
  }

  @Route('PUT', ':id', {
    access: 'operator',
    ifMatch: 'honoured',
    operationId: 'updateSharedProbe',
    summary: 'Update a shared probe',
    description: 'For the operator only. Partial update. The key cannot be changed.',
    returns: { ok: ProbeView, ...WITH_ETAG, description: 'The updated probe.' },
  })
  update(@IdParam('probe') id: string, @Body() dto: UpdateProbeDto): Promise<ProbeView> {
    return this.probes.update(SHARED, id, dto);
  }

  @Route('DELETE', ':id', {
    access: 'operator',
    ifMatch: 'honoured',
    operationId: 'deleteSharedProbe',
    summary: 'Delete a shared probe',
    description: 'For the operator only. If an endpoint of any organization uses the probe, you get 409.',
    returns: { noContent: 'The probe is deleted.' },
    problems: ['conflict'],
  })
  remove(@IdParam('probe') id: string): Promise<void> {
    return this.probes.remove(SHARED, id);
  }

  @Route('POST', ':id/rotate', {
    access: 'operator',
    idempotencyKey: NO_REPEAT,
    operationId: 'rotateSharedProbe',
    summary: 'Create a new token for a shared probe',
    description: 'For the operator only. Works like the same request for a probe of an organization.',
    returns: { ok: RotatedProbeView, description: 'The new token.' },
  })
  rotate(@IdParam('probe') id: string, @Body() dto: RotateProbeDto): Promise<RotatedProbeView> {
    return this.probes.rotate(SHARED, id, dto);
  }
}
