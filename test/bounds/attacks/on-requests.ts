import type { Socket } from 'node:net';
import { create, listOf, rawConnection, repeat, send } from '../client';
import { type Attack, MemoryWatch, pause } from '../scene';
import { counted, times } from './targets';

const page: Attack = {
  name: 'public pages',
  what: '150 HEAD requests a second for a public page of 200 endpoints, and 20 for names that nobody uses',
  covers: ['src/status-page/public'],
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const endpoint = { name: 'E', url: 'http://127.0.0.1:9', type: 'HTTP', interval: 86_400, timeout: 5 };
    await attacker.createAll(
      `/websites/${attacker.website}/endpoints`,
      times(200).map(() => endpoint),
    );
    await send(world.url, 'PUT', `/api/v1/websites/${attacker.website}/status-page`, {
      key: attacker.admin,
      body: { slug: 'attacker', enabled: true },
    });
    const statuses = new Map<number, number>();
    const ask = async (path: string) => {
      const { status } = await send(world.url, 'HEAD', path);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    const flood = repeat(150, () => ask('/status/attacker'));
    const guesses = repeat(20, () => ask(`/status/none-${Math.random().toString(36).slice(2)}`));
    return async () => {
      await Promise.all([flood.stop(), guesses.stop()]);
      return { text: counted(statuses), asDocumented: true };
    };
  },
};

const storage: Attack = {
  name: 'storage',
  what: '100 endpoint tests a second, each as large as a request may be; then the operator deletes the organization',
  covers: ['src/audit', 'src/monitoring/source/on-demand', 'src/identity/organization'],
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const headers = times(50).map((index) => ({ key: `X-Long-${index}`, value: 'v'.repeat(300) }));
    const body = { name: 'T', url: 'http://127.0.0.1:9', type: 'HTTP', timeout: 5, headers };
    const statuses = new Map<number, number>();
    let turn = 0;
    const flood = repeat(100, async () => {
      const key = attacker.write[turn++ % attacker.write.length] ?? '';
      const { status } = await send(world.url, 'POST', '/api/v1/endpoints/test', { key, body });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    return async () => {
      await flood.stop();
      const { text } = await send(world.url, 'GET', '/api/v1/audit-log?limit=100', { key: attacker.admin });
      const entries = listOf(text);
      const largest = Math.max(0, ...entries.map((entry) => JSON.stringify(entry).length));
      const { status } = await world.operator('DELETE', `/organizations/${attacker.id}`);
      return {
        text: `${counted(statuses)}; the largest entry of the audit log has ${largest} bytes; deleted with ${status}`,
        asDocumented: largest < 6000 && status === 204 && (statuses.get(201) ?? 0) + (statuses.get(200) ?? 0) < 100,
      };
    };
  },
};

const streams: Attack = {
  name: 'streams that leave',
  what: '300 streams that are opened and left at once, then one that stays',
  covers: ['src/stream'],
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const open = () =>
      rawConnection(
        world.url,
        `GET /api/v1/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${attacker.admin}\r\n\r\n`,
      );
    for (let index = 0; index < 300; index++) {
      const socket = open();
      await new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
      setImmediate(() => socket.destroy());
      await pause(10);
    }
    return async () => {
      await pause(2000);
      const socket = open();
      const status = await new Promise<string>((resolve) => {
        socket.resume().once('data', (chunk: Buffer) => resolve(chunk.toString().slice(9, 12)));
        socket.once('close', () => resolve('none'));
      });
      socket.destroy();
      return { text: `its own next stream: ${status}`, asDocumented: status === '200' };
    };
  },
};

