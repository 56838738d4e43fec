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

/** Where a document declares what a path changes. */
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

/** What no document declares, and why. */
const OUTSIDE: Readonly<Record<string, string>> = {
  '/api/v1/endpoints/test': 'stores nothing',
  '/api/v1/endpoints/sitemap': 'stores nothing',
  '/api/v1/endpoints/{id}/checks': 'runs a check',
  '/api/v1/endpoints/{id}/heartbeat/rotate': 'an export leaves addresses out',
  '/api/v1/endpoints/heartbeat/preview': 'stores nothing',
  '/api/v1/websites/{id}/ping-key/rotate': 'an export leaves addresses out',
  '/api/v1/endpoints/{id}/acknowledgement': 'belongs to an incident',
  '/api/v1/incidents': 'is history',
  '/api/v1/incidents/{id}': 'is history',
  '/api/v1/incidents/{id}/updates': 'is history',
  '/api/v1/incidents/{id}/updates/{updateId}': 'is history',
  '/api/v1/incidents/{id}/acknowledgement': 'is history',
  '/api/v1/incidents/{id}/split': 'is history',
  '/api/v1/incidents/{id}/merge': 'is history',
  '/api/v1/alerts/test': 'stores nothing',
  '/api/v1/alerts/{id}/test': 'sends a message',
  '/api/v1/contacts/test': 'stores nothing',
  '/api/v1/contacts/{id}/test': 'sends a message',
  '/api/v1/contacts/{id}/alerts': 'makes alerts, each of which is declared with its endpoint',
  '/api/v1/deliveries/{id}/redeliver': 'sends a message again',
  '/api/v1/maintenance-windows/preview': 'stores nothing',
  '/api/v1/maintenance-windows/{id}/end': 'ends what runs now',
  '/api/v1/configuration': 'is the document',
  '/api/v1/configuration/plan': 'stores nothing',
  '/api/v1/configuration/convert': 'stores nothing',
  '/api/v1/probes/{id}/rotate': 'a token is shown once, and is no setting',
  '/api/v1/shared-probes': 'belongs to the operator',
  '/api/v1/shared-probes/{id}': 'belongs to the operator',
  '/api/v1/shared-probes/{id}/rotate': 'belongs to the operator',
  '/api/v1/probe/poll': 'is what a probe asks',
  '/api/v1/probe/results': 'is what a probe saw',
  '/api/v1/api-keys': 'a key is shown once, and is no setting',
  '/api/v1/api-keys/{id}': 'a key is shown once, and is no setting',
  '/api/v1/people/{id}': 'belongs to persons',
  '/api/v1/people/{id}/password-link': 'belongs to persons',
  '/api/v1/invitations': 'belongs to persons',
  '/api/v1/invitations/{id}': 'belongs to persons',
  '/auth/link': 'belongs to persons',
  '/auth/account': 'belongs to persons',
  '/auth/join': 'belongs to persons',
  '/auth/password': 'belongs to persons',
  '/auth/sessions': 'belongs to persons',
  '/auth/sessions/{id}': 'belongs to persons',
  '/api/v1/organizations': 'belongs to the operator',
  '/api/v1/organizations/{id}': 'belongs to the operator',
  '/auth/session': 'belongs to a browser',
  '/auth/oidc': 'belongs to a browser',
  '/ack/{token}': 'belongs to an incident',
};

/** Fields of the API that a document has by another name. */
const OTHERWISE: Readonly<Record<string, string>> = {
  website_id: 'the website that it is declared with',
  endpoint_id: 'the endpoint that it is declared with',
  contact_id: 'contact',
};

const changing = Object.entries(paths).flatMap(([path, operations]) =>
  ['post', 'put', 'patch', 'delete'].some((method) => operations[method]) ? [path] : [],
);

/** The fields that can be changed at a path. */
function fieldsOf(path: string): string[] {
  const { $ref: name = '' } = paths[path]?.['put']?.requestBody?.content['application/json']?.schema ?? {};
  return Object.keys(components.schemas[name.split('/').at(-1) ?? '']?.properties ?? {});
}

/** A document with nothing at the pointer but this field. */
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
  it('declares no incidents: they are history', async () => {
    expect(await unknownFields(documentWith('', 'incidents'))).toEqual(['/incidents']);
  });

  it('declares what each route of the API changes, or it is said why not', () => {
    expect(changing.filter((path) => !(path in DECLARED) && !(path in OUTSIDE))).toEqual([]);
    expect([...Object.keys(DECLARED), ...Object.keys(OUTSIDE)].filter((path) => !changing.includes(path))).toEqual([]);
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
