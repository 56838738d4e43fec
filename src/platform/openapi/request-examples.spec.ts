import { withRequestExamples } from './request-examples';

interface Content {
  schema?: object;
  example?: unknown;
  examples?: unknown;
}

/** Returns the content generated for a body with this schema, in a document that contains these schemas. */
function contentOf(given: Content, schemas: object = {}): Content {
  const content = { ...given };
  const paths = { '/things': { post: { requestBody: { content: { 'application/json': content } } } } };
  withRequestExamples({ openapi: '3.1.0', paths, components: { schemas } } as never);
  return content;
}
const exampleOf = (schema: object, schemas?: object): unknown => contentOf({ schema }, schemas).example;
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const ID = 'ws_01jd3k6q7be5y9x4v2m8n0r1st';

describe('withRequestExamples', () => {
  it.each([
    ['what is required, with its own example', { type: 'string', example: 'Shop' }, ['field'], { field: 'Shop' }],
    ['what is optional and has an example', { type: 'string', example: 'Shop' }, [], { field: 'Shop' }],
    ['no optional field without one', { type: 'string' }, [], {}],
    ['no optional field whose example is null', { type: ['string', 'null'], example: null }, [], {}],
    ['the first value of a list of values', { type: 'string', enum: ['read', 'write'] }, ['field'], { field: 'read' }],
    ['the least number', { type: 'integer', minimum: 1 }, ['field'], { field: 1 }],
    ['an empty list', { type: 'array', items: { type: 'string' } }, ['field'], { field: [] }],
    ['no former name', { type: 'string', example: 'Shop', deprecated: true }, [], {}],
    ['nothing that cannot change', { type: 'string', example: 'a', description: 'Immutable: its value.' }, [], {}],
    ['nothing instead of another', { type: 'string', example: 'a', description: 'Instead of a key: a token.' }, [], {}],
    ['no optional ID', { type: 'string', example: ID }, [], {}],
    ['a required ID', { type: 'string', example: ID }, ['field'], { field: ID }],
  ])('shows %s', (_, field, required, shown) => {
    expect(exampleOf(object({ field }, required))).toEqual(shown);
  });

  it('follows references, and puts the parts of an allOf together', () => {
    const name = { type: 'string', example: 'Shop' };
    const schemas = {
      Named: object({ name }),
      Config: object({ url: { type: 'string', example: 'https://a.example' } }),
    };
    const config = object({ config: { $ref: '#/components/schemas/Config' } }, ['config']);
    const schema = { allOf: [{ $ref: '#/components/schemas/Named' }, config] };
    expect(exampleOf(schema, schemas)).toEqual({ name: 'Shop', config: { url: 'https://a.example' } });
  });

  it('gives a body of several forms an example for each form, named by its discriminator', () => {
    const form = (type: string) => object({ type: { type: 'string', enum: [type] } }, ['type']);
    const schemas = { Slack: form('slack'), Email: form('email') };
    const mapping = { slack: '#/components/schemas/Slack', email: '#/components/schemas/Email' };
    const schema = { oneOf: [], discriminator: { propertyName: 'type', mapping } };
    expect(contentOf({ schema }, schemas)).toEqual({
      schema,
      examples: { slack: { value: { type: 'slack' } }, email: { value: { type: 'email' } } },
    });
  });

  it('gives each form of a choice an example, named by its title without a discriminator', () => {
    const form = object({ type: { type: 'string', enum: ['slack'] } }, ['type']);
    const mapping = { slack: '#/components/schemas/Slack' };
    const schemas = {
      Slack: form,
      Typed: { oneOf: [], discriminator: { propertyName: 'type', mapping } },
      Other: { title: 'contact', ...object({ contact_id: { type: 'string', example: ID } }, ['contact_id']) },
    };
    const schema = { oneOf: [{ $ref: '#/components/schemas/Typed' }, { $ref: '#/components/schemas/Other' }] };
    expect(contentOf({ schema }, schemas)).toEqual({
      schema,
      examples: { slack: { value: { type: 'slack' } }, contact: { value: { contact_id: ID } } },
    });
  });

  it('keeps the example that the route gives', () => {
    const given = { schema: object({ name: { type: 'string', example: 'Shop' } }), example: { name: 'Mine' } };
    expect(contentOf(given)).toEqual(given);
  });
});
