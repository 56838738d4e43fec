import { Controller, Header, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, OrgId } from '../../platform/access/caller';
import { Cost } from '../../platform/access/cost';
import { SentText, TextBody } from '../../platform/http/body/text-body';
import { RefusesIdempotencyKey } from '../../platform/http/idempotency/idempotent.decorator';
import { Problems } from '../../platform/problem/problems.decorator';
import { CONFIGURATION_PATH, FOREIGN_BODY } from '../document/document';
import { ConversionView, ConvertQuery } from './convert.dto';
import { ConvertService } from './convert.service';

const EXAMPLE = {
  endpoints: [{ name: 'front', url: 'https://shop.example.com', conditions: ['[STATUS] == 200'] }],
};
const TEXT = {
  schema: { type: 'string' as const, description: 'The file, or several behind each other, at most 8 MiB.' },
  example: 'endpoints:\n  - name: front\n    url: https://shop.example.com\n    conditions: ["[STATUS] == 200"]\n',
};
const JSON_FILE = { schema: { type: 'object' as const, additionalProperties: true }, example: EXAMPLE };
const CONTENT = Object.fromEntries(
  FOREIGN_BODY.types.map((type) => [type, type === 'application/json' ? JSON_FILE : TEXT]),
);

@ApiTags('Configuration')
@Controller(`${CONFIGURATION_PATH}/convert`)
export class ConvertController {
  constructor(private readonly conversions: ConvertService) {}

  @Post()
  @Access('read')
  @Cost(() => 10)
  @RefusesIdempotencyKey('Nothing is stored.')
  @HttpCode(200)
  @Header('Content-Type', 'application/json; charset=utf-8')
  @TextBody(FOREIGN_BODY)
  @ApiOperation({
    operationId: 'convertConfiguration',
    requestBody: { required: true, content: CONTENT },
    summary: 'Convert a file of another program',
    description:
      'Makes a configuration document of the configuration of another program, and says what became of each thing in it. Nothing is stored and nothing is asked on the network. Plan the document next.',
  })
  @ApiOkResponse({ type: ConversionView, description: 'The document and the report.' })
  @Problems('invalid_query', 'validation_failed', 'malformed_document')
  convert(@OrgId() orgId: string, @Query() { from }: ConvertQuery, @SentText() text: string): Promise<string> {
    return this.conversions.convert(orgId, from, text);
  }
}
