import { Controller, Param, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { FormBody } from '../../platform/http/body/read-body';
import { Route } from '../../platform/http/route.decorator';
import { AcknowledgeLinkService } from './acknowledge-link.service';
import { MAX_NOTE } from './acknowledgement.dto';

const TOKEN = {
  name: 'token',
  description: 'From the link of a message: good for its incident, for seven days.',
  example: 'AZqy5Gg1fPOaBcDeFgHiJkLmAAAAB2khqYAb7c0ZfYw1t8Xk3m9QvL2s',
};
/** A note of MAX_NOTE characters, each of them twelve bytes when percent-encoded. */
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
    summary: 'Show the page behind the link of a message',
    description:
      'For people: what is down since when, in which incident, who has it in hand, and a form to take it, or all of the incident; or that it is over. Looking at it changes nothing. A token that was changed, is too old or never was one is a 404, for people as a page.',
    returns: { description: 'The page.', ...PAGE },
    problems: ['rate_limited'],
  })
  @ApiParam(TOKEN)
  show(@Param('token') token: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.links.show(token, request, response);
  }

  @Route('POST', ':token', {
    access: 'public',
    idempotencyKey: { refused: 'Taking it again changes nothing.' },
    operationId: 'acknowledgeByLink',
    summary: 'Acknowledge by the link of a message',
    description:
      'The form of the page. As `PUT /api/v1/endpoints/{id}/acknowledgement`, with "link" as who it was; while somebody has the endpoint in hand already, nothing changes. With `all` as that of the incident that its alert is in now.',
    returns: { description: 'The page, with who has it in hand.', ...PAGE },
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
        note: { type: 'string', maxLength: MAX_NOTE, description: 'What others should know.', example: 'On my way.' },
        all: { type: 'string', enum: ['1'], description: 'All of the incident, not its endpoint alone.', example: '1' },
      },
    },
  })
  take(@Param('token') token: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.links.take(token, request, response);
  }
}
