/** @lane slow */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { bodyFor, pathValueFor, percentEncoded, queryFor, serialize, withId } from '../../harness/app/hostile-input';
import { checkInvariants } from '../../harness/app/invariants';
import {
  exactSchema,
  type OpenApi,
  type Operation,
  operationsOf,
} from '../../../packages/testing/contract/document/openapi';
import { newIncident } from '../../harness/app/incidents';
import { newMember } from '../../harness/app/person';
import { newAlert, newContact, newEndpoint, newMaintenanceWindow, newWebsite } from '../../harness/app/resources';
import { Database } from '../../../src/platform/database/database';
import { newUuid } from '../../../src/platform/ids/id';

/** Requests in a run. `FUZZ_REQUESTS=20000` is the full run, and `FUZZ_SEED` repeats a run. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1500);
/**
 * With `CI`, the seed depends on the API document. The same API then gets the same requests, so a failure comes from
 * the change. Otherwise, each run has different requests.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? (process.env['CI'] ? seedOfDocument() : Date.now() % 2 ** 31));
/** Nothing may leave the machine: public addresses are refused. Only the Default organization may use loopback. */
const PUBLIC = [
  '0.0.0.0/2',
  '64.0.0.0/3',
  '96.0.0.0/4',
  '112.0.0.0/5',
  '120.0.0.0/6',
  '124.0.0.0/7',
  '126.0.0.0/8',
  '128.0.0.0/1',
  '2000::/3',
];
const CANARY = 'Canary7f3a';
/**
 * Random input can't succeed here:
 *
 * - Keys, tokens, cookies, and slugs are secrets, and no member has an identity or a second factor.
 * - This process doesn't deliver or check, so no delivery finishes, and nothing is down to be acknowledged, split, or
 *   merged.
 * - An update belongs to a single incident.
 * - The fields of a maintenance window must fit each other and the date. The fields of an endpoint must fit its type.
 * - No host has a sitemap.
 */
const OUT_OF_REACH = [
  'POST /auth/session',
  'GET /auth/session',
  'PUT /auth/session',
  'POST /auth/link',
  'POST /auth/join',
  'POST /auth/password',
  'GET /auth/sessions',
  'DELETE /auth/sessions',
  'DELETE /auth/sessions/{id}',
  'POST /auth/oidc',
  'GET /auth/oidc/callback',
  'GET /ack/{token}',
  'POST /ack/{token}',
  'GET /status/{page}',
  'GET /status/{slug}/logo',
  'GET /status/{slug}/feed.atom',
  'GET /reports/{token}',
  'GET /status/{slug}/calendar.ics',
  'GET /status/{slug}/icon.svg',
  'GET /status/{slug}/incidents/{incident}',
  'GET /status/{slug}/history',
  'GET /status/{slug}/history.json',
  'POST /api/v1/deliveries/{id}/redeliver',
  'PUT /api/v1/endpoints/{id}/acknowledgement',
  'GET /api/v1/endpoints/{id}/acknowledgement',
  'DELETE /api/v1/endpoints/{id}/acknowledgement',
  'POST /api/v1/websites/{websiteId}/endpoints',
  'POST /api/v1/endpoints/test',
  'POST /api/v1/maintenance-windows',
  'POST /api/v1/contacts/preview',
  'POST /api/v1/maintenance-windows/preview',
  'PUT /api/v1/incidents/{id}/acknowledgement',
  'GET /api/v1/incidents/{id}/acknowledgement',
  'DELETE /api/v1/incidents/{id}/acknowledgement',
  'DELETE /api/v1/incidents/{id}/updates/{updateId}',
  'POST /api/v1/incidents/{id}/split',
  'POST /api/v1/incidents/{id}/merge',
  'POST /api/v1/endpoints/heartbeat/preview',
  'POST /api/v1/configuration/convert',
  'POST /api/v1/endpoints/sitemap',
  'DELETE /api/v1/people/{id}/identities',
  'DELETE /api/v1/people/{id}/second-factor',
  // With the token of a probe: test/e2e/probe/protocol-fuzz.spec.ts.
  'POST /api/v1/probe/poll',
  'POST /api/v1/probe/results',
];
/** These need the cookie of a person, or the token of a link. */
const OF_ACCOUNTS = / \/auth\/account(\/|$)/;
/** The number of newest IDs to remember per prefix. */
const POOL = 12;

