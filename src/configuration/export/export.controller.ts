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
      'Exports the configuration of your organization as a document that you can plan and apply here or elsewhere. With `owner`, only the resources of that owner are exported. Send `Accept: application/yaml` to get YAML with notes at the top; otherwise you get JSON. Credentials, bodies, and receiver addresses are replaced with `{$secret: NAME}`, which keeps the stored value if there is one. The same applies to endpoint URLs that may contain a credential; for the role `read`, it applies to all URLs with a query. Resources without a key get one derived from their name. These keys are not stored, so the next plan of the document shows `adopt`. Settings with their default value are left out unless you set `full`. Maintenance windows that have ended and logos of status pages are also left out.',
    returns: {
      description: 'The document.',
      headers: {
        'X-Notes': {
          description: 'The number of notes. In YAML, the notes are at the top of the document.',
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
