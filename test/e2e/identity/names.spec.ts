/**
 * @lane slow
 * @databases both
 */
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { StreamReader } from '../../../src/stream/stream-reader';
import { eventually } from '../../../packages/testing/eventually';
import { Alerting } from '../../harness/app/alerting';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Browser } from '../../harness/app/browser';
import { hashCheaply, newPerson } from '../../harness/app/person';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

/** A name that appears nowhere by accident. */
const NAME = 'Zebedee Quill';
const LATER = 'Zebedee Quillfeather';

interface Named {
  by: string | null;
}

describe('the name of a person', () => {
  let app: TestApp;
  let zeb: Browser & { id: string };
  let endpoint: string;
  let incident: string;
  let manual: string;
  let window: string;
  let alert: string;

  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    app.app.get(Database).query<Row>(text, values);
  const get = async <Body>(path: string): Promise<Body> => (await app.read.get<Body>(path)).body;
  const did = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const response = await zeb.send<Body>(method, `/api/v1${path}`, body);
    if (response.status > 201)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body;
  };

  async function streamed() {
    const events = await app.app.get(StreamReader).after({ xid: 0n, seq: 0n }, app.orgId, 1000);
    const messages = events.map(({ message }) => message ?? '');
    const lastOf = (event: string): Record<string, Named & { created_by: string }> =>
      JSON.parse(
        messages.findLast((message) => message.includes(`event: ${event}\n`))?.split('data: ')[1] ?? '{}',
      ) as never;
    return {
      'stream of acknowledgements': lastOf('acknowledgement')['acknowledgement']?.by,
      'stream of incidents': lastOf('incident')['created_by'],
    };
  }
  /** Returns the author everywhere that it is shown, each place once. */
  async function shown(): Promise<Record<string, unknown>> {
    const detail = await get<{ acknowledgement: Named; updates: Named[] }>(`/incidents/${incident}`);
    const byHand = await get<{ created_by: string; updates: Named[] }>(`/incidents/${manual}`);
    const listed = await get<{ id: string; acknowledgement: Named; created_by: string }[]>('/incidents');
    const [overview] = await get<{ acknowledgement: Named }[]>('/overview');
    return {
      ...(await streamed()),
      endpoint: (await get<{ acknowledgement: Named }>(`/endpoints/${endpoint}`)).acknowledgement.by,
      acknowledgement: (await get<Named>(`/endpoints/${endpoint}/acknowledgement`)).by,
      overview: overview?.acknowledgement.by,
      incident: detail.acknowledgement.by,
      'acknowledgement of the incident': (await get<Named>(`/incidents/${incident}/acknowledgement`)).by,
      'list of incidents': listed.find(({ id }) => id === incident)?.acknowledgement.by,
      update: detail.updates.find(({ by }) => by !== null)?.by,
      'incident by hand': byHand.created_by,
      'its update': byHand.updates[0]?.by,
      'list of incidents by hand': listed.find(({ id }) => id === manual)?.created_by,
      window: (await get<{ created_by: string }>(`/maintenance-windows/${window}`)).created_by,
      audit: (await app.admin.get<{ author: { person_name: string } }[]>(`/audit-log?person_id=${zeb.id}`)).body[0]
        ?.author.person_name,
    };
  }
  async function everywhere(name: string): Promise<void> {
    // An event appears once no older transaction runs on the server, including those in other databases.
    await eventually('the stream has come that far', async () =>
      Object.values(await streamed()).every((by) => by === name),
    );
    expect(await shown()).toEqual(Object.fromEntries(Object.keys(await shown()).map((place) => [place, name])));
  }

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: 0 });
    hashCheaply(app);
    zeb = await newPerson(app.admin, NAME, 'write');
    const website = await newWebsite(app.write);
    await app.write.put(`/websites/${website}/status-page`, { enabled: true, slug: 'names' });
    endpoint = await newEndpoint(app.write, website);
    alert = await newAlert(app.write, endpoint, {
      type: 'pagerduty',
      config: { routing_key: 'R'.repeat(32) },
      failure_threshold: 1,
    });
    await Alerting.of(app.app).play(endpoint, 'F');
    incident = (await get<{ id: string }[]>('/incidents'))[0]?.id ?? '';
    await did('PUT', `/endpoints/${endpoint}/acknowledgement`, { note: 'mine' });
    await did('PUT', `/incidents/${incident}/acknowledgement`, { note: 'all of it' });
    await did('POST', `/incidents/${incident}/updates`, { text: 'We see it.', public: true });
    const fields = { title: 'Slow', scope: { all: true }, text: 'We look.', public: true };
    manual = (await did<{ id: string }>('POST', '/incidents', fields)).id;
    const [starts_at, ends_at] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    const patches = { name: 'Patches', scope: { all: true }, starts_at, ends_at, public: true };
    window = (await did<{ id: string }>('POST', '/maintenance-windows', patches)).id;
  }, 60_000);
  afterAll(() => app.close());

  it('is shown wherever the name of a key was, and is stored only in its own row and in messages', async () => {
    await everywhere(NAME);
    const tables = await sql<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
    );
    const holding: string[] = [];
    for (const { name } of tables)
      if ((await sql(`SELECT FROM "${name}" t WHERE t::text LIKE '%${NAME}%'`)).length > 0) holding.push(name);
    expect(holding.sort()).toEqual(['notification', 'person']);
  });

  it('is sent to the pager', async () => {
    const rows = await sql<{ by: string }>(
      `SELECT notice #>> '{acknowledgement,by}' AS by FROM notification WHERE alert_id = $1 AND kind = 'acknowledged'`,
      [parseId('alert', alert)],
    );
    expect(rows).toEqual([{ by: NAME }]);
  });

  it('is on no public page, in no export and in no metric', async () => {
    const pages = ['', '.json', '.svg', '/feed.atom', '/history', '/history.json'].map(
      (form) => `/status/names${form}`,
    );
    const texts = await Promise.all([...pages, '/metrics'].map(async (path) => (await fetch(app.url + path)).text()));
    expect(texts[1]).toContain('We see it.');
    for (const text of [...texts, (await app.admin.get('/configuration')).text]) {
      expect(text).not.toContain('Zebedee');
      expect(text).not.toContain(zeb.id);
      expect(text).not.toContain('zebedee.quill@example.com');
    }
  });

  it('is in no entry of the audit log, which shows the current name', async () => {
    const entries = await sql<{ text: string }>('SELECT a::text AS text FROM audit_log a');
    expect(entries.length).toBeGreaterThan(5);
    for (const { text } of entries) expect(text.toLowerCase()).not.toContain('zebedee');
    const { body } = await app.admin.get<{ resource: string; after: object }[]>('/audit-log?resource=person');
    for (const { after } of body) if (after !== null) expect(after).toEqual({ role: 'write' });
  });

  it('changes everywhere when the person changes it', async () => {
    expect((await zeb.send('PUT', '/auth/account', { name: LATER })).status).toBe(200);
    await everywhere(LATER);
  });

  it('is “deleted person” everywhere once they are erased, and their actions stay', async () => {
    expect((await zeb.send('DELETE', '/auth/account')).status).toBe(204);
    await everywhere('deleted person');
  });
});
