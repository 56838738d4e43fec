import { shapeOf } from '../../src/configuration/document/document-shape';
import { Problem } from '../../src/platform/problem/problem';
import { readJson } from './project-files';

interface Operation {
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
}

const { paths, components } = readJson('docs/openapi.json') as {
  paths: Record<string, Record<string, Operation | undefined>>;
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> };
};

/** The part of a document that declares the fields of a path. */
const DECLARED: Readonly<Record<string, string>> = {
  '/api/v1/websites': '/websites/0',
  '/api/v1/websites/{id}': '/websites/0',
  '/api/v1/websites/{id}/status-page': '/websites/0/status_page',
  '/api/v1/websites/{websiteId}/endpoints': '/websites/0/endpoints/0',
  '/api/v1/endpoints/{id}': '/websites/0/endpoints/0',
  '/api/v1/alerts': '/websites/0/endpoints/0/alerts/0',
  '/api/v1/alerts/{id}': '/websites/0/endpoints/0/alerts/0',
  '/api/v1/contacts': '/contacts/0',
  '/api/v1/probes': '/probes/0',
  '/api/v1/probes/{id}': '/probes/0',
  '/api/v1/contacts/{id}': '/contacts/0',
  '/api/v1/maintenance-windows': '/maintenance_windows/0',
  '/api/v1/maintenance-windows/{id}': '/maintenance_windows/0',
  '/api/v1/status-pages': '/status_pages/0',
  '/api/v1/status-pages/{id}': '/status_pages/0',
};

/** Fields of the API that have another name in a document. */
const OTHERWISE: Readonly<Record<string, string>> = {
  website_id: 'the website that it is declared with',
  endpoint_id: 'the endpoint that it is declared with',
  contact_id: 'contact',
};

/** Returns the fields that can be changed at a path. */
function fieldsOf(path: string): string[] {
  const { $ref: name = '' } = paths[path]?.['put']?.requestBody?.content['application/json']?.schema ?? {};
  return Object.keys(components.schemas[name.split('/').at(-1) ?? '']?.properties ?? {});
}

/** Returns a document with nothing at the pointer except this field. */
function documentWith(pointer: string, field: string): unknown {
  const inside = (steps: string[]): unknown => {
    const [step, ...rest] = steps;
    if (step === undefined) return { [field]: null };
    return step === '0' ? [inside(rest)] : { [step]: inside(rest) };
  };
  return { version: 1, ...(inside(pointer.split('/').slice(1)) as object) };
}

async function unknownFields(document: unknown): Promise<string[]> {
  try {
    await shapeOf([{ value: document, lineOf: () => null }]);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.filter(({ code }) => code === 'unknown_field').map(({ pointer }) => pointer);
  }
}

describe('A configuration document', () => {
  it('declares no incidents, because they are history', async () => {
    expect(await unknownFields(documentWith('', 'incidents'))).toEqual(['/incidents']);
  });

  it.each(Object.entries(DECLARED).filter(([path]) => paths[path]?.['put']))(
    'has all fields that can be changed at %s',
    async (path, pointer) => {
      const fields = fieldsOf(path).filter((field) => !(field in OTHERWISE));
      expect(fields).not.toEqual([]);
      const unknown = await Promise.all(fields.map((field) => unknownFields(documentWith(pointer, field))));
      expect(unknown.flat()).toEqual([]);
      expect(await unknownFields(documentWith(pointer, 'nonsense'))).toEqual([`${pointer}/nonsense`]);
    },
  );
});