function seedOfDocument(): number {
  return hash('sha256', readFileSync(join(__dirname, '../../../docs/openapi.json')), 'buffer').readUInt32BE() >>> 1;
}

type Credential = 'admin' | 'read' | 'operator' | 'none' | 'wrong';

/** A request as a plain value. IDs, and JSON that JavaScript can't represent, are inserted when it is sent. */
interface Blueprint {
  /** `GET /api/v1/websites` */
  name: string;
  credential: Credential;
  path: readonly string[];
  query: readonly [string, string][];
  body: unknown;
  wrapping: 'json' | 'no type' | 'text' | 'truncated' | 'charset' | 'gzip';
  /** Selects one of the existing IDs. */
  pick: number;
  /** Uses the other organization's IDs. */
  foreign: boolean;
}

interface WireResponse {
  status: number;
  type: string;
  text: string;
}

/** Sends requests that `fetch` would refuse. Endless responses (streams) are not read. */
class Wire {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly url: string) {}

  /** Tries again if the server closed a keep-alive connection at the moment of its reuse. */
  async send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | null,
  ): Promise<WireResponse> {
    try {
      return await this.once(method, path, headers, body);
    } catch (error) {
      if (!(error instanceof Error && 'reused' in error)) throw error;
      return this.once(method, path, headers, body);
    }
  }

  private once(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | null,
  ): Promise<WireResponse> {
    const { hostname, port } = new URL(this.url);
    // Node does not send a length with a GET.
    const length = body === null ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { agent: this.agent, hostname, port, method, path, headers: { ...headers, ...length } },
        (response) => {
          const chunks: Buffer[] = [];
          const type = response.headers['content-type'] ?? '';
          const end = () =>
            resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString('utf8') });
          if (type.startsWith('text/event-stream')) {
            request.destroy();
            end();
            return;
          }
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', end);
          response.on('error', reject);
        },
      );
      request.on('error', (error) => reject(request.reusedSocket ? Object.assign(error, { reused: true }) : error));
      request.setTimeout(60_000, () => request.destroy(new Error('no response')));
      request.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

