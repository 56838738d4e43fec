import type { OpenAPIObject } from '@nestjs/swagger';
import { asOpenApi31, withDefaultsInWords, withPublicNames } from './schemas';

describe('asOpenApi31', () => {
  const convert = (schema: object): unknown => {
    const document = { openapi: '3.0.0', components: { schemas: { A: schema } } };
    return asOpenApi31(document as never).components?.schemas?.['A'];
  };
  const REF = { $ref: '#/components/schemas/B' };
  const NULL = { type: 'null' };

  it('contains its version', () => {
    expect(asOpenApi31({ openapi: '3.0.0' } as never)).toEqual({ openapi: '3.1.0' });
  });

  it.each([
    [
      'a type',
      { type: 'string', nullable: true, format: 'date-time' },
      { type: ['string', 'null'], format: 'date-time' },
    ],
    ['values', { type: 'string', enum: ['a'], nullable: true }, { type: ['string', 'null'], enum: ['a', null] }],
    [
      'a schema with a description',
      { type: 'object', nullable: true, description: 'x', allOf: [REF] },
      { description: 'x', anyOf: [REF, NULL] },
    ],
    ['a reference', { ...REF, nullable: true }, { anyOf: [REF, NULL] }],
    [
      'one of several',
      { nullable: true, oneOf: [REF, { type: 'string' }] },
      { anyOf: [REF, { type: 'string' }, NULL] },
    ],
    [
      'all of several',
      { nullable: true, allOf: [REF, { type: 'object' }] },
      { anyOf: [{ allOf: [REF, { type: 'object' }] }, NULL] },
    ],
  ])('adds null as a type to %s', (_, before, after) => {
    expect(convert(before)).toEqual(after);
  });

  it("keeps fields that aren't nullable, even one with the name nullable", () => {
    const schema = {
      type: 'object',
      properties: { nullable: { type: 'boolean' }, other: { type: 'string', nullable: false } },
    };
    expect(convert(schema)).toEqual({
      type: 'object',
      properties: { nullable: { type: 'boolean' }, other: { type: 'string' } },
    });
  });

  it('keeps examples as they are', () => {
    const schema = { type: 'object', example: { nullable: true, type: 'x' } };
    expect(convert(schema)).toEqual(schema);
  });
});

describe('withDefaultsInWords', () => {
  const convert = (name: string, schema: object): unknown => {
    const document = { openapi: '3.1.0', components: { schemas: { [name]: schema } } };
    return withDefaultsInWords(document as never).components?.schemas?.[name];
  };
  const interval = { type: 'integer', description: 'Seconds.', default: 60 };
  const object = (property: object, required?: string[]) => ({
    type: 'object',
    properties: { interval: property },
    ...(required && { required }),
  });

  it('adds the default of an optional field to its description', () => {
    const told = { type: 'integer', description: 'Seconds. Default: `60`.', 'x-default': 60 };
    expect(convert('CreateEndpoint', object(interval))).toEqual(object(told));
    expect(convert('CreateEndpoint', { allOf: [object(interval)] })).toEqual({ allOf: [object(told)] });
  });

  it('adds a description with the default if there is none', () => {
    const property = { type: 'string', default: 'GET' };
    const told = { type: 'string', description: 'Default: `"GET"`.', 'x-default': 'GET' };
    expect(convert('CreateEndpoint', object(property))).toEqual(object(told));
  });

  it.each([
    ['an update, which keeps fields that are not sent', 'UpdateEndpoint', undefined],
    ['a field that is always there', 'Endpoint', ['interval']],
  ])('leaves the default out of %s', (_, name, required) => {
    expect(convert(name, object(interval, required))).toEqual(
      object({ type: 'integer', description: 'Seconds.' }, required),
    );
  });
});

describe('withPublicNames', () => {
  const documentOf = (...names: string[]): OpenAPIObject => ({
    openapi: '3.0.0',
    info: { title: 'test', version: '1' },
    paths: {
      '/a': {
        get: {
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/AView' } } },
            },
          },
        },
      },
    },
    components: {
      schemas: Object.fromEntries(
        names.map((name) => [
          name,
          {
            oneOf: [{ $ref: '#/components/schemas/BDto' }],
            discriminator: { propertyName: 'type', mapping: { b: '#/components/schemas/BDto' } },
            description: 'AView',
          },
        ]),
      ),
    },
  });

  it('removes internal suffixes from the names of schemas and from all references to them', () => {
    const document = withPublicNames(documentOf('AView', 'BDto', 'Viewer'));
    expect(Object.keys(document.components?.schemas ?? {})).toEqual(['A', 'B', 'Viewer']);
    expect(JSON.stringify(document.paths)).toContain('"$ref":"#/components/schemas/A"');
    expect(document.components?.schemas?.['A']).toEqual({
      oneOf: [{ $ref: '#/components/schemas/B' }],
      discriminator: { propertyName: 'type', mapping: { b: '#/components/schemas/B' } },
      description: 'AView',
    });
  });

  it('refuses two classes that would have the same name', () => {
    expect(() => withPublicNames(documentOf('AView', 'ADto'))).toThrow('two schemas would be called A');
  });
});
