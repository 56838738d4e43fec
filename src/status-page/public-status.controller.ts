import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Access } from '../platform/access/caller';
import { PublicProblems } from '../platform/problem/problems.decorator';
import { PublicStatusService } from './public-status.service';
import { PublicStatusQuery } from './status-page.dto';

@ApiTags('Status pages')
@Controller('status')
export class PublicStatusController {
  constructor(private readonly status: PublicStatusService) {}

  @Get(':page')
  @Access('public')
  @ApiParam({
    name: 'page',
    example: 'example-shop',
    description: '`<slug>` for people, `<slug>.json` for programs, `<slug>.svg` for a badge.',
  })
  @ApiOperation({
    operationId: 'showStatusPage',
    summary: 'Show a public status page',
    description: 'Without a key, cached for 15 seconds. Only pages that were published exist.',
    security: [],
  })
  @ApiOkResponse({
    description: 'The page.',
    content: {
      'text/html': { schema: { type: 'string' } },
      'application/json': { schema: { type: 'object' } },
      'image/svg+xml': { schema: { type: 'string' } },
    },
  })
  @PublicProblems('invalid_query', 'not_found', 'rate_limited', 'storage_unavailable', 'temporarily_unavailable')
  show(
    @Param('page') page: string,
    @Query() query: PublicStatusQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.status.respond(page, query.uptime, request, response);
  }
}
