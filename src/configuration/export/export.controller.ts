import { Controller, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Caller, CurrentCaller } from '../../platform/access/caller';
import { costOfScrape } from '../../platform/access/cost';
import { Route } from '../../platform/http/route.decorator';
import { CONFIGURATION_PATH } from '../document/document';
import { ExportQuery } from './export.dto';
import { ExportService } from './export.service';

const YAML = `# What Example exported at 2026-11-20T09:00:00.000Z.
version: 1
owner: shop-repo

contacts:
  - key: chat
    name: Ops chat
    type: slack
    config:
      webhook_url: { $secret: CONTACT_CHAT_WEBHOOK_URL }

websites:
  - key: shop
    name: Shop
    url: https://shop.example.com/
    endpoints:
      - key: front
        name: Front page
        type: HTTPS
        url: https://shop.example.com/
        interval: 30
        alerts:
          - key: chat
            contact: chat
`;

const JSON_EXAMPLE = {
  version: 1,
  owner: 'shop-repo',
  websites: [{ key: 'shop', name: 'Shop', url: 'https://shop.example.com/' }],
};

@ApiTags('Configuration')
@Controller(CONFIGURATION_PATH)
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  @Route('GET', '', {
    access: 'read',
    cost: costOfScrape,
    operationId: 'exportConfiguration',
    summary: 'Export a configuration document',
    description:
      'What your organization has, as a document that can be planned and applied here or elsewhere; with `owner` what one document declares. YAML with `Accept: application/yaml`, with notes above it, else JSON. Credentials, bodies and addresses of receivers are `{$secret: NAME}`, which keeps the stored value where there is one; so are URLs of endpoints that may hold a credential, and for the role `read` all with a query. What has no key is given one made of its name, which is not stored: the next plan of the document says `adopt`. Settings at their default are left out unless `full` is asked for; so are windows that are over and logos of status pages.',
    returns: {
      description: 'The document.',
      headers: {
        'X-Notes': {
          description: 'How many notes there are, which stand above the document when it is YAML.',
          schema: { type: 'integer', minimum: 0 },
          example: 0,
        },
      },
      content: {
        'application/json': { schema: { type: 'object', additionalProperties: true }, example: JSON_EXAMPLE },
        'application/yaml': { schema: { type: 'string' }, example: YAML },
      },
    },
    problems: ['conflict'],
  })
  export(
    @CurrentCaller() caller: Caller,
    @Query() query: ExportQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.exports.respond(caller, query, request, response);
  }
}