describe(`${REQUESTS} random requests of the documented API`, () => {
  let app: TestApp;
  let other: ServiceOrganization;
  let document: OpenApi;
  let wire: Wire;
  let validators: Map<string, ValidateFunction>;
  const pool = new Map<string, string[]>();
  const foreign = new Map<string, string>();

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', egressDeny: PUBLIC, quotaProbes: 100_000 });
    wire = new Wire(app.url);
    document = (await app.anonymous.get<OpenApi>('/openapi.json')).body;
    other = await app.organization(CANARY);
    await populate(other.admin, CANARY, (id) => foreign.set(prefixOf(id), id));
    await populate(app.admin, 'Shop', remember);
    validators = validatorsOf(document);
  });
  afterAll(async () => {
    wire.close();
    await app.close();
  });

  const operationNamed = (name: string): Operation => {
    const found = operationsOf(document).find((each) => each.name === name);
    if (!found) throw new Error(`${name} is not documented`);
    return found;
  };
  const prefixOf = (id: string) => id.slice(0, id.indexOf('_'));

  /** The newest heartbeat of this organization. */
  let heartbeat = '';
  /** The endpoints of this organization that were deleted and can be restored, oldest first. */
  let deleted: readonly string[] = [];
  function remember(id: string): void {
    const prefix = prefixOf(id);
    const [kept = id, ...more] = pool.get(prefix) ?? [];
    pool.set(prefix, kept === id ? [id] : [kept, ...more.slice(-POOL), id]);
  }

  async function populate(by: Api, name: string, note: (id: string) => void): Promise<void> {
    const website = await newWebsite(by, name);
    // These are never checked, because the service runs with ROLE=api.
    const endpoint = await newEndpoint(by, website, { name });
    const fields = { name, type: 'HEARTBEAT', heartbeat: { every: 3600 } };
    const { id: job } = (await by.post<{ id: string }>(`/websites/${website}/endpoints`, fields)).body;
    const alert = await newAlert(by, endpoint, { description: name });
    const window = await newMaintenanceWindow(by, { name });
    const contact = await newContact(by, { name });
    const through = { endpoint_id: endpoint, contact_id: contact, description: name };
    const { id: alertOfContact } = (await by.post<{ id: string }>('/alerts', through)).body;
    const { id: page } = (await by.post<{ id: string }>('/status-pages', { title: name, groups: [] })).body;
    const incident = await newIncident(by, { title: name, text: name });
    const { id: said } = (await by.post<{ id: string }>(`/incidents/${incident}/updates`, { text: name })).body;
    const { id: probe } = (await by.post<{ id: string }>('/probes', { key: newUuid(), name })).body;
    const { id: link } = (await by.post<{ id: string }>('/reports/links', { title: name, website_id: website })).body;
    const gone = await newEndpoint(by, website, { name });
    await by.delete(`/endpoints/${gone}`);
    for (const id of [
      link,
      probe,
      incident,
      said,
      website,
      endpoint,
      job,
      alert,
      window,
      contact,
      alertOfContact,
      page,
    ])
      note(id);
    if (note !== remember) return;
    heartbeat = job;
    deleted = [...deleted, gone];
  }

  /** Adds a member who has an open link to set a password. */
  async function addMember(): Promise<void> {
    const { id } = await newMember(app);
    remember(id);
    await app.admin.post(`/people/${id}/password-link`);
  }

  /** Returns everything that the other organization can see of itself. */
  const seenByOther = async () =>
    Promise.all(
      [
        '/websites',
        '/alerts',
        '/contacts',
        '/overview',
        '/alerts/events',
        '/incidents',
        `/endpoints/${foreign.get('ep') ?? ''}`,
      ].map(async (path) => (await other.admin.get(path)).text),
    );

  /** The first resource of each kind is never deleted, so that one always exists. */
  function idOf({ name, foreign: takesForeign, credential, pick }: Blueprint): (prefix: string) => string {
    return (prefix) => {
      const others = credential === 'operator' ? undefined : foreign.get(prefix);
      if (takesForeign && others !== undefined) return others;
      // Few endpoints are heartbeats, and these routes need one.
      if (prefix === 'ep' && /\/(pings|heartbeat)\b/.test(name) && pick % 2 === 0) return heartbeat;
      if (prefix === 'ep' && name.includes('/deleted-endpoints/') && pick % 2 === 0) return deleted.at(-1) ?? heartbeat;
      const [kept, ...more] = pool.get(prefix) ?? [];
      const known = name.startsWith('DELETE') || kept === undefined ? more : [kept, kept, ...more];
      return known[pick % Math.max(1, known.length)] ?? `${prefix}_01jd3k6q7be5y9x4v2m8n0r1st`;
    };
  }

  function rendered(blueprint: Blueprint): {
    method: string;
    path: string;
    headers: Record<string, string>;
    body: string | null;
  } {
    const { name, path, query, body, wrapping, credential } = blueprint;
    const operation = operationNamed(name);
    const ids = idOf(blueprint);
    let index = 0;
    const filled = operation.path.replace(/\{\w+\}/g, () =>
      percentEncoded(withId(path[index++] ?? '', ids)).slice(0, 11_000),
    );
    const search = query
      .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(withId(value, ids))}`)
      .join('&');
    const headers: Record<string, string> = authorization(credential);
    const text = body === undefined ? null : serialize(body, ids);
    if (text !== null && wrapping !== 'no type')
      headers['Content-Type'] =
        { text: 'text/plain', charset: 'application/json; charset=utf-16' }[wrapping as 'text'] ?? 'application/json';
    if (text !== null && wrapping === 'gzip') headers['Content-Encoding'] = 'gzip';
    return {
      method: operation.method,
      // Two of the longest IDs would exceed the maximum request head, and the connection would be cut.
      path: `${filled.slice(0, 12_000)}${search === '' ? '' : `?${search.slice(0, 3000)}`}`,
      headers,
      body: wrapping === 'truncated' ? (text?.slice(0, -1) ?? null) : text,
    };
  }

  function authorization(credential: Credential): Record<string, string> {
    const key = {
      admin: app.admin.key,
      read: app.read.key,
      operator: app.operator.key,
      wrong: 'ums_a_wrong',
      none: null,
    }[credential];
    return key === null ? {} : { Authorization: `Bearer ${key}` };
  }

  /** Generates requests of every operation, or only of operations in `names`. */
  function blueprints(names?: readonly string[]): fc.Arbitrary<Blueprint> {
    const wanted = operationsOf(document).filter(({ name }) => names?.includes(name) ?? true);
    const each = wanted.map((operation) => {
      const parameters = operation.parameters ?? [];
      const schema = operation.requestBody?.content['application/json']?.schema;
      const isOperators = /\/(organizations|shared-probes)(\/|$)/.test(operation.path);
      return fc.record<Blueprint>({
        name: fc.constant(operation.name),
        credential: fc.oneof(
          { weight: 30, arbitrary: fc.constant<Credential>(isOperators ? 'operator' : 'admin') },
          { weight: 3, arbitrary: fc.constantFrom<Credential>('read', 'admin', 'operator') },
          { weight: 1, arbitrary: fc.constantFrom<Credential>('none', 'wrong') },
        ),
        path: fc.tuple(...parameters.filter((each) => each.in === 'path').map(pathValueFor)),
        query: queryFor(
          document,
          parameters.filter((each) => each.in === 'query'),
        ),
        body: schema
          ? bodyFor(document, schema)
          : fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant({}) }),
        wrapping: fc.oneof(
          { weight: 20, arbitrary: fc.constant('json' as const) },
          { weight: 1, arbitrary: fc.constantFrom('no type' as const, 'text', 'truncated', 'charset', 'gzip') },
        ),
        pick: fc.nat(100),
        foreign: fc.nat(7).map((of) => of === 0),
      });
    });
    return fc.oneof(...each);
  }

  function validatorsOf(api: OpenApi): Map<string, ValidateFunction> {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats(ajv);
    const schemas = Object.fromEntries(
      Object.entries(api.components.schemas).map(([name, each]) => [name, exactSchema(each, 'api')]),
    );
    ajv.addSchema({ $id: 'api', components: { schemas } });
    const compiled = new Map<string, ValidateFunction>();
    for (const operation of operationsOf(api))
      for (const [status, { content }] of Object.entries(operation.responses))
        for (const [type, { schema }] of Object.entries(content ?? {})) {
          if (!schema) continue;
          compiled.set(`${operation.name} ${status} ${type}`, ajv.compile(exactSchema(schema, 'api')));
        }
    return compiled;
  }

  /** Returns the faults of a response, or none if it is correct. */
  function faultsOf({ name, credential }: Blueprint, { status, type, text }: WireResponse): string[] {
    const operation = operationNamed(name);
    const faults: string[] = [];
    const media = type.split(';')[0] ?? '';
    const documented = operation.responses[String(status)];
    if (status >= 500) faults.push('a server error');
    if (!documented) faults.push(`the status is not documented`);
    if (credential !== 'operator' && text.includes(CANARY)) faults.push('it reveals data of another organization');
    if (status >= 400 && media !== 'application/problem+json') faults.push(`an error as ${type}`);
    if (status === 204 && text !== '') faults.push('204 with a body');
    if (media !== 'application/json' && media !== 'application/problem+json') return faults;
    const validate = validators.get(`${name} ${status} ${media}`);
    if (documented && !validate) faults.push(`${media} is not documented`);
    if (validate && !validate(JSON.parse(text)))
      faults.push(`the body: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
    return faults;
  }

  function note({ name }: Blueprint, path: string, { status, text }: WireResponse): void {
    if (name.startsWith('DELETE') && status === 204) {
      const gone = path.slice(path.lastIndexOf('/') + 1).split('?')[0] ?? '';
      pool.set(
        prefixOf(gone),
        (pool.get(prefixOf(gone)) ?? []).filter((id) => id !== gone),
      );
    }
    if (status !== 201 || name.includes(' /auth/')) return;
    const { id } = JSON.parse(text) as { id?: string };
    if (id !== undefined) remember(id);
  }

  it(
    'random requests get documented responses that fit their schema, never a 5xx, and no data of another organization',
    async () => {
      const before = await seenByOther();
      const statuses = new Map<string, Set<number>>();
      const faults = new Map<string, string>();
      const ask = async (blueprint: Blueprint): Promise<void> => {
        const { method, path, headers, body } = rendered(blueprint);
        const response = await wire.send(method, path, headers, body);
        const { name } = blueprint;
        statuses.set(name, (statuses.get(name) ?? new Set()).add(response.status));
        note(blueprint, path, response);
        for (const fault of faultsOf(blueprint, response))
          faults.set(
            `${name} ${response.status}: ${fault}`,
            `${path.slice(0, 300)} ${body?.slice(0, 600) ?? ''}\n    → ${response.text.slice(0, 400)}`,
          );
      };
      await fc.assert(fc.asyncProperty(blueprints(), ask), { numRuns: REQUESTS, seed: SEED, endOnFailure: true });
      // The run proves something only for operations that succeeded at least once, so missed operations are tried
      // again.
      const unreached = () =>
        [...statuses]
          .filter(([name, seen]) => Math.min(...seen) >= 300 && !OUT_OF_REACH.includes(name) && !OF_ACCOUNTS.test(name))
          .map(([name]) => name);
      // Some random request may have paused or deleted all that they need.
      if (unreached().length > 0) {
        await populate(app.admin, 'Shop', remember);
        for (const name of ['Spare', 'Another']) {
          remember((await app.admin.post<{ id: string }>('/api-keys', { name, role: 'read' })).body.id);
          remember((await app.operator.post<{ id: string }>('/organizations', { name })).body.id);
          await addMember();
          remember(await newContact(app.admin, { name }));
          remember((await app.admin.post<{ id: string }>('/probes', { key: newUuid() })).body.id);
          remember((await app.operator.post<{ id: string }>('/shared-probes', { key: newUuid() })).body.id);
          const email = `${name}@people.example`;
          remember((await app.admin.post<{ id: string }>('/invitations', { email, role: 'read' })).body.id);
        }
      }
      for (let round = 1; round <= 40 && unreached().length > 0; round++) {
        // A round may have deleted resources that the others need.
        if (round % 5 === 0) {
          await populate(app.admin, 'Shop', remember);
          await addMember();
          remember((await app.operator.post<{ id: string }>('/shared-probes', { key: newUuid() })).body.id);
        }
        await fc.assert(fc.asyncProperty(blueprints(unreached()), ask), {
          numRuns: 25 * unreached().length,
          seed: SEED + round,
          endOnFailure: true,
        });
      }

      const list = [...faults].map(([fault, how]) => `${fault}\n    ${how}`).join('\n');
      if (list !== '') throw new Error(`FUZZ_SEED=${SEED}\n${list}`);
      expect(await seenByOther()).toEqual(before);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
      await checkInvariants(app.app.get(Database));
      expect(
        unreached().map((name) => `${name}: ${[...(statuses.get(name) ?? [])].join()}, FUZZ_SEED=${SEED}`),
      ).toEqual([]);
    },
    120_000 + REQUESTS * 120,
  );
});
