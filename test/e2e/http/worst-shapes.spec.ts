/** @lane slow */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenApi, Operation } from '../../../packages/testing/contract/document/openapi';
import { operationsOf } from '../../../packages/testing/contract/document/openapi';
import { eventually } from '../../../packages/testing/eventually';
import { Browser } from '../../harness/app/browser';
import { PASSWORD } from '../../harness/app/person';
import { newAlert, newContact, newEndpoint, newMaintenanceWindow, newWebsite } from '../../harness/app/resources';
import { type Shape, worstBodies, worstQueries } from '../../harness/app/worst-shapes';
import { currentCommit, turnAt } from '../../harness/in-turn';
import { buildService, ServiceProcess } from '../../harness/processes/service-process';
import { longestPiece } from '../../harness/processes/thread-cpu';

const PRELOADED = join(__dirname, '../../harness/processes/heap-on-signal.cjs');
const KINDS = 10;
/** Bodies for each route: half of the kinds, which the commit selects. `WORST_SHAPES=60` is the full run. */
const SHAPES = Number(process.env['WORST_SHAPES'] ?? KINDS / 2);
const FIRST = SHAPES < KINDS ? turnAt(currentCommit() ?? '0', Math.floor(KINDS / SHAPES)) * SHAPES : 0;
/** All kinds of queries, at least once. */
const QUERIES = Math.max(5, SHAPES / 2);
/** The maximum CPU milliseconds of the main thread before other requests have their turn. */
const PIECE_MS = 50;
/** Garbage collection may slow down any request, so only a request that is too slow three times counts. */
const TRIES = 3;
const MEMORY_MB = 64;
/** Node limits all headers together to 16 KiB. */
const QUERY_BYTES = 12_000;
const OPERATOR_TOKEN = 'operator-token-of-the-worst-shapes-0001';
const TOO_LARGE = [128 * 1024, 8 * 1024 * 1024];
const ID = /^([a-z]{2,3})_[0-9a-z]{26}$/;
const ENDLESS = 'GET /api/v1/stream';
const SIGN_OUT = 'DELETE /auth/session';
/**
 * Bodies of megabytes are documents. Each takes seconds in a thread, and ten of each route take two minutes. These
 * routes get fewer bodies, with one key, and other kinds with each commit.
 */
const LONG = 1024 * 1024;
const LONG_SHAPES = Math.ceil(SHAPES * 0.2);
const FIRST_LONG = turnAt(currentCommit() ?? '0', KINDS);

/** A line of the preloaded script. */
interface Heap {
  round: number;
  thread: number;
  heapBytes: number;
  externalBytes: number;
}

interface Reply {
  status: number;
  text: string;
}

