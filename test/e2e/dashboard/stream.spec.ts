/**
 * @lane slow
 * @databases both
 */
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Database } from '../../../src/platform/database/database';
import { firstUuidAt, formatId, parseId } from '../../../src/platform/ids/id';
import { signIn, signOut } from '../../harness/app/browser-session';
import { type Member, newMember } from '../../harness/app/person';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { eventually } from '../../../packages/testing/eventually';
import { onServer } from '../../harness/database/on-server';

// Several tests wait for scheduled checks and for polls of the stream, each once a second.
jest.setTimeout(90_000);

interface StreamEvent {
  id: string;
  type: string;
  data: {
    id?: string;
    endpoint_id?: string;
    status?: string;
    previous_status?: string;
    type?: string;
    error?: { code: string } | null;
  };
}

class StreamClient {
  readonly events: StreamEvent[] = [];
  isOver = false;
  private constructor(
    readonly status: number,
    private readonly request: ClientRequest,
    response: IncomingMessage,
  ) {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.events.push(parse(block));
    });
    response.on('close', () => {
      this.isOver = true;
    });
    response.on('error', () => {});
  }

  static open({ url, key }: Pick<Api, 'url' | 'key'>, lastId?: string, cookie?: string): Promise<StreamClient> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(cookie === undefined ? { Authorization: `Bearer ${key}` } : { Cookie: cookie }),
        ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
      };
      const request = httpRequest(`${url}/api/v1/stream`, { headers, agent: false }, (response) =>
        resolve(new StreamClient(response.statusCode ?? 0, request, response)),
      );
      request.on('error', reject);
      request.end();
    });
  }

  /** Returns events other than `ready`, `ping`, and `reset`, in order. */
  get changes(): StreamEvent[] {
    return this.events.filter(({ type }) => type === 'check' || type === 'alert');
  }

  get lastId(): string {
    return this.events.findLast(({ id }) => id !== '')?.id ?? '';
  }

  close(): void {
    this.request.destroy();
  }
}

