import { Controller, Param, Query, Req, Res } from '@nestjs/common';
import { ApiParam, ApiTags, ApiPropertyOptional } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IsIn, IsString } from 'class-validator';
import { Route } from '../../platform/http/route.decorator';
import { PublicStatusService } from './public-status.service';
import { Optional } from '../../platform/http/validators';
import { BADGE_WINDOWS, type BadgeWindow } from '../render/status-badge';

class PublicStatusQuery {
  @ApiPropertyOptional({
    enum: Object.keys(BADGE_WINDOWS),
    description:
      'For `.svg`: the uptime over this window instead of the state, and since when or for how much of it that stands if it is little.',
  })
  @Optional()
  @IsIn(Object.keys(BADGE_WINDOWS))
  uptime?: BadgeWindow;
}

class PublicHistoryQuery {
  @ApiPropertyOptional({
    description: 'A month in UTC, not in the future. Default: the present one.',
    example: '2026-11',
  })
  @Optional()
  @IsString()
  month?: string;
}

const NAME = { name: 'slug', example: 'example-shop' };

@ApiTags('Status pages')
@Controller('status')
export class PublicStatusController {
  constructor(private readonly status: PublicStatusService) {}

  @Route('GET', ':page', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'showStatusPage',
    summary: 'Show a public status page',
    description:
      'Without a key, cached for 15 seconds. Only pages that were published exist; where none is, people get a page that ' +
      'says so, programs the problem. A page with a domain is also at its root, `/status.json` and `/badge.svg`. Public ' +
      'maintenance windows that cover something shown are announced seven days ahead, in `maintenance` for programs; what is ' +
      'down during one is no outage and no part of the uptime. Of windows that are not public nothing is shown. Incidents with ' +
      'a public update that are about something shown are in `incidents`, while they are open and for 14 days, with the ' +
      'names of the page and what was said publicly, and nothing else of them; `outages` has all outages, the page and the feed ' +
      'those of which no incident tells. `status` is what the checks say; headline and badge say `incident` while nothing is ' +
      'down and an incident is open, `maintenance` while nothing else is down, and `degraded` while something works with a warning.',
    returns: {
      description: 'The page.',
      content: {
        'text/html': { schema: { type: 'string' } },
        'application/json': { schema: { type: 'object' } },
        'image/svg+xml': { schema: { type: 'string' } },
      },
    },
    problems: ['rate_limited'],
  })
  @ApiParam({
    name: 'page',
    example: 'example-shop',
    description: '`<slug>` for people, `<slug>.json` for programs, `<slug>.svg` for a badge.',
  })
  show(
    @Param('page') page: string,
    @Query() query: PublicStatusQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.status.respond(page, query, request, response);
  }

  @Route('GET', ':slug/feed.atom', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'getStatusFeed',
    summary: 'Get what happened on a public page as an Atom feed',
    description:
      'Without a key, cached for 15 seconds. One entry per incident, which is updated with all that is said publicly, one per ' +
      'outage of which no incident tells, which is updated when it ends, and one per announced ' +
      'maintenance of the next seven days, which is updated when it begins and ends, until two days later; ids stay. A ' +
      'page with a domain has it at `/feed.atom`, too.',
    returns: {
      description: 'The feed (RFC 4287).',
      content: { 'application/atom+xml': { schema: { type: 'string' } } },
    },
    problems: ['rate_limited'],
  })
  @ApiParam(NAME)
  feed(@Param('slug') slug: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.status.respondWith('atom', slug, {}, request, response);
  }

  @Route('GET', ':slug/history', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'showStatusHistory',
    summary: 'Show a month of a public status page',
    description:
      'Without a key, cached for 15 seconds. The incidents that were public and were open in the month, and the outages of ' +
      'which none of them tells, at most 200 each, with links to the months beside it. A page with a domain has it at `/history`, too.',
    returns: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
    problems: ['invalid_query', 'rate_limited'],
  })
  @ApiParam(NAME)
  history(
    @Param('slug') slug: string,
    @Query() query: PublicHistoryQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.status.respondWith('history', slug, query, request, response);
  }

  @Route('GET', ':slug/history.json', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'getStatusHistory',
    summary: 'Get a month of a public status page for programs',
    description:
      'Without a key, cached for 15 seconds. What the page of the month shows; `earlier` and `later` are the months beside it, ' +
      'null where there is nothing to tell. A page with a domain has it at `/history.json`, too.',
    returns: { description: 'The month.', content: { 'application/json': { schema: { type: 'object' } } } },
    problems: ['invalid_query', 'rate_limited'],
  })
  @ApiParam(NAME)
  historyForPrograms(
    @Param('slug') slug: string,
    @Query() query: PublicHistoryQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.status.respondWith('history.json', slug, query, request, response);
  }

  @Route('GET', ':slug/logo', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'getStatusLogo',
    summary: 'Get the logo of a public status page',
    description: 'Without a key, cached for 15 seconds. 404 for a page without one.',
    returns: {
      description: 'The uploaded picture.',
      content: Object.fromEntries(
        ['image/png', 'image/jpeg', 'image/webp'].map((type) => [
          type,
          { schema: { type: 'string', format: 'binary' } },
        ]),
      ),
    },
    problems: ['rate_limited'],
  })
  @ApiParam(NAME)
  logo(@Param('slug') slug: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.status.respondWith('logo', slug, {}, request, response);
  }
}
