import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../platform/access/caller';
import { costOfList } from '../../platform/access/cost';
import { IdParam } from '../../platform/http/id-param.decorator';
import { type Page, PageQuery } from '../../platform/http/page';
import { WITH_ETAG } from '../../platform/http/precondition/precondition.decorator';
import { Route } from '../../platform/http/route.decorator';
import { EndpointView } from '../endpoint.dto';
import { DeletedEndpointView } from './deleted-endpoint.dto';
import { DeletedEndpointService } from './deleted-endpoint.service';

@ApiTags('Endpoints')
@Controller('api/v1/deleted-endpoints')
export class DeletedEndpointController {
  constructor(private readonly deleted: DeletedEndpointService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfList(100),
    operationId: 'listDeletedEndpoints',
    summary: 'List deleted endpoints',
    description:
      'The endpoints that were deleted in the last seven days, newest first. An organization keeps at most 1,000 of them. Endpoints of a deleted website are not listed, because they cannot be restored.',
    returns: { page: DeletedEndpointView, description: 'One page of deleted endpoints.' },
  })
  list(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<Page<DeletedEndpointView>> {
    return this.deleted.list(caller, query);
  }

  @Route('POST', ':id/restore', {
    access: 'write',
    idempotencyKey: { refused: 'An endpoint can be restored only once.' },
    operationId: 'restoreEndpoint',
    summary: 'Restore a deleted endpoint',
    description:
      'Restores the endpoint under its old ID, with its settings, history, and alert rules. It is checked immediately. Dependencies and locations that no longer exist are left out, and so are alert rules of deleted contacts. 404 if it was deleted more than seven days ago.',
    returns: { ok: EndpointView, ...WITH_ETAG, description: 'The restored endpoint.' },
    problems: ['conflict', 'quota_exceeded'],
  })
  restore(@CurrentCaller() caller: Caller, @IdParam('endpoint') id: string): Promise<EndpointView> {
    return this.deleted.restore(caller, id);
  }
}
