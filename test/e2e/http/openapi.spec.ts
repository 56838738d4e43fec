import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { startApp, type TestApp } from '../../harness/app/app';
import { routesOf } from '../../harness/app/routes';

interface Operation {
  'x-plain'?: boolean;
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  responses: Record<
    string,
    { description: string; content?: Record<string, { example?: unknown; examples?: unknown; schema?: unknown }> }
  >;
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
}
interface Document {
  openapi: string;
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<
      string,
      { properties?: Record<string, object>; oneOf?: object[]; discriminator?: { mapping: Record<string, string> } }
    >;
  };
}

/**
 * Returns the schemas that have a default, by path. The keys of `properties` are names, so a key may be called
 * `default`.
 */
function defaultsIn(node: unknown, isByName = false, at = ''): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (!isByName && ['example', 'examples', 'enum', 'const'].includes(key)) return [];
    if (!isByName && key === 'default') return [at];
    return defaultsIn(value, !isByName && key === 'properties', `${at}/${key}`);
  });
}

describe('the OpenAPI document', () => {
  let app: TestApp;
  let document: Document;
  let operations: [string, Operation][];

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    document = (await (await fetch(`${app.url}/api/v1/openapi.json`)).json()) as Document;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });
  afterAll(() => app.close());

  it('is committed as it is served (npm run openapi writes it)', () => {
    const committed = JSON.parse(readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8')) as Document;
    expect(committed).toEqual(document);
  });

  it('documents every route of the API and nothing else', () => {
    const routes = routesOf(app.app)
      .filter(({ path }) => path.startsWith('/api/v1/'))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(
      operations
        .map(([name]) => name)
        .filter((name) => name.includes('/api/v1/'))
        .sort(),
    ).toEqual(routes.sort());
  });

  it('gives every operation a unique id, a summary, a description and one tag', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, operation] of operations) {
      expect([name, operation.operationId, operation.summary, operation.description, operation.tags?.length]).toEqual([
        name,
        expect.stringMatching(/^[a-z][A-Za-z]+$/),
        expect.stringMatching(/^.{5,60}[^.]$/),
        expect.stringMatching(/^.{5,}\.$/s),
        1,
      ]);
    }
  });

  it('documents every error response of every operation as a problem with an example', () => {
    for (const [name, { responses, 'x-plain': isPlain }] of operations) {
      if (isPlain) continue;
      const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      expect([name, errors.map(([status]) => status)]).toEqual([name, expect.arrayContaining(['500'])]);
      for (const [status, response] of errors) {
        const content = response.content?.['application/problem+json'];
        expect([name, status, Boolean(content?.examples ?? content?.example)]).toEqual([name, status, true]);
      }
    }
  });

  it('describes the body of every operation that takes one', () => {
    for (const [name, { requestBody }] of operations) {
      const reference = requestBody?.content['application/json']?.schema.$ref;
      if (reference === undefined) continue;
      const schema = document.components.schemas[reference.split('/').at(-1) ?? ''];
      expect([name, schema?.oneOf !== undefined || Object.keys(schema?.properties ?? {}).length > 0]).toEqual([
        name,
        true,
      ]);
    }
  });

  it('distinguishes the alerts of each channel by a discriminator, with secrets write-only', () => {
    const { oneOf, discriminator } = document.components.schemas['CreateAlertWithConfig'] ?? {};
    expect(Object.keys(discriminator?.mapping ?? {})).toEqual(SPEC_CHANNEL_TYPES);
    expect(oneOf).toHaveLength(SPEC_CHANNEL_TYPES.length);
    expect(document.components.schemas['PagerDutyConfig']?.properties?.['routing_key']).toMatchObject({
      writeOnly: true,
    });
  });

  it('offers a new alert a contact instead of a config', () => {
    const forms = ['CreateAlertWithConfig', 'CreateContactAlert'].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    }));
    expect(document.components.schemas['CreateAlert']?.oneOf).toEqual(forms);
    expect(document.components.schemas['CreateAlertFields']?.properties).not.toHaveProperty('contact_id');
  });

  it('distinguishes the alerts in responses in the same way, with their configs as shown', () => {
    const { oneOf, discriminator } = document.components.schemas['Alert'] ?? {};
    expect(Object.keys(discriminator?.mapping ?? {})).toEqual(SPEC_CHANNEL_TYPES);
    expect(oneOf).toHaveLength(SPEC_CHANNEL_TYPES.length);
    const { routing_key } = document.components.schemas['MaskedPagerDutyConfig']?.properties ?? {};
    expect(routing_key).toMatchObject({ type: 'string', example: '********' });
    expect(routing_key).not.toHaveProperty('writeOnly');
  });

  it('is OpenAPI 3.1, without the words of 3.0', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(JSON.stringify(document.components)).not.toContain('"nullable":');
  });

  it('gives no schema a default, which generators would treat as a field that is always sent', () => {
    expect(defaultsIn(document.components.schemas, true)).toEqual([]);
  });

  it('has the websites first', () => {
    expect(document.tags.map(({ name }) => name).slice(0, 4)).toEqual(['Websites', 'Endpoints', 'Checks', 'Alerts']);
    expect(document.tags.filter(({ name, description }) => name === description)).toEqual([]);
  });

  it('is sent compressed to clients that accept it, and uncompressed to others', async () => {
    const ask = async (encoding: string) => {
      const response = await fetch(`${app.url}/api/v1/openapi.json`, { headers: { 'Accept-Encoding': encoding } });
      return { encoding: response.headers.get('content-encoding'), body: await response.json() };
    };
    expect(await ask('gzip')).toEqual({ encoding: 'gzip', body: document });
    expect(await ask('identity')).toEqual({ encoding: null, body: document });
  });
});
