/** @lane slow */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { newIncident } from '../../harness/app/incidents';
import { newAlert } from '../../harness/app/resources';
import { eventually } from '../../../packages/testing/eventually';
import { FaultProxy } from '../../harness/servers/fault-proxy';
import { HttpTarget, rawResponse, sent } from '../../../packages/testing/servers/http-target';
import { SwitchableServer } from '../../harness/servers/switchable-server';
import { builtClient, type StreamEvent, type StreamOptions } from './built-client';

const { UptimeClient, UptimeProblem, UptimeUnexpectedResponse } = builtClient();

const portOf = (url: string): number => Number(new URL(url).port);

/** Returns everything that an iterator has yielded so far, and how it ended. */
function follow(events: AsyncIterable<StreamEvent>): { seen: StreamEvent[]; over: Promise<unknown> } {
  const seen: StreamEvent[] = [];
  const read = async () => {
    for await (const event of events) seen.push(event);
    return 'ended';
  };
  return { seen, over: read().catch((error: unknown) => error) };
}

describe("the typed client's stream", () => {
  let app: TestApp;
  let target: SwitchableServer;
  let proxy: FaultProxy;
  let end: AbortController;

  beforeAll(async () => {
    target = await SwitchableServer.start();
    app = await startOwnApp({ egressPrivate: 'allow' }, { durable: true });
  });
  afterAll(async () => {
    await app.close();
    await target.close();
  });
  beforeEach(async () => {
    proxy = await FaultProxy.to(portOf(app.url));
    end = new AbortController();
  });
  afterEach(async () => {
    end.abort();
    await proxy.close();
  });

  const client = (apiKey = app.read.key ?? '') =>
    new UptimeClient({ baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey });

  const newEndpoint = async (): Promise<string> => {
    target.status = 200;
    const write = new UptimeClient({ baseUrl: app.url, apiKey: app.write.key ?? '' });
    const website = await write.createWebsite({ body: { name: 'Shop', url: target.url } });
    const body = { name: 'Front', url: target.url, type: 'HTTP', interval: 86_400 };
    const { id } = await write.createEndpoint({ path: { websiteId: website.id }, body });
    await eventually(
      'it is checked',
      async () => (await app.read.get<{ status: string }>(`/endpoints/${id}`)).body.status !== 'unknown',
    );
    return id;
  };
  /** Adds a check that changes the state of the endpoint. Returns the ID of the event. */
  const turn = async (endpoint: string): Promise<string> => {
    target.status = target.status === 200 ? 503 : 200;
    return (await app.write.post<{ id: string }>(`/endpoints/${endpoint}/checks`)).body.id;
  };
  const of = (seen: readonly StreamEvent[], endpoint: string) =>
    seen.filter(({ data }) => data.endpoint_id === endpoint).map(({ id }) => id);
  /** Returns whether a new stream would repeat nothing. A stream starts before every open transaction on the server. */
  const nothingToRepeat = async (): Promise<boolean> => {
    const repeated = await app.app
      .get(Database)
      .query('SELECT 1 FROM stream_event WHERE xid >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1');
    return repeated.length === 0;
  };
  /** Follows the stream through the proxy from now on. */
  const live = async (options: StreamOptions = {}, apiKey?: string) => {
    await eventually('older transactions are over', nothingToRepeat);
    let opened = 0;
    const onOpen = () => (opened += 1);
    const following = follow(client(apiKey).stream({}, { signal: end.signal, ...options, onOpen }));
    await eventually('the stream is open', () => opened > 0);
    return following;
  };

  it('misses and repeats no event, whether its connection is cut or the service restarts', async () => {
    const endpoint = await newEndpoint();
    const reasons: unknown[] = [];
    const { seen, over } = await live({ onInterruption: (reason) => reasons.push(reason) });
    const expected = [await turn(endpoint)];
    await eventually('the first arrives', () => of(seen, endpoint).length === 1);

    proxy.set('reset');
    expected.push(await turn(endpoint), await turn(endpoint));
    proxy.set('none');
    await eventually('those of the cut arrive', () => of(seen, endpoint).length === 3);

    expected.push(await turn(endpoint));
    await app.stop();
    await app.restart();
    expected.push(await turn(endpoint));
    proxy.repoint(portOf(app.url));
    await eventually('those of the restart arrive', () => of(seen, endpoint).length >= 5);

    expect(of(seen, endpoint)).toEqual(expected);
    expect(new Set(seen.map(({ event }) => event))).toEqual(new Set(['check']));
    expect(reasons.length).toBeGreaterThan(1);
    end.abort();
    await expect(over).resolves.toBe('ended');
  });

  it('receives events of incidents, also of those that changed or ended while the connection was cut', async () => {
    const endpoint = await newEndpoint();
    await newAlert(app.write, endpoint, { failure_threshold: 1, success_threshold: 1 });
    const { seen } = await live();
    const told = () =>
      seen.flatMap((each) => (each.event === 'incident' ? [`${each.data.number} ${each.data.change}`] : []));
    const manual = await newIncident(app.write);
    await eventually('it is told', () => told().length === 1);

    proxy.set('reset');
    await turn(endpoint);
    await app.write.put(`/incidents/${manual}`, { title: 'Another title' });
    await app.write.delete(`/incidents/${manual}`);
    await turn(endpoint);
    const other = await newIncident(app.write);
    proxy.set('none');
    await eventually('those of the cut arrive', () => told().length >= 6);
    await app.write.delete(`/incidents/${other}`);
    await eventually('the last arrives', () => told().length >= 7);
    expect(told()).toEqual(['1 opened', '2 opened', '1 updated', '1 deleted', '2 ended', '3 opened', '3 deleted']);
  });

  it('gives up a half-open connection that delivers nothing', async () => {
    const endpoint = await newEndpoint();
    const reasons: string[] = [];
    const onInterruption = (reason: Error | undefined) => {
      reasons.push(reason?.message ?? '');
      proxy.set('none');
    };
    const { seen } = await live({ silenceMs: 1500, onInterruption });
    proxy.set('silent');
    const missed = await turn(endpoint);
    await eventually('the event arrives', () => of(seen, endpoint).length > 0);
    expect(of(seen, endpoint)).toEqual([missed]);
    expect(reasons[0]).toBe('the stream sent nothing for 1500 ms');
  });

  it('ends with its signal, without an error, while it waits for events', async () => {
    const { over } = await live();
    end.abort();
    await expect(over).resolves.toBe('ended');
  });

  it('ends with its signal, without an error, while it is cut', async () => {
    const { over } = await live({ onInterruption: () => end.abort() });
    proxy.set('reset');
    await expect(over).resolves.toBe('ended');
  });

  it('starts with reset if the service does not know where to resume', async () => {
    const { seen } = follow(
      client().stream({ headers: { 'Last-Event-ID': 'ev_00000000000000000000000000' } }, { signal: end.signal }),
    );
    await eventually('it arrives', () => seen.length > 0);
    expect(seen[0]?.event).toBe('reset');
  });

  it('resumes where another stream ended', async () => {
    const endpoint = await newEndpoint();
    const first = await live();
    const last = await turn(endpoint);
    await eventually('the event arrives', () => of(first.seen, endpoint).length === 1);
    end.abort();
    await first.over;

    const missed = await turn(endpoint);
    const own = new AbortController();
    const { seen, over } = follow(client().stream({ headers: { 'Last-Event-ID': last } }, { signal: own.signal }));
    await eventually('what was missed arrives', () => seen.length > 0);
    own.abort();
    await over;
    expect(of(seen, endpoint)).toEqual([missed]);
  });

  it('ends with a problem that a retry cannot solve: its key was revoked', async () => {
    const { body } = await app.admin.post<{ id: string; key: string }>('/api-keys', { name: 'short', role: 'read' });
    const { over } = await live({}, body.key);
    await app.admin.delete(`/api-keys/${body.id}`);
    proxy.repoint(portOf(app.url));
    const error = await over;
    expect(error).toBeInstanceOf(UptimeProblem);
    expect(error).toMatchObject({ code: 'unauthenticated', status: 401 });
  });
});

