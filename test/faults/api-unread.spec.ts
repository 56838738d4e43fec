import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HistoryWriter } from '../../src/history/write/history-writer';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { recorded } from '../harness/app/history';
import { HttpTarget } from '../../packages/testing/servers/http-target';
import { eventually } from '../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../harness/app/resources';

/** More than the socket buffers on both sides hold for a client that reads nothing. */
const MORE_THAN_BUFFERED = 8_000_000;
/** The server’s own limit is 30 s, or at most twice as long. */
const GIVEN_UP_WITHIN_MS = 150_000;
const LIMIT_MS = 240_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('the API’s server against clients that do not read their responses', () => {
  let app: TestApp;
  let server: Server;
  let silent: HttpTarget;
  let endpoint: string;
  let endpointUuid: string;
  /** The server’s ends of the open connections, by the client’s port. */
  const ends = new Map<number, Socket>();
  const clients: Socket[] = [];
  /** Every response that the server started. An unread one keeps its bytes in memory. */
  const responses: WeakRef<ServerResponse>[] = [];

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' });
    server = app.app.getHttpServer();
    server.on('connection', (socket: Socket) => {
      const port = socket.remotePort ?? 0;
      ends.set(port, socket);
      socket.on('close', () => ends.delete(port));
    });
    server.on('request', (_request: IncomingMessage, response: ServerResponse) =>
      responses.push(new WeakRef(response)),
    );
    silent = await HttpTarget.listen(() => {});
    const website = await newWebsite(app.write);
    endpoint = await newEndpoint(app.write, website, {
      type: 'HTTP',
      url: silent.url(),
      timeout: 35,
      interval: 86_400,
    });
    endpointUuid = parseId('endpoint', endpoint) ?? '';
  }, 60_000);
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
  });
  afterAll(async () => {
    await app.close();
    await silent.close();
  });

  let addresses = 0;
  const request = (path: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.read.key ?? ''}\r\n${more}\r\n`;

  /** Sends it all at once and reads nothing. Returns the connection and the server’s end of it. */
  async function send(text: string): Promise<{ client: Socket; end: Socket }> {
    // Each client has a separate address, because unread responses are limited by address.
    const localAddress = `127.9.0.${(addresses = (addresses % 250) + 1)}`;
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress }).pause();
    clients.push(client);
    client.on('error', () => {});
    await once(client, 'connect');
    const { localPort } = client;
    client.write(text);
    const end = await eventually('the server has accepted the connection', () => ends.get(localPort ?? 0));
    return { client, end };
  }
  /** Repeats the request until its responses exceed the socket buffers. Sends it again if a busy server has shed it. */
  async function requestMuch(path: string): Promise<{ client: Socket; end: Socket }> {
    const headers = { Authorization: `Bearer ${app.read.key ?? ''}`, 'Accept-Encoding': 'identity' };
    const length = await eventually('the path is served', async () => {
      const response = await fetch(`${app.url}${path}`, { headers });
      const { length } = await response.text();
      return response.status === 200 && length;
    });
    const requests = request(path).repeat(Math.ceil(MORE_THAN_BUFFERED / length));
    const { client, end } = await send(requests);
    const isWaiting = () => eventually('responses wait to be read', () => isStuck(end), 10_000).catch(() => false);
    await eventually(
      'responses wait to be read',
      async () => (await isWaiting()) || void client.write(requests),
      60_000,
    );
    return { client, end };
  }
  const isStuck = (end: Socket) => end.writableLength > 0;
  async function inFlight(): Promise<number> {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return Number(/^uptime_requests_in_flight (\d+)$/m.exec(text)?.[1] ?? NaN);
  }
  async function writeHistory(): Promise<void> {
    const database = app.app.get(Database);
    const [row] = await database.query<{ key: string }>('SELECT key::text FROM endpoint WHERE id = $1', [endpointUuid]);
    const subject = { id: endpointUuid, key: row?.key ?? '' };
    const now = Date.now();
    const checks = Array.from({ length: 1000 }, (_, age) => recorded(subject, new Date(now - age * 1000), 'down', 1));
    await database.transaction((tx) => app.app.get(HistoryWriter).write(tx, checks));
  }
  async function dashboardScript(): Promise<string> {
    const page = await (await fetch(`${app.url}/`)).text();
    return /src="(\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
  }
  /** Writes made-up events of the endpoint to the stream, about 300 bytes each. */
  const writeEvents = (count: number) =>
    app.app.get(Database).query(
      `INSERT INTO stream_event (org_id, endpoint_id, checked_at, status, previous_status)
       SELECT org_id, id, now(), 1, 0 FROM endpoint, generate_series(1, $2) WHERE id = $1`,
      [endpointUuid, count],
    );

  /** Returns the ID in the first event of a stream. */
  async function streamPosition(): Promise<string> {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
    client.write(request('/api/v1/stream'));
    let text = '';
    for await (const chunk of client) {
      text += chunk as string;
      const [, id] = /id: (at_\S+)/.exec(text) ?? [];
      if (id !== undefined) return id;
    }
    throw new Error(`the stream ended without a position: ${text}`);
  }

  /** Returns the responses that are still in memory. */
  function held(): ServerResponse[] {
    collect();
    return responses.map((response) => response.deref()).filter((response) => response !== undefined);
  }

  /** Waits until the server has reset every connection. Returns how many bytes the unread responses held. */
  async function readNothing(paths: readonly string[]): Promise<number> {
    const unread = new Set<Socket>();
    for (const path of paths) {
      const { end } = await requestMuch(path);
      unread.add(end);
      end.on('close', () => unread.delete(end));
    }
    expect(unread.size).toBe(paths.length);
    expect(await inFlight()).toBeGreaterThan(paths.length);
    const most = held().reduce((sum, { writableLength }) => sum + writableLength, 0);
    await eventually('every connection is gone', () => unread.size === 0, GIVEN_UP_WITHIN_MS);
    return most;
  }
  /** Events come slowly, so that the unread part stays below the limit of a stream. */
  async function stopReadingStream(): Promise<void> {
    const { end } = await send(request('/api/v1/stream'));
    let most = 0;
    let [before, sent] = [-1, 0];
    const isGone = async () => {
      // More only after the written events are sent, because two batches at once would exceed the limit of a stream.
      if (!isStuck(end) && sent > before && sent === end.bytesWritten) {
        before = sent;
        await writeEvents(2500);
      }
      sent = end.bytesWritten;
      await new Promise((resolve) => setTimeout(resolve, 750));
      most = Math.max(most, end.writableLength);
      return end.closed;
    };
    await eventually('the stream’s connection is gone', isGone, GIVEN_UP_WITHIN_MS);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(1_000_000);
  }
  async function readSlowly(): Promise<void> {
    const { length } = await (await fetch(`${app.url}/api/v1/openapi.json`)).text();
    // At this pace, it takes most of a minute: more than the limit of a client that reads nothing.
    const [count, began] = [10, performance.now()];
    const { client } = await send(request('/api/v1/openapi.json').repeat(count));
    let [read, portion] = [0, 0];
    client.on('data', (chunk: Buffer) => {
      read += chunk.length;
      portion += chunk.length;
      if (portion > 150_000) client.pause();
    });
    const steady = setInterval(() => {
      portion = 0;
      client.resume();
    }, 500);
    try {
      await eventually('all is read', () => client.destroyed || read > count * length, LIMIT_MS);
    } finally {
      clearInterval(steady);
    }
    expect(read).toBeGreaterThan(count * length);
    expect(performance.now() - began).toBeGreaterThan(30_000);
  }
  /** Reads so slowly that the system’s buffers have room for more only after minutes. */
  async function readHardly(): Promise<void> {
    const { client, end } = await send(request('/api/v1/openapi.json').repeat(10));
    client.on('data', () => client.pause());
    const steady = setInterval(() => client.resume(), 4000);
    try {
      // A client that reads nothing has at most 60 s.
      await new Promise((resolve) => setTimeout(resolve, 75_000));
      expect(isStuck(end)).toBe(true);
      expect(end.closed).toBe(false);
    } finally {
      clearInterval(steady);
      client.destroy();
    }
  }
  async function waitForLongCheck(): Promise<void> {
    const began = performance.now();
    expect((await app.write.post(`/endpoints/${endpoint}/checks`)).status).toBe(201);
    expect(performance.now() - began).toBeGreaterThan(32_000);
  }

  it(
    'resets clients that read nothing, but not those that read slowly or wait for a long check',
    async () => {
      await writeHistory();
      const large = [
        '/api/v1/openapi.json',
        `/api/v1/endpoints/${endpoint}/checks?limit=1000`,
        await dashboardScript(),
      ];
      const [most] = await Promise.all([
        readNothing(large),
        stopReadingStream(),
        readSlowly(),
        readHardly(),
        waitForLongCheck(),
      ]);
      await eventually('nothing is in flight', async () => (await inFlight()) === 0);
      expect((await app.read.get('/websites')).status).toBe(200);
      expect(most).toBeGreaterThan(5_000_000);
      // All but the last responses of keep-alive connections.
      await eventually('their memory is freed', () => held().length <= large.length, 60_000);
    },
    LIMIT_MS,
  );

  it(
    'cuts off a stream at once when too much waits for its reader',
    async () => {
      const position = await streamPosition();
      await writeEvents(40_000);
      const { end } = await send(request('/api/v1/stream', `Last-Event-ID: ${position}\r\n`));
      await eventually('the connection is gone', () => end.closed, 60_000);
    },
    LIMIT_MS,
  );

  it(
    'drops the requests queued behind an unread response when their client disconnects',
    async () => {
      const { client, end } = await requestMuch('/api/v1/openapi.json');
      await eventually('responses wait to be read', () => isStuck(end));
      expect(await inFlight()).toBeGreaterThan(1);
      client.destroy();
      await eventually('nothing is in flight', async () => (await inFlight()) === 0);
    },
    LIMIT_MS,
  );

  it(
    'resets a connection that pipelines requests without reading responses',
    async () => {
      const { end } = await send(request('/api/v1/websites').repeat(1000));
      await eventually('the connection is gone', () => end.closed, 60_000);
      await eventually('nothing is in flight', async () => (await inFlight()) === 0);
      expect((await app.read.get('/websites')).status).toBe(200);
    },
    LIMIT_MS,
  );
});
