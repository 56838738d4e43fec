import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller } from '../../platform/access/caller';
import { Cost, costOfFilteredList } from '../../platform/access/cost';
import { MAX_PAGE_SIZE, type Page } from '../../platform/http/page';
import { Problems } from '../../platform/problem/problems.decorator';
import { EndpointView } from '../endpoint.dto';
import { EndpointSearchQuery } from './endpoint-search.dto';
import { EndpointSearchService } from './endpoint-search.service';

@ApiTags('Endpoints')
@Controller('api/v1/endpoints')
export class EndpointSearchController {
  constructor(private readonly search: EndpointSearchService) {}

  @Get()
  @Access('read')
  @Cost(costOfFilteredList(MAX_PAGE_SIZE, ['status', 'type', 'tag', 'key', 'q']))
  @ApiOperation({
    operationId: 'searchEndpoints',
    summary: 'List endpoints of all websites',
    description:
      'Oldest first. Filters may be combined: an endpoint is listed when all of them hold. `X-Total-Count` is there up to a thousand found.',
  })
  @ApiOkResponse({ type: EndpointView, isArray: true, description: 'One page of endpoints.' })
  @Problems('invalid_query', 'invalid_cursor', 'not_found')
  list(@CurrentCaller() caller: Caller, @Query() query: EndpointSearchQuery): Promise<Page<EndpointView>> {
    return this.search.list(caller, query);
  }
}
