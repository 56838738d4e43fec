import type { OpenAPIObject } from '@nestjs/swagger';
import { inReadingOrder } from './reading-order';

const documentOf = (paths: readonly string[], schemas: object = {}, item: object = {}): OpenAPIObject =>
  ({
    openapi: '3.0.0',
    paths: Object.fromEntries(paths.map((path) => [path, item])),
    components: { schemas },
  }) as never;

const referTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const pathsOf = (document: OpenAPIObject): string[] => Object.keys(document.paths);
const schemasOf = (document: OpenAPIObject): string[] => Object.keys(document.components?.schemas ?? {});

describe('inReadingOrder', () => {
  it('sorts the paths by section, and puts paths of no section last', () => {
    const paths = ['/made/elsewhere', '/auth/session', '/api/v1/organization', '/status/{slug}', '/api/v1/websites'];
    expect(pathsOf(inReadingOrder(documentOf(paths)))).toEqual(paths.toReversed());
  });

  it('sorts a path by the longest prefix that it has', () => {
    const sorted = inReadingOrder(
      documentOf([
        '/api/v1/endpoints/{id}/uptime',
        '/api/v1/alerts/{id}',
        '/api/v1/alerts/events',
        '/api/v1/endpoints/{id}',
      ]),
    );
    expect(pathsOf(sorted)).toEqual([
      '/api/v1/endpoints/{id}',
      '/api/v1/alerts/{id}',
      '/api/v1/alerts/events',
      '/api/v1/endpoints/{id}/uptime',
    ]);
  });

  it('keeps the order of the paths inside a section', () => {
    const paths = ['/api/v1/websites/{id}', '/api/v1/websites'];
    expect(pathsOf(inReadingOrder(documentOf(paths)))).toEqual(paths);
  });

  it('puts a schema after the schemas that it refers to, and unused schemas last', () => {
    const schemas = {
      Unused: {},
      WebsiteView: { properties: { owner: referTo('OwnerView'), parent: referTo('WebsiteView') } },
      OwnerView: {},
      ProblemView: { properties: { errors: referTo('FieldProblemView') } },
      FieldProblemView: {},
    };
    const sorted = inReadingOrder(documentOf(['/api/v1/websites'], schemas, { get: referTo('WebsiteView') }));
    expect(schemasOf(sorted)).toEqual(['FieldProblemView', 'ProblemView', 'OwnerView', 'WebsiteView', 'Unused']);
  });

  it('gives the same document for any order of the modules', () => {
    const schemas = { A: {}, B: {}, FieldProblemView: {}, ProblemView: {} };
    const reversed = Object.fromEntries(Object.entries(schemas).toReversed());
    const paths = ['/api/v1/websites', '/api/v1/alerts', '/api/v1/api-keys'];
    const get = { get: { first: referTo('B'), second: referTo('A') } };
    const one = inReadingOrder(documentOf(paths, schemas, get));
    const other = inReadingOrder(documentOf(paths.toReversed(), reversed, get));
    expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  });

  it('puts schemas that refer to each other in the order of their last reference', () => {
    const schemas = { A: { b: referTo('B') }, B: { a: referTo('A'), c: referTo('C') }, C: {} };
    const sorted = inReadingOrder(documentOf(['/api/v1/websites'], schemas, { get: referTo('A') }));
    expect(schemasOf(sorted)).toEqual(['C', 'B', 'A']);
  });

  it('keeps every path and every schema', () => {
    const sorted = inReadingOrder(documentOf(['/x', '/y'], { A: {}, B: {} }));
    expect([pathsOf(sorted), schemasOf(sorted)]).toEqual([
      ['/x', '/y'],
      ['A', 'B'],
    ]);
  });
});
