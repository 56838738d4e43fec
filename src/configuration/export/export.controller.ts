import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import type { Request, Response } from 'express';
import { Access, type Caller, CurrentCaller } from '../../platform/access/caller';
import { Cost, costOfScrape } from '../../platform/access/cost';
import { KEY } from '../../platform/http/body/resource-key';
import { Optional } from '../../platform/http/validators';
import { Problems } from '../../platform/problem/problems.decorator';
import { CONFIGURATION_PATH } from '../document/document-body';
import { ExportService } from './export.service';

export class ExportQuery {
  @ApiPropertyOptional({
    description: 'Only what the document of this owner declares. Without it everything that there is.',
    example: 'shop-repo',
    pattern: KEY.source,
  })
  @Optional()
  @Matches(KEY, { message: 'owner must be 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit' })
  owner?: string;
}

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

  @Get()
  @Access('read')
  @Cost(costOfScrape)
  @ApiOperation({
    operationId: 'exportConfiguration',
    summary: 'Export a configuration document',
    description:
      'What your organization has, as a document that can be planned and applied here or elsewhere; with `owner` what one document declares. YAML with `Accept: application/yaml`, with notes above it, else JSON. For every role the same: credentials, bodies and addresses that may hold them are `{$secret: NAME}`, which keeps the stored value where there is one. What has no key is given one made of its name, which is not stored: the next plan of the document says `adopt`. Settings at their default are left out, and so are windows that are over and logos of status pages.',
  })
  @ApiOkResponse({
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
  })
  @Problems('invalid_query', 'conflict')
  export(
    @CurrentCaller() caller: Caller,
    @Query() query: ExportQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.exports.respond(caller, query.owner, request, response);
  }
}