/** The generator gets all routes from the document, so a new one is covered automatically. */
describe('the worst bodies and queries of every documented route', () => {
  let service: ServiceProcess;
  let document: OpenApi;
  let keys: Record<string, string | null>;
  const ids = new Map<string, string>();
  const agent = new Agent({ keepAlive: true });
  let visits = 0;
  let collected = 0;
  const folder = mkdtempSync(join(tmpdir(), 'uptime-worst-'));
  const heapLog = join(folder, 'heap');

  beforeAll(async () => {
    buildService();
    writeFileSync(heapLog, '');
    service = await ServiceProcess.start('embedded:memory', {
      OPERATOR_TOKEN,
      ROLE: 'api',
      EGRESS_PRIVATE: 'deny',
      HEAP_LOG: heapLog,
      NODE_OPTIONS: `--require ${PRELOADED}`,
    });
    document = JSON.parse((await send('GET', '/api/v1/openapi.json', null)).text) as OpenApi;
    const { api } = service;
    const key = async (role: string) => (await api.post<{ key: string }>('/api-keys', { name: role, role })).body.key;
    keys = {
      admin: await key('admin'),
      write: await key('write'),
      read: await key('read'),
      operator: OPERATOR_TOKEN,
      member: await signedIn('admin'),
      probe: (await api.post<{ token: string }>('/probes', { key: 'fra' })).body.token,
      none: null,
    };
    // If there are several members, the last admin can't erase their account.
    await signedIn('read');
    const website = await newWebsite(api);
    const endpoint = await newEndpoint(api, website);
    const made = [
      website,
      endpoint,
      await newAlert(api, endpoint),
      await newContact(api),
      await newMaintenanceWindow(api),
    ];
    for (const id of made) ids.set(id.slice(0, 2), id);
  }, 300_000);
  afterAll(async () => {
    agent.destroy();
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  async function signedIn(role: string): Promise<string> {
    const email = `${role}@people.example`;
    const { token } = (await service.api.post<{ token: string }>('/invitations', { email, role })).body;
    const browser = new Browser(service);
    await browser.send('POST', '/auth/account', { token, name: role, password: PASSWORD });
    return browser.cookie;
  }
  const credentialOf = (key: string): Record<string, string> =>
    key.startsWith('uptime_') ? { cookie: key, origin: service.url } : { authorization: `Bearer ${key}` };

  /** A busy machine sheds load, so a request that is refused for that reason is sent again. */
  const send = (method: string, path: string, key: string | null, body?: string, type?: string): Promise<Reply> =>
    eventually(
      `${method} ${path} is served`,
      async () => {
        const reply = await sendOnce(method, path, key, body, type);
        return reply.status === 503 ? null : reply;
      },
      60_000,
    );

  /** Every fifteenth request comes from another address, because requests without a key are counted by address. */
  function sendOnce(method: string, path: string, key: string | null, body?: string, type?: string): Promise<Reply> {
    const { hostname, port } = new URL(service.url);
    const from = Math.floor(visits++ / 15);
    const localAddress = `127.${1 + (from >> 16)}.${(from >> 8) & 255}.${1 + (from & 127)}`;
    const headers = {
      ...(key === null ? {} : credentialOf(key)),
      ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      const asked = httpRequest({ agent, hostname, port, method, path, headers, localAddress }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      });
      // A service that refuses a body may close before all of it is sent. That counts as a response.
      asked.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve({ status: 0, text: '' }) : reject(error),
      );
      asked.end(body);
    });
  }
  /**
   * Returns the heap of the main thread after all garbage is collected. The heap of the whole process would include
   * the embedded database, which is in memory here and grows with everything that is created.
   */
  async function heapMb(): Promise<number> {
    const round = ++collected;
    service.signal('SIGUSR2');
    const line = await eventually('the heap is measured', () =>
      readFileSync(heapLog, 'utf8')
        .split('\n')
        .map((text): Heap | null => (text === '' ? null : (JSON.parse(text) as Heap)))
        .find((heap) => heap?.round === round && heap.thread === 0),
    );
    return (line.heapBytes + line.externalBytes) / 1024 / 1024;
  }
  const ping = () => send('GET', '/health/live', null);

  /**
   * Returns a path to an existing resource, which is validated more deeply than a missing one. A deletion gets a
   * missing ID.
   */
  function pathOf({ path, method, parameters = [] }: Operation): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const given = parameters.find((each) => each.name === name)?.schema.example;
      const example = typeof given === 'string' ? given : 'x';
      const prefix = ID.exec(example)?.[1];
      return (method === 'DELETE' ? undefined : ids.get(prefix ?? '')) ?? example;
    });
  }

  /** Returns the key that a route takes, and its maximum body, which its response reports if the body is too large. */
  async function rulesOf(operation: Operation, media: string): Promise<{ own: string; limit: number }> {
    const replies: string[] = [];
    for (const own of ['admin', 'operator', 'member', 'probe']) {
      for (const bytes of TOO_LARGE) {
        const reply = await send(operation.method, pathOf(operation), keys[own] ?? null, 'x'.repeat(bytes + 1), media);
        const [, limit] = /at most (\d+) bytes/.exec(reply.text) ?? [];
        if (limit !== undefined) return { own, limit: Number(limit) };
        replies.push(`${reply.status} ${reply.text}`);
      }
    }
    throw new Error(`${operation.name} has no limit, or reads no body: ${replies.join(', ')}`);
  }

  /** Returns the CPU of a request in one piece if it is too much, else `null`. */
  async function excess(ask: () => Promise<Reply>): Promise<number | null> {
    let least = Infinity;
    for (let attempt = 0; attempt < TRIES && least > PIECE_MS; attempt++)
      least = Math.min(least, await longestPiece(service.pid ?? 0, ask, ping, PIECE_MS));
    return least > PIECE_MS ? Math.round(least) : null;
  }

  async function tried(
    operation: Operation,
    own: string,
    shapes: readonly Shape[],
    media: string | null,
  ): Promise<string[]> {
    // After signing out, no more requests are possible.
    const others = Object.keys(keys).filter(
      (name) => name !== own && !(name === 'member' && operation.name === SIGN_OUT),
    );
    const found: string[] = [];
    for (const [turn, { name, text }] of shapes.entries()) {
      const isLong = text.length > LONG;
      for (const who of isLong ? [own] : [own, others[turn % others.length] ?? own]) {
        const path = media === null ? `${pathOf(operation)}?${text}` : pathOf(operation);
        const body = media === null ? [] : ([text, media] as const);
        const ms = await excess(() => send(operation.method, path, keys[who] ?? null, ...body));
        if (ms !== null) found.push(`${operation.name} with ${name}, key ${who}: ${ms} ms in one piece`);
      }
    }
    return found;
  }

  it(
    'are refused or processed in pieces of 50 ms of the main thread, and leave no memory allocated',
    async () => {
      const before = await heapMb();
      const found: string[] = [];
      for (const operation of operationsOf(document)) {
        if (operation.name === ENDLESS) continue;
        for (const media of operation.method === 'GET' ? [] : mediaOf(operation)) {
          const { own, limit } = await rulesOf(operation, media);
          const [first, count] = limit > LONG ? [FIRST_LONG, LONG_SHAPES] : [FIRST, SHAPES];
          const shapes = worstBodies({ document, operation, media, limit }, first, count);
          found.push(...(await tried(operation, own, shapes, media)));
        }
        const isOfPeople = operation.path.startsWith('/auth/');
        const own = /\/(organizations|shared-probes)/.test(operation.path)
          ? 'operator'
          : isOfPeople
            ? 'member'
            : 'admin';
        found.push(...(await tried(operation, own, worstQueries(operation, QUERY_BYTES, QUERIES), null)));
      }
      expect(found).toEqual([]);
      expect(service.hasEnded).toBe(false);
      expect((await heapMb()) - before).toBeLessThan(MEMORY_MB);
    },
    180_000 + SHAPES * 25_000 + LONG_SHAPES * 60_000,
  );
});

/** One of several equivalent forms is enough. A route without a documented body reads JSON as well. */
function mediaOf({ requestBody }: Operation): string[] {
  const [first, ...others] = Object.keys(requestBody?.content ?? { 'application/json': {} });
  return [first ?? 'application/json', ...others.filter((media) => media === 'application/yaml')];
}
