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
      'For `.svg`: shows the uptime over this window instead of the state. If there is little data, the badge also shows since when, or for how much of the time, the endpoints were monitored.',
  })
  @Optional()
  @IsIn(Object.keys(BADGE_WINDOWS))
  uptime?: BadgeWindow;

  @ApiPropertyOptional({
    enum: ['off'],
    description: 'For `<slug>`: `off` shows a page that does not reload itself. By default, it does so every minute.',
  })
  @Optional()
  @IsIn(['off'])
  refresh?: 'off';
}

class PublicHistoryQuery {
  @ApiPropertyOptional({
    description: 'A month in UTC, not in the future. By default, the current month.',
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
      'Needs no API key, and is cached for 15 seconds. Only published pages are available. For all others, browsers get a ' +
      'page that says so, and programs get the problem. A page with a domain is also available at the root of that ' +
      'domain, `/status.json`, and `/badge.svg`. `maintenance` contains public maintenance windows that affect the ' +
      'page, from seven days before they start. Failures during such a window are not outages and do not count for ' +
      'the uptime. Windows that are not public are not shown. `incidents` contains incidents with a public update ' +
      'that affect the page, while they are open and for 14 days after that. It contains only the names as shown on ' +
      'the page and the public updates. `outages` contains all outages; the page and the feed contain only outages ' +
      'that no incident covers. `status` is based on the checks alone. The headline and the badge show `incident` ' +
      'if nothing is down and an incident is open, `maintenance` if nothing else is down, and `degraded` if ' +
      'something works with a warning.',
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
    description: '`<slug>` for browsers, `<slug>.json` for programs, `<slug>.svg` for a badge.',
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
    summary: 'Get the events of a public status page as an Atom feed',
    description:
      'Needs no API key, and is cached for 15 seconds. The feed has one entry per incident, which is updated with ' +
      'each public update. It has one entry per outage that no incident covers, which is updated when the outage ' +
      'ends. It also has one entry per announced maintenance window of the next seven days, which is updated when ' +
      'the window starts and ends, and is kept for two more days. The IDs of entries do not change. A page with a ' +
      'domain also has the feed at `/feed.atom`.',
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

  @Route('GET', ':slug/calendar.ics', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'getStatusCalendar',
    summary: 'Get the maintenance calendar of a public status page',
    description:
      'Needs no API key, and is cached for 15 seconds. Calendar programs can subscribe to it. It has one event per ' +
      'announced maintenance window of the next seven days, which is kept for two days after its end. The IDs of ' +
      'events do not change. A page with a domain also has the calendar at `/calendar.ics`.',
    returns: {
      description: 'The calendar (iCalendar, RFC 5545).',
      content: { 'text/calendar': { schema: { type: 'string' } } },
    },
    problems: ['rate_limited'],
  })
  @ApiParam(NAME)
  calendar(@Param('slug') slug: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.status.respondWith('ics', slug, {}, request, response);
  }

  @Route('GET', ':slug/icon.svg', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'getStatusIcon',
    summary: 'Get the icon of a public status page',
    description:
      'Needs no API key, and is cached for 15 seconds. The icon shows the state of the page, for example in the tab ' +
      'of a browser.',
    returns: { description: 'The icon.', content: { 'image/svg+xml': { schema: { type: 'string' } } } },
    problems: ['rate_limited'],
  })
  @ApiParam(NAME)
  icon(@Param('slug') slug: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.status.respondWith('icon', slug, {}, request, response);
  }

  @Route('GET', ':slug/incidents/:incident', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'showStatusIncident',
    summary: 'Show an incident of a public status page',
    description:
      'Needs no API key, and is cached for 15 seconds. Shows a public incident that affects endpoints of the page, ' +
      'with all its public updates, for as long as the incident is stored. A page with a domain also has it at ' +
      '`/incidents/{incident}`.',
    returns: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
    problems: ['rate_limited'],
  })
  @ApiParam(NAME)
  @ApiParam({
    name: 'incident',
    example: '6f1c0f2e-5b1a-8c3d-8e4f-0123456789ab',
    description: 'The `id` of the incident in the JSON of the page.',
  })
  incident(
    @Param('slug') slug: string,
    @Param('incident') incident: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.status.respondWith('incident', slug, { incident }, request, response);
  }

  @Route('GET', ':slug/history', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'showStatusHistory',
    summary: 'Show a month of a public status page',
    description:
      'Needs no API key, and is cached for 15 seconds. Shows the public incidents that were open in the month, and ' +
      'the outages that no incident covers, at most 200 of each, with links to the previous and next month. A page ' +
      'with a domain also has it at `/history`.',
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
    summary: 'Get a month of a public status page as JSON',
    description:
      'Needs no API key, and is cached for 15 seconds. Returns the content of the page for the month. `earlier` and ' +
      '`later` are the previous and next month, or null if there is nothing to show. A page with a domain also has ' +
      'it at `/history.json`.',
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
    description: 'Needs no API key, and is cached for 15 seconds. 404 if the page has no logo.',
    returns: {
      description: 'The uploaded image.',
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
