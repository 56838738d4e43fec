import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { CONTRACT, OPERATIONS } from './contract';
import { exactSchema, type OpenApi, type Operation, referring, type Schema } from './openapi';
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

/** Returns the problems with a body that is documented by one of these schemas. */
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

describe('a response that is documented as one of several forms', () => {
  const exclusive = [whole ?? {}, { allOf: [partial], not: { required: ['all'] } }];

  it('is wrong if it matches two forms, even if only fields that a form does not name distinguish them', () => {
    expect(problemsOf([whole ?? {}, partial ?? {}], { all: true })).toEqual([
      expect.stringContaining('must match exactly one schema in oneOf'),
    ]);
  });

  it.each([{ all: true }, { tags: ['a'] }, {}])('is right if it matches one form: %j', (body) => {
    expect(problemsOf(exclusive, body)).toEqual([]);
  });

  it('is wrong if it has a field that its form does not name', () => {
    expect(problemsOf(exclusive, { tags: [], more: 1 })).not.toEqual([]);
  });
});

describe('the document of this service', () => {
  /** OpenAPI 3.1 keywords and our extensions. Keywords such as `example` don't restrict values. */
  const WORDS = [
    'x-enumDescriptions',
    'components',
    'discriminator',
    'example',
    'x-alias-of',
    'x-default',
    'x-format',
    'x-settings-of',
  ];

  /** Strict mode rejects keywords that are unknown or don't fit the type. */
  const strictly = (schemas: Record<string, Schema>, of = referring): Ajv => {
    const compiler = new Ajv({ strict: true, strictRequired: false, strictTypes: false, inlineRefs: false });
    addFormats(compiler);
    compiler.addVocabulary(WORDS);
    const entries = Object.entries(schemas).map(([name, schema]) => [name, of(schema, 'document')]);
    compiler.addSchema({ $id: 'document', components: { schemas: Object.fromEntries(entries) as object } });
    return compiler;
  };
  const schemaOf = (name: string) => ({ $ref: `document#/components/schemas/${name}` });

  it('has schemas that a JSON Schema 2020-12 validator accepts unchanged', () => {
    const { schemas } = CONTRACT.components;
    const compiler = strictly(schemas);
    const wrong = Object.keys(schemas).flatMap((name) => {
      try {
        compiler.compile(schemaOf(name));
        return [];
      } catch (error) {
        return [`${name}: ${String(error)}`];
      }
    });
    expect(wrong).toEqual([]);
  });

  describe('with the former scope of a window, which had two overlapping forms', () => {
    const { schemas } = CONTRACT.components;
    const { MaintenanceWindow: intact = {} } = schemas;
    const oneOf = ['WholeScope', 'PartialScope'].map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const broken = { ...intact, properties: { ...intact.properties, scope: { oneOf } } };
    /** Values to use for fields without an example. */
    const values: Readonly<Record<string, unknown>> = { boolean: true, array: [] };
    const fields = Object.entries(intact.properties ?? {}).map(([name, { example, type }]) => [
      name,
      example ?? values[String(type)] ?? null,
    ]);
    const window = { ...(Object.fromEntries(fields) as object), scope: { all: true } };
    const operation = OPERATIONS.find(({ operationId }) => operationId === 'getMaintenanceWindow');
    const problemsBy = (MaintenanceWindow: Schema): string[] =>
      new Validator({ ...CONTRACT, components: { schemas: { ...schemas, MaintenanceWindow } } }).problemsOf(
        operation ?? ({ name: 'none', responses: {} } as unknown as Operation),
        { status: 200, headers: { 'content-type': 'application/json' }, body: window, text: JSON.stringify(window) },
      );

    it('every response with a scope is refused, and no response of the current document is', () => {
      expect(problemsBy(intact)).toEqual([]);
      expect(problemsBy(broken)).toEqual([expect.stringContaining('/scope must match exactly one schema in oneOf')]);
    });

    it('a validator that closes each form finds nothing, which is why it is not the only one', () => {
      const isTaken = (of: typeof referring) =>
        strictly({ ...schemas, MaintenanceWindow: broken }, of).validate(schemaOf('MaintenanceWindow'), window);
      expect([isTaken(exactSchema), isTaken(referring)]).toEqual([true, false]);
    });
  });
});
