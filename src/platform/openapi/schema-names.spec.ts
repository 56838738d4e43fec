import type { OpenAPIObject } from '@nestjs/swagger';
import { withPublicNames } from './schema-names';

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

describe('withPublicNames', () => {
  it('takes our suffixes from the names of schemas and from all references to them', () => {
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
