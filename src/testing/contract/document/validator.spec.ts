import type { OpenApi, Operation } from './openapi';
import { Validator } from './validator';

const document = {
  paths: {},
  components: {
    schemas: {
      Whole: { type: 'object', required: ['all'], properties: { all: { enum: [true] } } },
      Partial: { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } },
    },
  },
} as OpenApi;

const [whole, partial] = ['Whole', 'Partial'].map((name) => ({ $ref: `#/components/schemas/${name}` }));

/** What is wrong with a body that is documented as one of these. */
const problemsOf = (oneOf: object[], body: object): string[] => {
  const content = { 'application/json': { schema: { oneOf } } };
  const operation = { name: 'GET /scope', responses: { 200: { content } } } as unknown as Operation;
  const headers = { 'content-type': 'application/json' };
  return new Validator(document).problemsOf(operation, {
    status: 200,
    headers,
    body,
    text: JSON.stringify(body),
  });
};

describe('A response that is documented as one of several forms', () => {
  const exclusive = [whole ?? {}, { allOf: [partial], not: { required: ['all'] } }];

  it('is wrong when it fits two of them, also where only fields that a form does not name tell them apart', () => {
    expect(problemsOf([whole ?? {}, partial ?? {}], { all: true })).toEqual([
      expect.stringContaining('must match exactly one schema in oneOf'),
    ]);
  });

  it.each([{ all: true }, { tags: ['a'] }, {}])('is right when it fits one: %j', (body) => {
    expect(problemsOf(exclusive, body)).toEqual([]);
  });

  it('is wrong with a field that its form does not name', () => {
    expect(problemsOf(exclusive, { tags: [], more: 1 })).not.toEqual([]);
  });
});
