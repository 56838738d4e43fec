import type { ApiResponse } from '../../service/api';
import { missingIn } from './compatibility';
import { type OpenApi, operationsOf } from './openapi';
import { Validator } from './validator';

/** One operation whose response of success has a thing with an id and a time, and a count in a header. */
const documentWith = (fields: object, required: string[] = ['id']): OpenApi => ({
  paths: {
    '/things': {
      get: {
        operationId: 'listThings',
        responses: {
          200: {
            headers: { 'X-Total-Count': { schema: { type: 'integer' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          204: {},
        },
      },
    },
  },
  components: { schemas: { Thing: { type: 'object', properties: { ...fields }, required } } },
});
const FIELDS = { id: { type: 'string' }, at: { type: 'string', format: 'date-time' }, kind: { enum: ['a', 'b'] } };

describe('a response', () => {
  const document = documentWith(FIELDS);
  const problemsOf = (body: unknown, other: Partial<ApiResponse> = {}) => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const response = { status: 200, headers, body, text: JSON.stringify(body), ...other };
    return operationsOf(document).flatMap((operation) => new Validator(document).problemsOf(operation, response));
  };

  it('is as documented with the fields that are promised', () => {
    expect(problemsOf({ id: 'x', at: '2026-11-20T10:00:00.000Z', kind: 'a' })).toEqual([]);
  });

  it.each<[string, unknown, Partial<ApiResponse>]>([
    ['without a field that is promised', { kind: 'a' }, {}],
    ['with a field that is not documented', { id: 'x', more: 1 }, {}],
    ['with a value that is not documented', { id: 'x', kind: 'c' }, {}],
    ['with a time that is none', { id: 'x', at: 'yesterday' }, {}],
    ['with another status', { id: 'x' }, { status: 418 }],
    ['of another content type', { id: 'x' }, { headers: { 'content-type': 'text/html' } }],
    [
      'with a count that is none',
      { id: 'x' },
      { headers: { 'content-type': 'application/json', 'x-total-count': '-' } },
    ],
    ['with a body where there is none', { id: 'x' }, { status: 204 }],
  ])('%s is not as documented, and one sentence says so', (_, body, other) => {
    expect(problemsOf(body, other)).toEqual([expect.stringMatching(/^GET \/things \d{3}.{5,}/)]);
  });
});

describe('a document', () => {
  const contract = documentWith(FIELDS);

  it('misses nothing of the contract when it has more', () => {
    expect(missingIn(documentWith({ ...FIELDS, more: { type: 'string' } }, ['id', 'more']), contract)).toEqual([]);
  });

  it.each<[string, OpenApi, string]>([
    ['a field', documentWith({ id: FIELDS.id, kind: FIELDS.kind }), 'Thing has no at'],
    ['a promise', documentWith(FIELDS, []), 'Thing does not promise id'],
    ['a value', documentWith({ ...FIELDS, kind: { enum: ['a'] } }), 'Thing.kind has no b'],
    ['an operation', { ...contract, paths: {} }, 'GET /things is missing'],
    ['a schema', { ...contract, components: { schemas: {} } }, 'the schema Thing is missing'],
  ])('that misses %s of the contract is told so', (_, document, sentence) => {
    expect(missingIn(document, contract)).toEqual([sentence]);
  });
});
