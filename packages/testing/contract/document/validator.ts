import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import type { ApiResponse } from '../../service/api';
import { type DocumentedResponse, exactSchema, type OpenApi, type Operation, referring, type Schema } from './openapi';

/**
 * The two forms in which the compiler knows the document. `document` is unchanged, as other validators read it.
 * `closed` forbids undocumented fields. On its own, `closed` would miss overlapping choices in a `oneOf`. A choice that
 * allows more fields would then reject the other choice's fields.
 */
const [AS_IT_IS, CLOSED] = ['document', 'closed'];
const READINGS = [
  { name: AS_IT_IS, of: referring },
  { name: CLOSED, of: exactSchema },
];

interface Compiler {
  addSchema(schema: object): unknown;
  compile(schema: object): ValidateFunction;
}

/** Compares responses with the document. */
export class Validator {
  private readonly compiler: Compiler = newCompiler();
  private readonly validators = new Map<string, ValidateFunction[]>();

  constructor({ components }: OpenApi) {
    for (const { name: $id, of } of READINGS) {
      const schemas = Object.entries(components.schemas).map(([name, schema]) => [name, of(schema, $id)]);
      this.compiler.addSchema({ $id, components: { schemas: Object.fromEntries(schemas) as object } });
    }
  }

  /** Returns how a response to this operation differs from the document, as sentences. */
  problemsOf({ name, responses }: Operation, response: ApiResponse): string[] {
    const at = `${name} ${response.status}`;
    const documented = responses[String(response.status)];
    if (!documented) return [`${at} is not documented`];
    const problems = [...this.ofHeaders(documented, response), ...this.ofBody(documented, response)];
    return problems.map((problem) => `${at}: ${problem}`);
  }

  private ofHeaders({ headers = {} }: DocumentedResponse, response: ApiResponse): string[] {
    return Object.entries(headers).flatMap(([name, { schema }]) => {
      const value = response.headers[name.toLowerCase()];
      if (value === undefined) return [];
      const isRight =
        schema?.enum?.includes(value) ?? (schema?.type === 'integer' ? /^\d+$/.test(value) : value !== '');
      return isRight ? [] : [`the header ${name} is ${JSON.stringify(value)}`];
    });
  }

  private ofBody({ content }: DocumentedResponse, response: ApiResponse): string[] {
    const type = response.headers['content-type']?.split(';')[0] ?? '';
    if (content === undefined) return response.text === '' ? [] : ['a body is not documented'];
    const documented = content[type];
    if (!documented)
      return [`the content type ${JSON.stringify(type)} is not one of ${Object.keys(content).join(', ')}`];
    if (!type.endsWith('json') || documented.schema === undefined) return [];
    const failed = this.validatorsOf(documented.schema).find((validate) => !validate(response.body));
    return (failed?.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath === '' ? 'the body' : instancePath} ${message ?? 'is wrong'} ${JSON.stringify(params)}`,
    );
  }

  private validatorsOf(schema: Schema): ValidateFunction[] {
    const key = JSON.stringify(schema);
    const known = this.validators.get(key) ?? READINGS.map(({ name, of }) => this.compiler.compile(of(schema, name)));
    this.validators.set(key, known);
    return known;
  }
}

/** These peers are optional. Only users who test a service against its document must install them. */
function newCompiler(): Compiler {
  try {
    const load = createRequire(__filename);
    // OpenAPI 3.1 uses JSON Schema 2020-12, but the default export reads draft 07.
    const { default: Ajv } = load('ajv/dist/2020') as { default: new (options: object) => Compiler };
    const { default: addFormats } = load('ajv-formats') as { default: (compiler: Compiler) => unknown };
    const compiler = new Ajv({ strict: false, allErrors: false });
    addFormats(compiler);
    return compiler;
  } catch (error) {
    throw new Error('describeService needs ajv and ajv-formats: npm install --save-dev ajv ajv-formats', {
      cause: error,
    });
  }
}
