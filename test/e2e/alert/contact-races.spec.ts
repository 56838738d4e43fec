/**
 * @lane slow
 * @databases both
 */
import type { AlertView } from '../../../src/alert/alert.dto';
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api, ApiResponse } from '../../../packages/testing/service/api';
import { newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

const ROUNDS = 25;
const ENDPOINT = { name: 'Checkout', url: 'https://shop.example.com/checkout', type: 'HTTPS' };

/** Returns a different type and destination each time. */
const configOf = (n: number) =>
  n % 2 === 0
    ? { type: 'slack', config: { webhook_url: `https://hooks.slack.com/services/T000/B000/R${n}` } }
    : { type: 'pagerduty', config: { routing_key: String(n).padStart(32, 'k') } };

describe('simultaneous requests about a contact and its alerts', () => {
  let app: TestApp;
  let api: Api;
  let website: string;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', quotaAlertsPerEndpoint: 10_000 });
  });
  beforeEach(async () => {
    api = (await app.organization('Owner')).write;
    website = await newWebsite(api);
  });
  afterAll(() => app.close());

  /**
   * Finds alerts whose type or destination differs from their contact, or that have both a contact and a config, or
   * neither.
   */
  const mismatched = () =>
    app.app.get(Database).query(
      `SELECT a.id, a.type, c.type AS "contactType" FROM alert a LEFT JOIN contact c ON c.id = a.contact_id
        WHERE (a.contact_id IS NULL) = (a.config IS NULL)
           OR c.id IS NOT NULL AND (a.type <> c.type OR a.destination IS DISTINCT FROM c.destination)`,
    );
  const failed = (responses: readonly ApiResponse[], accepted: readonly number[]) =>
    responses.filter(({ status }) => !accepted.includes(status)).map(({ status, text }) => `${status} ${text}`);

  it(`an alert that is created, moved, or detached while its contact changes has the type and the destination of the contact afterwards, ${ROUNDS} times`, async () => {
    const endpoint = await newEndpoint(api, website);
    const [contact, other] = [await newContact(api, { default: true }), await newContact(api)];
    const make = (contact_id: string) => api.post<AlertView>('/alerts', { endpoint_id: endpoint, contact_id });
    for (let n = 0; n < ROUNDS; n++) {
      const [moved, left, detached] = [await make(other), await make(contact), await make(contact)];
      const responses = await Promise.all([
        make(contact),
        api.put(`/contacts/${contact}`, configOf(n)),
        make(contact),
        api.put(`/alerts/${moved.body.id}`, { contact_id: contact }),
        api.put(`/contacts/${other}`, configOf(n + 1)),
        api.put(`/alerts/${left.body.id}`, { contact_id: other }),
        api.put(`/alerts/${detached.body.id}`, { contact_id: null }),
        api.post(`/contacts/${contact}/alerts`, { scope: { all: true } }),
        api.post(`/websites/${website}/endpoints`, ENDPOINT),
        make(contact),
        make(other),
      ]);
      // A busy machine may refuse one request, which changes nothing.
      expect(failed(responses, [200, 201, 503])).toEqual([]);
      expect(await mismatched()).toEqual([]);
    }
  });

  it(`an alert is never lost with a contact that is replaced while alerts are created, moved, and read, ${ROUNDS} times`, async () => {
    const endpoint = await newEndpoint(api, website, { name: 'Replaced' });
    let contact = await newContact(api);
    for (let n = 0; n < ROUNDS; n++) {
      const next = await newContact(api, configOf(n));
      const make = (contact_id: string) => api.post<AlertView>('/alerts', { endpoint_id: endpoint, contact_id });
      const [one, two] = [await make(contact), await make(next)];
      const list = () => api.get<AlertView[]>(`/alerts?endpoint_id=${endpoint}`);
      const [replaced, made, moved, edited, ...lists] = await Promise.all([
        api.delete(`/contacts/${contact}?replace_with=${next}`),
        make(contact),
        api.put(`/alerts/${two.body.id}`, { contact_id: contact }),
        api.put(`/alerts/${one.body.id}`, { failure_threshold: 1 + n }),
        list(),
        list(),
        list(),
      ]);
      expect(failed([replaced, edited, ...lists], [200, 204])).toEqual([]);
      // The contact may already have been deleted.
      expect(failed([made, moved], [200, 201, 404])).toEqual([]);
      for (const { body } of lists) expect(body.filter(({ config }) => Object.keys(config).length === 0)).toEqual([]);
      const after = (await list()).body;
      expect(after.map(({ contact_id }) => contact_id)).toEqual(after.map(() => next));
      expect(await mismatched()).toEqual([]);
      contact = next;
    }
  });
});