function parse(block: string): StreamEvent {
  const fields = new Map(
    block
      .split('\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    id: fields.get('id') ?? '',
    type: fields.get('event') ?? '',
    data: JSON.parse(fields.get('data') ?? '{}') as StreamEvent['data'],
  };
}

describe('the live stream', () => {
  let app: TestApp;
  let other: ServiceOrganization;
  let target: SwitchableServer;
  const readers: StreamClient[] = [];

  beforeAll(async () => {
    target = await SwitchableServer.start();
    app = await startOwnApp({ egressPrivate: 'allow' }, { durable: true });
    other = await app.organization('Other');
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });
  afterEach(() => {
    for (const reader of readers.splice(0)) reader.close();
  });

  /** Waits until a new stream would repeat nothing. A stream starts before every open transaction on the server. */
  const nothingToRepeat = async (): Promise<boolean> => {
    const repeated = await app.app
      .get(Database)
      .query('SELECT 1 FROM stream_event WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1');
    return repeated.length === 0;
  };
  const open = async (api: Api, lastId?: string): Promise<StreamClient> => {
    if (lastId === undefined) await eventually('older transactions are over', nothingToRepeat);
    const reader = await StreamClient.open(api, lastId);
    readers.push(reader);
    await eventually('the stream is ready', () => reader.events.some(({ type }) => type === 'ready'));
    return reader;
  };
  const makeEndpoint = async (api: Api, name: string): Promise<string> => {
    const website = await api.post<{ id: string }>('/websites', { name, url: target.url });
    const made = await api.post<{ id: string }>(`/websites/${website.body.id}/endpoints`, {
      name,
      url: target.url,
      type: 'HTTP',
      interval: 86_400,
    });
    await eventually(
      `${name} is checked`,
      async () => (await api.get<{ status: string }>(`/endpoints/${made.body.id}`)).body.status !== 'unknown',
    );
    return made.body.id;
  };
  const check = async (api: Api, endpointId: string, status: number): Promise<string> => {
    target.status = status;
    return (await api.post<{ id: string }>(`/endpoints/${endpointId}/checks`)).body.id;
  };
  /** Starts these while the database answers no query, so that all of them are at the same point. */
  const whileTheDatabaseWaits = async <T>(start: () => Promise<T>[]): Promise<T[]> => {
    const waiting = app.app.get(Database).query('SELECT pg_sleep(0.7)');
    const started = start();
    await waiting;
    return Promise.all(started);
  };
  /** Sends a query after all earlier ones. Queries are answered in order. */
  const nothingLeftOf = async (api: Api): Promise<void> => {
    for (let i = 0; i < 5; i++) await api.get('/websites');
  };
  /** The API of the other organization at the current port. */
  const theirs = (): Api => new Api(app.url, other.read.key);
  const of = (reader: StreamClient, endpointId: string) =>
    reader.changes.filter(({ data }) => data.endpoint_id === endpointId);

  it('sends status changes and alert events with the ids of the lists, and no check that changes nothing', async () => {
    target.status = 200;
    const endpoint = await makeEndpoint(app.write, 'Watched');
    const config = { url: target.url };
    await app.write.post('/alerts', {
      endpoint_id: endpoint,
      type: 'webhook',
      config,
      failure_threshold: 1,
      success_threshold: 1,
    });
    const reader = await open(app.read);

    await check(app.write, endpoint, 200);
    const down = await check(app.write, endpoint, 503);
    await check(app.write, endpoint, 503);
    const up = await check(app.write, endpoint, 200);
    await eventually('four events arrive', () => of(reader, endpoint).length >= 4);

    const { body } = await app.read.get<{ id: string; delivery?: unknown; contact?: unknown }[]>(
      `/alerts/events?endpoint_id=${endpoint}`,
    );
    // The event is published before any message is sent.
    const listed = body.map((event) => ({ ...event, delivery: undefined, contact: undefined }));
    const checks = of(reader, endpoint).filter(({ type }) => type === 'check');
    const alerts = of(reader, endpoint).filter(({ type }) => type === 'alert');
    expect(
      checks.map(({ id, data }) => [id, data.id, data.previous_status, data.status, data.error?.code ?? null]),
    ).toEqual([
      [down, down, 'up', 'down', 'status_unexpected'],
      [up, up, 'down', 'up', null],
    ]);
    expect(alerts.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).reverse());
    expect(alerts.map(({ data }) => data)).toEqual(listed.slice().reverse());
  });

  it("sends only to the organization that a location's result changed, and that its probe was seen", async () => {
    const endpoint = await makeEndpoint(app.write, 'Seen from two');
    const { body: probe } = await app.admin.post<{ id: string }>('/probes', { key: 'fra', allow_private: true });
    await app.write.put(`/endpoints/${endpoint}`, { locations: ['local', 'fra'] });
    const [reader, stranger] = [await open(app.read), await open(other.read)];
    const database = app.app.get(Database);
    await database.query(`UPDATE probe SET online = true, status_since = now() WHERE id = $1`, [
      parseId('probe', probe.id),
    ]);
    await database.query(
      `UPDATE endpoint_location SET status = 0, last_checked_at = now() WHERE endpoint_id = $1 AND number > 0`,
      [parseId('endpoint', endpoint)],
    );
    const told = () => reader.events.filter(({ type }) => type === 'probe' || type === 'location');
    await eventually('both are told', () => told().length === 2);
    expect(told().map(({ type, data }) => ({ type, ...data }))).toMatchObject([
      { type: 'probe', probe_id: probe.id, key: 'fra', status: 'online', at: expect.any(String) },
      {
        type: 'location',
        endpoint_id: endpoint,
        endpoint_name: 'Seen from two',
        location: 'fra',
        status: 'down',
        previous_status: 'unknown',
        at: expect.any(String),
      },
    ]);
    expect(stranger.events.map(({ type }) => type)).not.toContain('probe');
  });

  it('sends that an endpoint is still down after a pause, as every list shows', async () => {
    target.status = 503;
    const endpoint = await makeEndpoint(app.write, 'Paused');
    const reader = await open(app.read);
    await app.write.put(`/endpoints/${endpoint}`, { enabled: false });
    await app.write.put(`/endpoints/${endpoint}`, { enabled: true });
    await eventually('the change arrives', () => of(reader, endpoint).length > 0, 30_000);
    expect(of(reader, endpoint).map(({ data }) => [data.previous_status, data.status])).toEqual([['unknown', 'down']]);
    const { body } = await app.read.get<{ status: string }>(`/endpoints/${endpoint}`);
    expect(body.status).toBe('down');
  });

  it('sends no event of another organization', async () => {
    target.status = 200;
    const mine = await makeEndpoint(app.write, 'Mine');
    const theirs = await makeEndpoint(other.write, 'Theirs');
    const reader = await open(other.read);
    await check(app.write, mine, 503);
    await check(other.write, theirs, 503);

    await eventually('their own change arrives', () => reader.changes.length > 0);
    expect(reader.changes.map(({ data }) => data.endpoint_id)).toEqual([theirs]);
  });

  it.each(['a check', 'ready', 'an alert event'])(
    'resumes after the id of %s without missing or repeating an event',
    async (after) => {
      target.status = 200;
      const endpoint = await makeEndpoint(app.write, `Resumed after ${after}`);
      const first = await open(app.read);
      if (after === 'an alert event') {
        await app.write.post('/alerts', {
          endpoint_id: endpoint,
          type: 'webhook',
          config: { url: target.url },
          failure_threshold: 1,
        });
      }
      if (after !== 'ready') {
        await check(app.write, endpoint, 503);
        const wanted = after === 'a check' ? 1 : 2;
        await eventually('the first change arrives', () => of(first, endpoint).length === wanted);
      }
      first.close();
      const missed = [
        await check(app.write, endpoint, 200),
        await check(app.write, endpoint, 503),
        await check(app.write, endpoint, 200),
      ];
      if (after === 'ready') missed.shift();

      const second = await open(app.read, first.lastId);
      await eventually(
        'all missed events arrive',
        () => of(second, endpoint).filter(({ type }) => type === 'check').length >= missed.length,
      );
      expect(
        of(second, endpoint)
          .filter(({ type }) => type === 'check')
          .map(({ id }) => id),
      ).toEqual(missed);
      expect(second.events.map(({ type }) => type)).not.toContain('reset');
    },
  );

  onServer(
    'resumes after an event that was sent while an older transaction stays open for minutes (skipped on the embedded database)',
    async () => {
      target.status = 200;
      const database = app.app.get(Database);
      const endpoint = await makeEndpoint(app.write, 'Beside a backup');
      const first = await open(app.read);
      const other = database.dataSource.createQueryRunner();
      await other.startTransaction();
      await other.query('SELECT pg_current_xact_id()');
      // By now it has been open for longer than the stream waits for it.
      const changed = async (status: number): Promise<string> => {
        const id = await check(app.write, endpoint, status);
        await database.query(`UPDATE stream_event SET at = at - interval '2 minutes' WHERE endpoint_id = $1`, [
          parseId('endpoint', endpoint),
        ]);
        return id;
      };
      try {
        await changed(503);
        await eventually('the change is told', () => of(first, endpoint).length === 1);
        first.close();
        const missed = await changed(200);
        const second = await open(app.read, first.lastId);
        await eventually('what was missed is told', () => of(second, endpoint).length > 0);
        expect(of(second, endpoint).map(({ id }) => id)).toEqual([missed]);
        expect(second.events.map(({ type }) => type)).not.toContain('reset');
      } finally {
        await other.rollbackTransaction();
        await other.release();
      }
    },
  );

  it('resumes the stream after a restart of the service', async () => {
    target.status = 200;
    const endpoint = await makeEndpoint(app.write, 'Restarted');
    const reader = await open(app.read);
    await check(app.write, endpoint, 503);
    await eventually('the change arrives', () => of(reader, endpoint).length === 1);
    const missed = await check(app.write, endpoint, 200);
    reader.close();
    const { lastId } = reader;
    await app.stop();
    await app.restart();

    const resumed = await open(app.read, lastId);
    await eventually('the missed change arrives', () => of(resumed, endpoint).length > 0);
    expect(of(resumed, endpoint).map(({ id }) => id)).toEqual([missed]);
  });

  it('sends reset before ready when it does not know the last event id', async () => {
    const reader = await open(app.read, 'ev_00000000000000000000000000');
    expect(reader.events.slice(0, 2).map(({ type }) => type)).toEqual(['reset', 'ready']);
  });

  it('ends the stream when its key is revoked, and checks all keys in one statement', async () => {
    const names = ['short', 'longer', 'longest'];
    const keys = await Promise.all(
      names.map(
        async (name) => (await app.admin.post<{ id: string; key: string }>('/api-keys', { name, role: 'read' })).body,
      ),
    );
    const opened = await Promise.all(keys.map(({ key }) => open({ ...app.read, url: app.url, key } as Api)));
    const query = jest.spyOn(app.app.get(Database), 'query');
    await app.admin.delete(`/api-keys/${keys[0]?.id}`);
    await eventually('the stream ends', () => opened[0]?.isOver);
    const oneByOne = query.mock.calls.filter(([sql]) => sql.includes('k.id = $1'));
    query.mockRestore();
    expect(oneByOne).toEqual([]);
    expect(opened.map(({ isOver }) => isOver)).toEqual([true, false, false]);
  });

  it('ends the stream with the session that opened it, and no other stream of the same key', async () => {
    const sessions = await Promise.all([1, 2].map(() => signIn(app.url, { api_key: app.read.key })));
    const [mine, other] = await Promise.all(
      sessions.map(({ cookie }) => StreamClient.open(app.read, undefined, cookie)),
    );
    if (!mine || !other) throw new Error('a stream is missing');
    readers.push(mine, other);
    expect([mine.status, other.status]).toEqual([200, 200]);
    expect(await signOut(app.url, sessions[0]?.cookie ?? '')).toBe(204);

    await eventually('the stream ends', () => mine.isOver);
    expect(other.isOver).toBe(false);
  });

  it('ends the stream of a person who switches to another organization, is removed, or whose session ends', async () => {
    const [moved, removed, left] = [await newMember(app), await newMember(app), await newMember(app)];
    const second = await new Api(app.url, other.admin.key).post<{ token: string }>('/invitations', {
      email: moved.email,
      role: 'read',
    });
    const open = ({ browser }: Member) => StreamClient.open(app.read, undefined, browser.cookie);
    const streams = [await open(moved), await open(removed), await open(left)];
    readers.push(...streams);
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await moved.browser.send('POST', '/auth/join', { token: second.body.token })).status).toBe(201);
    expect((await app.admin.delete(`/people/${removed.id}`)).status).toBe(204);
    expect((await left.browser.send('DELETE', '/auth/session')).status).toBe(204);
    await eventually('the streams end', () => streams.every(({ isOver }) => isOver));
  });

  it('is refused to a page that means another organization', async () => {
    const open = async (orgId: string) => {
      const query = `organization_id=${formatId('organization', orgId)}`;
      const response = await fetch(`${app.url}/api/v1/stream?${query}`, {
        headers: { authorization: `Bearer ${app.read.key}` },
      });
      await response.body?.cancel();
      return response.status;
    };
    expect([await open(other.orgId), await open(app.orgId)]).toEqual([409, 200]);
  });

  it('ends the stream of a session that was not used for half a day', async () => {
    const { cookie } = await signIn(app.url, { api_key: app.write.key });
    const reader = await StreamClient.open(app.read, undefined, cookie);
    readers.push(reader);
    await eventually('the stream is ready', () => reader.events.some(({ type }) => type === 'ready'));
    await app.app
      .get(Database)
      .query(
        `UPDATE session SET last_seen_at = last_seen_at - interval '12 hours', created_at = created_at - interval '12 hours'`,
      );
    await eventually('the stream ends', () => reader.isOver);
  });

  it('allows an organization a hundred streams at most, even if it requests more at once', async () => {
    const clients = await whileTheDatabaseWaits(() => Array.from({ length: 130 }, () => StreamClient.open(app.read)));
    readers.push(...clients);
    const statuses = clients.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);

    for (const client of clients) client.close();
    await eventually('there is room again', async () => (await StreamClient.open(app.read)).status === 200);
  });

  it('forgets clients that leave before their stream starts', async () => {
    const { address, port } = app.app.getHttpServer().address() as AddressInfo;
    const request = `GET /api/v1/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${other.read.key}\r\n\r\n`;
    await whileTheDatabaseWaits(() =>
      Array.from({ length: 120 }, async () => {
        const socket = connect(port, address);
        await once(socket, 'connect');
        await new Promise((sent) => socket.write(request, sent));
        await delay(50);
        socket.resetAndDestroy();
      }),
    );
    await nothingLeftOf(theirs());
    const reader = await StreamClient.open(theirs());
    readers.push(reader);
    expect(reader.status).toBe(200);
  });

  describe('positions', () => {
    it('reveal nothing about events of other organizations', async () => {
      const [first, second] = [await open(app.read), await open(theirs())];
      expect(first.lastId).toMatch(/^at_[\w-]{60,}$/);
      expect(first.lastId).toHaveLength(second.lastId.length);
      const text = Buffer.from(first.lastId.slice(3), 'base64url').toString('latin1');
      expect(text).not.toMatch(/\d{5}/);
    });

    it.each([
      ['of another organization', async () => (await open(theirs())).lastId],
      ['that was not signed by the service', () => Promise.resolve(`at_${Date.now()}_0_0`)],
      ['far beyond any number', () => Promise.resolve('at_1_0_9999999999999999999')],
      ['of an alert event from long ago', () => Promise.resolve('ev_00000000000000000000000000')],
      ['of a check in a thousand years', () => Promise.resolve(formatId('check', firstUuidAt(new Date('3026-01-01'))))],
      ['that is not an id', () => Promise.resolve('x'.repeat(150))],
    ])('are not looked up when they are one %s', async (_, make) => {
      const id = await make();
      const query = jest.spyOn(app.app.get(Database), 'query');
      const reader = await open(app.read, id);
      const lookedUp = query.mock.calls.filter(
        ([sql]) => sql.includes('stream_event') && !sql.includes('pg_snapshot_xmin'),
      );
      query.mockRestore();
      expect(lookedUp).toEqual([]);
      expect(reader.events[0]?.type).toBe('reset');
    });

    it('lead to the rows of one organization by an index, no matter how many the others have', async () => {
      const database = app.app.get(Database);
      const { lastId } = await open(theirs());
      await database.query(
        `INSERT INTO stream_event (org_id, checked_at) SELECT gen_random_uuid(), now() FROM generate_series(1, 5000)`,
      );
      await database.query('ANALYZE stream_event');
      const query = jest.spyOn(database, 'query');
      await open(theirs(), lastId);
      await eventually('the client caught up', () =>
        query.mock.calls.some(([, values]) => values?.includes(other.orgId) && values.length === 4),
      );
      const [sql, values] = query.mock.calls.find(
        ([, given]) => given?.includes(other.orgId) && given.length === 4,
      ) ?? [''];
      query.mockRestore();
      const plan = JSON.stringify(await database.query(`EXPLAIN ${sql}`, values));
      expect(plan).toContain('stream_event_of_organization');
      await database.query('DELETE FROM stream_event WHERE endpoint_id IS NULL AND event_id IS NULL');
    });
  });

  it('ends open streams at shutdown instead of waiting for them', async () => {
    const reader = await open(app.read);
    await app.stop();
    await eventually('the stream ends', () => reader.isOver);
    await app.restart();
  });
});
