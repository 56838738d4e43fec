import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../platform/access/caller';
import { costOfFilteredList } from '../../platform/access/cost';
import { MAX_PAGE_SIZE, type Page } from '../../platform/http/page';
import { Route } from '../../platform/http/route.decorator';
import { EndpointView } from '../endpoint.dto';
import { EndpointSearchQuery } from './endpoint-search.dto';
import { EndpointSearchService } from './endpoint-search.service';

@ApiTags('Endpoints')
@Controller('api/v1/endpoints')
export class EndpointSearchController {
  constructor(private readonly search: EndpointSearchService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfFilteredList(MAX_PAGE_SIZE, ['status', 'type', 'tag', 'key', 'location', 'q']),
    operationId: 'searchEndpoints',
    summary: 'List endpoints of all websites',
    description:
      'Endpoints are listed oldest first. You can combine filters: an endpoint is listed if it matches all of them. `X-Total-Count` is present if at most a thousand endpoints match.',
    returns: { page: EndpointView, description: 'One page of endpoints.' },
    problems: ['not_found'],
  })
  list(@CurrentCaller() caller: Caller, @Query() query: EndpointSearchQuery): Promise<Page<EndpointView>> {
    return this.search.list(caller, query);
  }
}
