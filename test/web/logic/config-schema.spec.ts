import { readJson } from '../../repository/project-files';
import {
  type ApiDocument,
  configSchemas,
  type ConfigValue,
  endpointChoices,
  fieldsOf,
  filled,
  generatedIn,
  kindOf,
  secretsIn,
  textsOf,
} from '../../../web/src/logic/config-schema';

const DOCUMENT = {
  components: {
    schemas: {
      CreateAlertWithConfig: { discriminator: { mapping: { sample: '#/components/schemas/CreateSampleAlert' } } },
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

describe('forms generated from the OpenAPI document', () => {
  it('finds the config of every channel, with its references resolved', () => {
    const { sample } = configSchemas(DOCUMENT);
    expect(sample?.required).toEqual(['url']);
    expect(sample?.properties?.['smtp']).toMatchObject({
      description: 'Own account.',
      properties: { port: { type: 'integer' } },
    });
    expect(kindOf(sample?.properties?.['headers'] ?? {})).toBe('pairs');
  });

  it('finds the channels of the alert form in the published document', () => {
    const document = readJson('docs/openapi.json') as ApiDocument;
    expect(Object.keys(configSchemas(document))).toEqual(expect.arrayContaining(['email', 'webhook', 'slack']));
  });

  it('finds the secrets that a form hides, but not values that the service has masked', () => {
    const schema = {
      properties: {
        url: { type: 'string' },
        token: { type: 'string', writeOnly: true },
        old: { type: 'string', writeOnly: true },
        none: { type: 'string', writeOnly: true },
        smtp: { properties: { password: { type: 'string', format: 'password' } } },
      },
    };
    const value = { url: 'https://a.example', token: 't', old: '***1234', none: '', smtp: { password: 'p' } };
    expect(secretsIn(schema, value, '/config')).toEqual(['/config/token', '/config/smtp/password']);
  });

  it('finds no channel in a document without channels', () =>
    expect(configSchemas({ components: { schemas: {} } })).toEqual({}));

  it('finds the types with their settings, methods, sources and comparisons of the endpoint form in the published document', () => {
    const document = readJson('docs/openapi.json') as ApiDocument;
    expect(endpointChoices(document)).toEqual({
      types: expect.arrayContaining(['HTTPS', 'TCP']) as string[],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      sources: expect.arrayContaining(['status_code', 'json']) as string[],
      comparisons: expect.arrayContaining(['equals', 'in']) as string[],
      settings: expect.objectContaining({
        TCP: { type: 'object', properties: expect.objectContaining({ send: expect.anything() as object }) as object },
        POSTGRES: expect.objectContaining({ required: ['user'] }) as object,
      }) as object,
    });
  });

  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', writeOnly: true }, 'secret'],
    [{ type: 'string', format: 'password' }, 'secret'],
    [{ type: 'string', enum: ['a'] }, 'choice'],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'text'],
    [{ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'texts'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'array', items: { type: 'string' } }, 'lines'],
    [{ type: 'array', items: { type: 'object', properties: { x: {} } } }, 'json'],
    [{ type: 'object', properties: { x: {} } }, 'group'],
    [{}, 'json'],
  ])('edits a field with the schema %j as %s', (schema, kind) => expect(kindOf(schema)).toBe(kind));

  it.each<[value: object, fields: string[]]>([
    [{}, ['url*', 'token']],
    [{ url: 'x' }, ['url*', 'token']],
    [{ webhook_url: 'x' }, ['webhook_url*', 'token']],
  ])('shows the one of a field and its former name that the config %j uses', (value, fields) => {
    const schema = { properties: { token: {}, url: {}, webhook_url: { 'x-alias-of': 'url' } } };
    const shown = fieldsOf(schema, value as ConfigValue).map(({ key, isRequired }) => key + (isRequired ? '*' : ''));
    expect(shown).toEqual(fields);
  });

  it.each([
    ['+15005550006', '+15005550006'],
    ['+15005550006, +15005550007', ['+15005550006', '+15005550007']],
    ['+15005550006,', '+15005550006'],
    ['', ''],
  ])('reads one text or several from "%s"', (typed, value) => expect(textsOf(typed)).toEqual(value));

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
  it('finds the secrets that the service generated, and no others', () => {
    const answer = { url: 'x', secret: 'whsec_1', token: '***abcd', password: 'mine', level: 'low' };
    expect(generatedIn(answer, { url: 'x', password: 'mine' })).toEqual(['whsec_1']);
  });
});
