import { Controller, Param, Req, Res } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Route } from '../../platform/http/route.decorator';
import { SharedReports } from './shared-reports';

@ApiTags('Reports')
@Controller('reports')
export class SharedReportController {
  constructor(private readonly shared: SharedReports) {}

  @Route('GET', ':token', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'showSharedReport',
    summary: 'Show a shared report',
    description:
      'The web page behind a link to a report. It needs no API key and no script. If the token is unknown, deleted, or ' +
      'expired, browsers get a page with status 404, and programs get the problem. A report is computed at most once per minute.',
    returns: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
    problems: ['rate_limited'],
  })
  @ApiParam({
    name: 'token',
    description: 'The token from `path` of the link.',
    example: 'b1Uu8zqkX3mW5sYt0aPjQe7LrVd2NfHc4GgKi9oZxRw',
  })
  show(@Param('token') token: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.shared.show(token, request, response);
  }
}
