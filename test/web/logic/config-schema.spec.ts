import { readJson } from '../../repository/project-files';
import { type ApiDocument, configSchemas, endpointChoices, filled, kindOf } from '../../../web/src/logic/config-schema';

const DOCUMENT = {
  components: {
    schemas: {
      CreateAlertDto: { discriminator: { mapping: { sample: '#/components/schemas/CreateSampleAlert' } } },
      CreateSampleAlert: {
        allOf: [
          { $ref: '#/components/schemas/CreateAlertFields' },
          {
            type: 'object',
            properties: { type: { type: 'string' }, config: { $ref: '#/components/schemas/SampleConfig' } },
          },
        ],
      },
      CreateAlertFields: { type: 'object', properties: { description: { type: 'string' } } },
      SampleConfig: {
        type: 'object',
        required: ['url'],
        properties: {
          url: { type: 'string', format: 'uri' },
          token: { type: 'string', writeOnly: true },
          headers: { type: 'array', items: { $ref: '#/components/schemas/SampleHeader' } },
          smtp: { description: 'Own account.', allOf: [{ $ref: '#/components/schemas/SampleAccount' }] },
        },
      },
      SampleHeader: { type: 'object', properties: { key: { type: 'string' }, value: { type: 'string' } } },
      SampleAccount: { type: 'object', properties: { port: { type: 'integer' } } },
    },
  },
};

describe('forms made from the OpenAPI document', () => {
  it('finds the config of every channel, with its references resolved', () => {
    const { sample } = configSchemas(DOCUMENT);
    expect(sample?.required).toEqual(['url']);
    expect(sample?.properties?.['smtp']).toMatchObject({
      description: 'Own account.',
      properties: { port: { type: 'integer' } },
    });
    expect(kindOf(sample?.properties?.['headers'] ?? {})).toBe('pairs');
  });

  it('finds no channel in a document without channels', () =>
    expect(configSchemas({ components: { schemas: {} } })).toEqual({}));

  it('finds the types, methods, sources and comparisons of the endpoint form in the published document', () => {
    const document = readJson('docs/openapi.json') as ApiDocument;
    expect(endpointChoices(document)).toEqual({
      types: expect.arrayContaining(['HTTPS', 'TCP']) as string[],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      sources: expect.arrayContaining(['status_code', 'json']) as string[],
      comparisons: expect.arrayContaining(['equals', 'in']) as string[],
    });
  });

  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', writeOnly: true }, 'secret'],
    [{ type: 'string', format: 'password' }, 'secret'],
    [{ type: 'string', enum: ['a'] }, 'choice'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'array', items: { type: 'string' } }, 'lines'],
    [{ type: 'array', items: { type: 'object', properties: { x: {} } } }, 'json'],
    [{ type: 'object', properties: { x: {} } }, 'group'],
    [{}, 'json'],
  ])('edits a field with the schema %j as %s', (schema, kind) => expect(kindOf(schema)).toBe(kind));

  it('sends only the fields that were filled in', () => {
    expect(
      filled({
        url: 'x',
        token: '',
        port: 0,
        flag: false,
        list: [],
        nested: { a: '', b: undefined },
        kept: { a: 'y', b: null },
      }),
    ).toEqual({
      url: 'x',
      port: 0,
      flag: false,
      kept: { a: 'y' },
    });
  });
});