describe("the typed client's stream, from a server that misbehaves", () => {
  const open: HttpTarget[] = [];
  const end = new AbortController();
  afterAll(async () => {
    end.abort();
    await Promise.all(open.map((target) => target.close()));
  });

  const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n';
  const event = (id: string) => `id: ${id}\nevent: check\ndata: {"endpoint_id":"ep_1"}\n\n`;

  async function scripted(steps: ((socket: Socket) => void)[]) {
    const target = await HttpTarget.listen((_, socket) => steps.shift()?.(socket));
    open.push(target);
    const client = new UptimeClient({ baseUrl: target.url('') });
    return { target, client, follow: () => follow(client.stream({}, { signal: end.signal })) };
  }

  it.each([
    ['after its id', 'id: b\nevent: check\n'],
    ['within its data', 'id: b\nevent: check\ndata: {"endpoint_id":'],
  ])('does not deliver an event that is cut off %s', async (_, cut) => {
    const server = await scripted([
      (socket) => socket.end(HEAD + event('a') + cut),
      (socket) => socket.write(HEAD + event('b')),
    ]);
    const { seen } = server.follow();
    await eventually('the whole event arrives', () => seen.length === 2);
    expect(seen.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(server.target.seen.map((request) => sent(request, 'Last-Event-ID'))).toEqual([undefined, 'a']);
  });

  it('closes its connection when the caller stops reading', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const { client } = await scripted([
      (socket) => {
        closed = once(socket, 'close');
        socket.write(HEAD + event('a'));
      },
    ]);
    for await (const { id } of client.stream()) {
      expect(id).toBe('a');
      break;
    }
    await closed;
  });

  it('reconnects when the service is unavailable for a moment', async () => {
    const server = await scripted([
      (socket) => socket.end(rawResponse(503, 'starting', { 'Retry-After': '0' })),
      (socket) => socket.write(HEAD + event('a')),
    ]);
    const { seen } = server.follow();
    await eventually('an event arrives', () => seen.length === 1);
  });

  it('ends with an explanation if the response is not a stream', async () => {
    const server = await scripted([(socket) => socket.end(rawResponse(200, '<html></html>'))]);
    const error = await server.follow().over;
    expect(error).toBeInstanceOf(UptimeUnexpectedResponse);
    expect(String(error)).toContain('Is baseUrl the URL of the service?');
  });
});
