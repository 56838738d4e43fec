import type { Socket } from 'node:net';
import { rawConnection, repeat, send, type Reply } from '../client';
import { type KeylessRoute, keylessRoutes } from '../keyless';
import { type Attack, type Effect, pause, type World } from '../scene';
import { counted, times } from './targets';

const LOAD = ['src/platform/http/load', 'src/platform/http/body', 'src/platform/http/server.adapter.ts', 'src/app.ts'];

/** The numbers of addresses, one after the other. */
const CROWDS = [1, 2, 50, 1000];
/** The number of open requests that the service allows. It is low, so that a few sockets would use it up. */
const PLACES = 60;
/** More sockets than these at each route, at several routes at once, for this long. */
const SOCKETS = 64;
const ROUTES = 4;
const HELD_MS = 150;

/** Returns the address of the n-th stranger. Each loopback address is another client. */
const addressOf = (n: number): string => `127.20.${Math.floor(n / 250) % 250}.${(n % 250) + 1}`;

/** Returns the request of a stranger, who then sends no more and reads nothing. */
type Way = (route: KeylessRoute) => string;

const slowHeaders: Way = ({ method, path }) => `${method} ${path} HTTP/1.1\r\nHost: a\r\nX-Slow: `;
const slowBody: Way = ({ method, path }) =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`;
/** As many requests as queue up after one whose response isn't read. */
const unread: Way = ({ method, path }) =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nContent-Length: 0\r\n\r\n`.repeat(9);

async function connected(
  url: string,
  routes: readonly KeylessRoute[],
  way: Way,
  from: (n: number) => string,
): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (const n of times(SOCKETS))
    for (const route of routes) {
      sockets.push(rawConnection(url, way(route), from(sockets.length)));
      // Paced so that they come as fast as strangers send them, but no faster than they can be accepted.
      if (n % 16 === 15 && route === routes[0]) await pause(5);
    }
  return sockets;
}

/** Attacks every route without a key in one way, a few at a time, from one, two, fifty, and a thousand addresses. */
async function besiege({ url, slug }: World, way: Way): Promise<number> {
  const routes = await keylessRoutes(url, slug);
  let opened = 0;
  for (const crowd of CROWDS)
    for (let first = 0; first < routes.length; first += ROUTES) {
      const sockets = await connected(url, routes.slice(first, first + ROUTES), way, (n) => addressOf(n % crowd));
      opened += sockets.length;
      await pause(HELD_MS);
      for (const socket of sockets) socket.destroy();
      // A thousand connections take longer to arrive.
      if (crowd > 50) await pause(HELD_MS);
    }
  return opened;
}

const onEveryRoute = (name: string, what: string, way: Way): Attack => ({
  name,
  what: `every route that needs no key, found in the API document and beside it: ${what}; from 1, 2, 50 and 1,000 addresses`,
  covers: [...LOAD, 'test/bounds/keyless.ts', 'src/heartbeat/ping.middleware.ts'],
  env: { MAX_CONCURRENT_REQUESTS: String(PLACES) },
  withVisitors: true,
  begin: async (world) => {
    const siege = besiege(world, way);
    return async (): Promise<Effect> => ({ text: `${await siege} connections`, asDocumented: true });
  },
});

const halfOpen: Attack = {
  name: 'half-open pings',
  what: '2,000 sockets from 50 addresses: each begins a ping to an address that nobody has, and ends neither its headers nor its body',
  covers: [...LOAD, 'src/heartbeat/ping.middleware.ts'],
  withVisitors: true,
  begin: async ({ url }) => {
    const route = { method: 'POST', path: '/ping/01a22115-e156-479f-952c-d8c235c2e2c9' };
    const open = new Map<number, Socket>();
    const connect = (n: number): void => {
      const socket = rawConnection(url, (n % 2 === 0 ? slowBody : slowHeaders)(route), addressOf(n % 50)).resume();
      open.set(n, socket);
    };
    for (const n of times(2000)) {
      connect(n);
      if (n % 100 === 99) await pause(10);
    }
    const again = repeat(10, async () => {
      for (const [n, socket] of open) if (socket.destroyed) connect(n);
    });
    return async () => {
      const still = [...open.values()].filter((socket) => !socket.destroyed).length;
      await again.stop();
      for (const socket of open.values()) socket.destroy();
      return { text: `${still} open in the end`, asDocumented: true };
    };
  },
};

function counter(): { count: (asked: Promise<Reply>) => Promise<void>; statuses: Map<number, number> } {
  const statuses = new Map<number, number>();
  const count = async (asked: Promise<Reply>): Promise<void> => {
    const { status } = await asked;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  return { count, statuses };
}

const wrongSignIns: Attack = {
  name: 'wrong sign-ins',
  what: '60 wrong passwords a second, each for an e-mail that nobody has and from another address',
  covers: ['src/identity/person', 'src/identity/session', 'src/identity/rate-limits.ts'],
  withVisitors: true,
  begin: async ({ url }) => {
    const { count, statuses } = counter();
    let turn = 0;
    const flood = repeat(60, () => {
      const body = { email: `nobody.${++turn}@example.com`, password: 'three wise monkeys' };
      return count(send(url, 'POST', '/auth/session', { from: addressOf(turn), body }));
    });
    return async () => {
      await flood.stop();
      return { text: counted(statuses), asDocumented: !statuses.has(201) && (statuses.get(429) ?? 0) > 0 };
    };
  },
};

const months: Attack = {
  name: 'months of a history',
  what: 'one visitor asks for 100 months of the history of a public page a second, in both forms',
  covers: ['src/status-page'],
  withVisitors: true,
  // A frozen page becomes visible only after a while.
  windowMs: 45_000,
  begin: async ({ url, slug }) => {
    const { count, statuses } = counter();
    let turn = 0;
    const flood = repeat(100, () => {
      const n = turn++;
      const month = `20${String(Math.floor(n / 12) % 26).padStart(2, '0')}-${String((n % 12) + 1).padStart(2, '0')}`;
      return count(send(url, 'GET', `/status/${slug}/history${n % 2 === 0 ? '' : '.json'}?month=${month}`));
    });
    return async () => {
      await flood.stop();
      return { text: counted(statuses), asDocumented: (statuses.get(200) ?? 0) > 0 };
    };
  },
};

export const BY_STRANGERS: readonly Attack[] = [
  onEveryRoute('slow headers', 'headers that never end', slowHeaders),
  onEveryRoute('slow bodies', 'a body that never ends', slowBody),
  onEveryRoute('unread responses', 'responses that are never read', unread),
  halfOpen,
  wrongSignIns,
  months,
];
