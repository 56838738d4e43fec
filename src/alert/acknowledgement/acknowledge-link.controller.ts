import { Controller, Param, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { FormBody } from '../../platform/http/body/read-body';
import { Route } from '../../platform/http/route.decorator';
import { AcknowledgeLinkService } from './acknowledge-link.service';
import { MAX_LINK_NAME, MAX_NOTE } from './acknowledgement.dto';

const TOKEN = {
  name: 'token',
  description: 'The token from the link in a message. Valid for seven days, and only for the outage in that message.',
  example: 'AZqy5Gg1fPOaBcDeFgHiJkLmAAAAB2khqYAb7c0ZfYw1t8Xk3m9QvL2s',
};
/** The size of a note with MAX_NOTE characters and a name, each of them twelve bytes when percent-encoded. */
const MAX_FORM_BYTES = 16 * 1024;
const PAGE = { content: { 'text/html': { schema: { type: 'string' as const } } } };

@ApiTags('Alerts')
@Controller('ack')
export class AcknowledgeLinkController {
  constructor(private readonly links: AcknowledgeLinkService) {}

  @Route('GET', ':token', {
    access: 'public',
    countedBy: 'STATUS_RATE_LIMIT_PER_SECOND',
    operationId: 'showAcknowledgeLink',
    summary: 'Show the acknowledgement page',
    description:
      'The web page that the link in a message opens. It shows what is down, since when, in which incident, and who acknowledged it, with a form to acknowledge the endpoint or the whole incident. If the outage has ended, the page says so. Opening the page changes nothing. If the token is invalid, changed, or too old, the response is a 404 with a page for browsers.',
    returns: { description: 'The page.', ...PAGE },
    problems: ['rate_limited'],
  })
  @ApiParam(TOKEN)
  show(@Param('token') token: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.links.show(token, request, response);
  }

  @Route('POST', ':token', {
    access: 'public',
    idempotencyKey: { refused: 'Acknowledging it again changes nothing.' },
    operationId: 'acknowledgeByLink',
    summary: 'Acknowledge through the link in a message',
    description:
      'Submits the form of the page. It works like `PUT /api/v1/endpoints/{id}/acknowledgement`, with the entered name as the author, or `link` without one. The browser remembers the name in a cookie of these pages. If the endpoint is already acknowledged, nothing changes. With `all`, it acknowledges the incident that the alert currently belongs to.',
    returns: { description: 'The page, which shows who acknowledged it.', ...PAGE },
    problems: ['rate_limited'],
  })
  @FormBody(MAX_FORM_BYTES)
  @ApiParam(TOKEN)
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({
    required: false,
    schema: {
      type: 'object',
      properties: {
        name: {
          type: 'string',
          maxLength: MAX_LINK_NAME,
          description: 'Your name. It is not verified, so it is shown as `Ada (link)`.',
          example: 'Ada',
        },
        note: { type: 'string', maxLength: MAX_NOTE, description: 'A note for your team.', example: 'On my way.' },
        all: {
          type: 'string',
          enum: ['1'],
          description: 'Acknowledges the whole incident instead of only the endpoint.',
          example: '1',
        },
      },
    },
  })
  take(@Param('token') token: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.links.take(token, request, response);
  }
}
