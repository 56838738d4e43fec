import { shapeOf } from '../../src/configuration/document/document-shape';
import { Problem } from '../../src/platform/problem/problem';
import { readJson } from './project-files';

const { paths, components } = readJson('docs/openapi.json') as {
  paths: Record<string, object>;
  components: { schemas: Record<string, { properties: object }> };
};

/** Routes that change what a configuration document declares, by their paths. */
const DECLARED: readonly RegExp[] = [
  /^\/api\/v1\/websites(\/\{id\}(\/status-page)?|\/\{websiteId\}\/endpoints)?$/,
  /^\/api\/v1\/(endpoints|alerts|contacts|maintenance-windows|status-pages)(\/\{id\})?$/,
  /^\/api\/v1\/configuration$/,
];

/** What no document declares, and why. */
const OUTSIDE: Readonly<Record<string, string>> = {
  '/api/v1/endpoints/test': 'stores nothing',
  '/api/v1/alerts/test': 'stores nothing',
  '/api/v1/alerts/{id}/test': 'an act, not a setting',
  '/api/v1/contacts/{id}/test': 'an act, not a setting',
  '/api/v1/contacts/{id}/alerts': 'makes alerts, which are declared one by one',
  '/api/v1/deliveries/{id}/redeliver': 'an act, not a setting',
  '/api/v1/endpoints/{id}/acknowledgement': 'what a person does in an incident',
  '/api/v1/endpoints/{id}/checks': 'an act, not a setting',
  '/api/v1/maintenance-windows/preview': 'stores nothing',
  '/api/v1/maintenance-windows/{id}/end': 'an act, not a setting',
  '/api/v1/configuration/convert': 'stores nothing',
  '/api/v1/configuration/plan': 'stores nothing',
  '/api/v1/api-keys': 'a credential is shown once, to whoever makes it',
  '/api/v1/api-keys/{id}': 'a credential',
  '/auth/session': 'who is signed in',
  '/api/v1/organizations': 'the operator’s, above all documents',
  '/api/v1/organizations/{id}': 'the operator’s, above all documents',
  '/ack/{token}': 'what a person does in an incident',
};

/** Fields that the document has under another name, or says by its structure. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  CreateEndpoint: ['website_id'],
  CreateAlertFields: ['endpoint_id', 'contact_id'],
};

const sections: Readonly<Record<string, (item: object) => object>> = {
  CreateWebsite: (website) => ({ websites: [website] }),
  CreateEndpoint: (endpoint) => ({ websites: [{ key: 'a', endpoints: [endpoint] }] }),
  CreateAlertFields: (alert) => ({ websites: [{ key: 'a', endpoints: [{ key: 'a', alerts: [alert] }] }] }),
  CreateContactFields: (contact) => ({ contacts: [contact] }),
  CreateMaintenanceWindow: (window) => ({ maintenance_windows: [window] }),
  CreatePublicPage: (page) => ({ status_pages: [page] }),
};

/** Fields of an item that a document does not know. */
async function unknownIn(value: object): Promise<string[]> {
  try {
    await shapeOf([{ value, lineOf: () => null }]);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.filter(({ code }) => code === 'unknown_field').map(({ pointer }) => pointer);
  }
}

describe('a configuration document', () => {
  it('knows every resource that has a route to change it, or it is said why not', () => {
    const changing = Object.entries(paths)
      .filter(([, methods]) => ['post', 'put', 'patch', 'delete'].some((method) => method in methods))
      .map(([path]) => path);
    const unknown = changing.filter((path) => !(path in OUTSIDE) && !DECLARED.some((known) => known.test(path)));
    expect(unknown).toEqual([]);
    expect(Object.keys(OUTSIDE).filter((path) => !changing.includes(path))).toEqual([]);
  });

  it.each(Object.entries(sections))('knows every field of %s', async (name, sectionOf) => {
    const fields = Object.keys(components.schemas[name]?.properties ?? {});
    expect(fields).toContain('key');
    const wanted = fields.filter((field) => !(ELSEWHERE[name] ?? []).includes(field));
    for (const field of wanted)
      expect(await unknownIn({ version: 1, ...sectionOf({ key: 'a', [field]: null }) })).toEqual([]);
  });
});