const positions: Attack = {
  name: 'forged stream positions',
  what: '90 streams a second that ask for all that ever happened, by positions of their own making',
  covers: ['src/stream'],
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const sockets: Socket[] = [];
    const ids = ['at_999999999999999_0_0', 'at_1_0_9999999999999999999', `at_${Date.now()}_1_1`];
    let turn = 0;
    const flood = repeat(90, async () => {
      const id = ids[turn++ % ids.length] ?? '';
      sockets.push(
        rawConnection(
          world.url,
          `GET /api/v1/stream HTTP/1.1\r\nHost: a\r\nLast-Event-ID: ${id}\r\nAuthorization: Bearer ${attacker.read}\r\n\r\n`,
        ),
      );
      if (sockets.length > 80) sockets.shift()?.destroy();
    });
    return async () => {
      await flood.stop();
      for (const socket of sockets) socket.destroy();
      const errors = (world.service.log.match(/out of range/g) ?? []).length;
      return { text: `${errors} of them reached the database as an error`, asDocumented: errors === 0 };
    };
  },
};

const credentials: Attack = {
  name: 'wrong credentials',
  what: '500 requests a second with keys that do not exist',
  covers: ['src/identity/auth.guard.ts', 'src/identity/rate-limits.ts'],
  begin: async (world) => {
    const statuses = new Map<number, number>();
    const flood = repeat(500, async () => {
      const key = `ums_a_${Math.random().toString(36).slice(2).padEnd(30, '0')}`;
      const { status } = await send(world.url, 'GET', '/api/v1/organization', { key });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    return async () => {
      await flood.stop();
      return { text: counted(statuses), asDocumented: (statuses.get(401) ?? 0) < 100 && !statuses.has(200) };
    };
  },
};

const connections: Attack = {
  name: 'half-open connections',
  what: '12,500 connections from one address that begin a request and do not end it',
  covers: ['src/platform/http/load', 'src/platform/http/server.adapter.ts'],
  begin: async (world) => {
    const sockets: Socket[] = [];
    for (let round = 0; round < 125; round++) {
      for (let index = 0; index < 100; index++)
        sockets.push(rawConnection(world.url, 'GET /api/v1/organization HTTP/1.1\r\nHost: a\r\n').resume());
      await pause(10);
    }
    await pause(2000);
    const open = sockets.filter((socket) => !socket.destroyed).length;
    return async () => {
      for (const socket of sockets) socket.destroy();
      return { text: `${open} open at once`, asDocumented: open <= 2000 };
    };
  },
};

const rebinding: Attack = {
  name: 'pages of other sites',
  what: 'AUTH=off, and a web page whose name was pointed at this machine asks for an admin key 20 times a second',
  covers: ['src/identity/local-host.ts', 'src/identity/same-origin.ts'],
  env: { AUTH: 'off' },
  begin: async (world) => {
    const statuses = new Map<number, number>();
    const flood = repeat(20, async () => {
      const host = `evil.example:${new URL(world.url).port}`;
      const headers = { Host: host, Origin: `http://${host}` };
      const body = { name: 'mine', role: 'admin' };
      const { status } = await send(world.url, 'POST', '/api/v1/api-keys', { headers, body });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    return async () => {
      await flood.stop();
      return { text: counted(statuses), asDocumented: !statuses.has(201) && !statuses.has(200) };
    };
  },
};

const SECRETS = ['P@ss w0rd!', 'http://u:p@h/x', 'k3y!', 'long'.repeat(1000)];

const masks: Attack = {
  name: 'masks',
  what: 'a read key looks for passwords and header values in the lists and a read of each; admin looks in the audit log',
  covers: ['src/platform/secrets', 'src/delivery/config'],
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const seen: string[] = [];
    for (const secret of SECRETS) {
      const value = secret.slice(0, 2000);
      const endpoint = await attacker.create(`/websites/${attacker.website}/endpoints`, {
        name: 'E',
        url: 'http://127.0.0.1:9',
        type: 'HTTP',
        interval: 86_400,
        headers: [{ key: 'DD-API-KEY', value }],
      });
      await attacker.create('/alerts', {
        endpoint_id: endpoint,
        type: 'email',
        config: {
          to: ['a@example.com'],
          smtp: { host: 'smtp.example.com', port: 587, username: 'u', password: secret.slice(0, 255) },
        },
      });
    }
    return async () => {
      const { read, admin, website } = attacker;
      const texts = await Promise.all([
        send(world.url, 'GET', '/api/v1/alerts', { key: read }),
        send(world.url, 'GET', `/api/v1/websites/${website}/endpoints`, { key: read }),
        send(world.url, 'GET', '/api/v1/audit-log?limit=100', { key: admin }),
      ]);
      const all = [...texts.map(({ text }) => text), world.service.log].join('\n');
      for (const secret of SECRETS)
        if ([secret, secret.slice(-4)].some((piece) => all.includes(piece))) seen.push(secret);
      return { text: `${seen.length} of ${SECRETS.length} values seen in part`, asDocumented: seen.length === 0 };
    };
  },
};

const KEY_1 = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const KEY_2 = `k2:${Buffer.alloc(32, 2).toString('base64')}`;

const rotation: Attack = {
  name: 'unreadable rows',
  what: 'while keys are rotated, another instance seals headers of 20 endpoints with a key that this one does not have yet',
  covers: ['src/platform/secrets'],
  env: { SECRETS_KEYS: KEY_1 },
  onPostgres: true,
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const url = await world.secondInstance({ ROLE: 'api', SECRETS_KEYS: `${KEY_2},${KEY_1}`, OPERATOR_TOKEN: '' });
    const endpoint = { name: 'E', url: 'http://127.0.0.1:9', type: 'HTTP', interval: 1, timeout: 1 };
    const headers = [{ key: 'Authorization', value: 'Bearer secret' }];
    const ids = await Promise.all(
      times(20).map(() =>
        create(url, attacker.admin, `/websites/${attacker.website}/endpoints`, { ...endpoint, headers }),
      ),
    );
    return async () => {
      await pause(1000);
      const { text } = await send(url, 'GET', `/api/v1/endpoints/${ids[0] ?? ''}/checks?limit=1`, {
        key: attacker.read,
      });
      const [check] = listOf(text);
      const made = ids.filter((id) => id !== null).length;
      return { text: `${made} made; ${check?.error?.message ?? 'not checked'}`, asDocumented: check !== undefined };
    };
  },
};

/** Hashing takes 32 MiB each for two at once. The rest is used by 64 requests and their connections. */
const SIGN_IN_MB = 64 + 32;

const signIns: Attack = {
  name: 'sign-ins',
  what: '64 passwords at once from as many addresses, then again every two seconds, while names are looked up in the same threads',
  covers: ['src/identity/person', 'src/identity/session', 'src/identity/rate-limits.ts'],
  host: 'localhost',
  begin: async (world) => {
    let turn = 0;
    const burst = async () => {
      turn += 1;
      const replies = await Promise.all(
        times(64).map((n) =>
          send(world.url, 'POST', '/auth/session', {
            from: `127.0.${turn % 250}.${n + 10}`,
            body: { email: `somebody.${turn}.${n}@example.com`, password: 'three wise monkeys' },
          }),
        ),
      );
      const statuses = new Map<number, number>();
      for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return statuses;
    };
    const memory = new MemoryWatch(world.service.pid ?? 0);
    const first = await burst();
    const { added } = memory.stop();
    const flood = repeat(1 / 2, burst);
    return async () => {
      await flood.stop();
      // The first may be done before all of them have arrived.
      const judged = first.get(401) ?? 0;
      const asDocumented = judged >= 22 && judged <= 26 && judged + (first.get(429) ?? 0) === 64 && added < SIGN_IN_MB;
      return { text: `of the first 64 ${counted(first)}; ${added} MB added`, asDocumented };
    };
  },
};

export const ON_REQUESTS: readonly Attack[] = [
  signIns,
  page,
  storage,
  streams,
  positions,
  credentials,
  connections,
  rebinding,
  masks,
  rotation,
];
