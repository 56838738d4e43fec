import { Controller, Header, Query } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { OrgId } from '../../platform/access/caller';
import { SentText, TextBody } from '../../platform/http/body/text-body';
import { Route } from '../../platform/http/route.decorator';
import { CONFIGURATION_PATH, FOREIGN_BODY } from '../document/document';
import { ConversionView, ConvertQuery } from './convert.dto';
import { ConvertService } from './convert.service';

const EXAMPLE = {
  endpoints: [{ name: 'front', url: 'https://shop.example.com', conditions: ['[STATUS] == 200'] }],
};
const TEXT = {
  schema: { type: 'string' as const, description: 'The file, or several files one after the other, at most 8 MiB.' },
  example: 'endpoints:\n  - name: front\n    url: https://shop.example.com\n    conditions: ["[STATUS] == 200"]\n',
};
const JSON_FILE = { schema: { type: 'object' as const, additionalProperties: true }, example: EXAMPLE };
const CONTENT = Object.fromEntries(
  FOREIGN_BODY.types.map((type) => [type, type === 'application/json' ? JSON_FILE : TEXT]),
);

@ApiTags('Configuration')
@ApiExtraModels(ConversionView)
@Controller(`${CONFIGURATION_PATH}/convert`)
export class ConvertController {
  constructor(private readonly conversions: ConvertService) {}

  @Route('POST', '', {
    access: 'read',
    cost: () => 10,
    idempotencyKey: { refused: 'Nothing is stored.' },
    operationId: 'convertConfiguration',
    requestBody: { required: true, content: CONTENT },
    summary: 'Convert the file of another program',
    description:
      'Creates a configuration document from the configuration of another program, and reports how each item was converted. Nothing is stored, and no network request is sent. Plan the document next.',
    returns: {
      description: 'The document and the report.',
      content: { 'application/json': { schema: { $ref: getSchemaPath(ConversionView) } } },
    },
    problems: ['invalid_query', 'validation_failed', 'malformed_document'],
  })
  @Header('Content-Type', 'application/json; charset=utf-8')
  @TextBody(FOREIGN_BODY)
  convert(@OrgId() orgId: string, @Query() { from }: ConvertQuery, @SentText() text: string): Promise<string> {
    return this.conversions.convert(orgId, from, text);
  }
}
