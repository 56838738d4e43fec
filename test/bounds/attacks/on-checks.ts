import { setMaxListeners } from 'node:events';
import { eventually } from '../../../packages/testing/eventually';
import { listOf, rawConnection, type Reply, send } from '../client';
import { type Attack, type Attacker, pause, type World } from '../scene';
import { HostileTarget, response, times } from './targets';

/** Nested JSON objects around as much text as a body may contain. */
const deep = (): Buffer => {
  const levels = 2000;
  return Buffer.from(`${'{"a":'.repeat(levels)}"${'x'.repeat(900_000)}"${'}'.repeat(levels)}`);
};
const wide = (): Buffer => Buffer.from(`{"items":[${'{},'.repeat(340_000)}{}]}`);

const watch = (by: Attacker, endpoints: readonly object[]): Promise<string[]> =>
  by.createAll(
    `/websites/${by.website}/endpoints`,
    endpoints.map((more, index) => ({ name: `E${index}`, type: 'HTTP', interval: 1, timeout: 60, ...more })),
  );

async function newestCheck({ url }: World, { read }: Attacker, endpoint: string | undefined) {
  const { text } = await send(url, 'GET', `/api/v1/endpoints/${endpoint ?? ''}/checks?limit=1`, { key: read });
  return listOf(text)[0];
}

const freezing: Attack = {
  name: 'assertions that freeze',
  what: 'three endpoints with twenty searches each (`$..a`) through an object of 2,000 levels around 0.9 MB, every second',
  covers: ['src/checker/assertion', 'src/checker/http/judging-turns.ts'],
  begin: async (world) => {
    const bytes = response('200 OK', deep());
    const target = world.keep(await HostileTarget.listen((socket) => socket.end(bytes)));
    const attacker = await world.organization('Attacker');
    const assertions = times(20).map((index) => ({
      source: 'json',
      property: '$..a',
      comparison: 'not_equals',
      target: `x${index}`,
    }));
    const made = await watch(
      attacker,
      times(3).map(() => ({ url: target.url, assertions })),
    );
    return async () => {
      const check = made.length > 0 ? await newestCheck(world, attacker, made[0]) : undefined;
      const text = made.length === 0 ? 'refused when saved' : (check?.error?.message ?? 'up');
      return { text, asDocumented: made.length === 0 || check !== undefined };
    };
  },
};

const stalling: Attack = {
  name: 'assertions that stall',
  what: 'filters over 340,000 objects, some tenths of a second every two seconds, while the victim’s host hangs',
  covers: ['src/checker/assertion', 'src/checker/http/judging-turns.ts'],
  breakage: 'silence',
  begin: async (world) => {
    const bytes = response('200 OK', wide());
    const target = world.keep(await HostileTarget.listen((socket) => socket.end(bytes)));
    const attacker = await world.organization('Attacker');
    const filter = { source: 'json', property: '$.items[?@.a==1]', comparison: 'exists', target: 'false' };
    const made = await watch(
      attacker,
      times(2).map(() => ({ url: target.url, interval: 2, assertions: [filter, filter] })),
    );
    return async () => {
      const check = await newestCheck(world, attacker, made[0]);
      return { text: check?.error?.message ?? 'up', asDocumented: true };
    };
  },
};

const redirecting: Attack = {
  name: 'endless redirects',
  what: '300 endpoints whose server redirects to addresses of 60,000 characters, each different',
  covers: ['src/checker/http', 'src/platform/net/http'],
  begin: async (world) => {
    let turn = 0;
    const tail = 'é'.repeat(59_000);
    const target = world.keep(
      await HostileTarget.listen((socket) =>
        socket.end(response('302 Found', Buffer.alloc(0), `Location: /${turn++}/${tail}\r\n`)),
      ),
    );
    const attacker = await world.organization('Attacker');
    const made = await watch(
      attacker,
      times(300).map(() => ({ url: target.url, interval: 5 })),
    );
    return async () => {
      const path = `/api/v1/endpoints/${made[0] ?? ''}/checks?limit=100`;
      const { text } = await send(world.url, 'GET', path, { key: attacker.read });
      return {
        text: `a list of its checks has ${Math.round(text.length / 1024)} KiB`,
        asDocumented: text.length < 1_048_576,
      };
    };
  },
};

const onDemand: Attack = {
  name: 'checks on demand',
  what: '520 checks by hand of a host that never responds, whose clients leave in the end',
  covers: ['src/monitoring/source/on-demand', 'src/platform/access/work-limits.ts'],
  begin: async (world) => {
    const target = world.keep(await HostileTarget.listen(() => {}));
    const attacker = await world.organization('Attacker');
    const endpoints = await watch(
      attacker,
      times(20).map(() => ({ url: target.url, interval: 86_400, timeout: 300 })),
    );
    // Each new endpoint is checked once, for as long as the timeout. Those checks do not count.
    await eventually('its checks run', () => target.connections === endpoints.length, 20_000);
    const scheduled = target.connections;
    const leave = new AbortController();
    setMaxListeners(0, leave.signal);
    const sent: Promise<Reply>[] = [];
    for (let index = 0; index < 520; index++) {
      const path = `/api/v1/endpoints/${endpoints[index % endpoints.length] ?? ''}/checks`;
      const key = attacker.write[index % 4] ?? '';
      sent.push(send(world.url, 'POST', path, { key, patience: 120_000, signal: leave.signal }));
      // Two hundred a second.
      if (index % 20 === 19) await pause(100);
    }
    return async () => {
      const open = target.connections - scheduled;
      leave.abort();
      const refused = (await Promise.all(sent)).filter(({ status }) => status === 429 || status === 409).length;
      await pause(3000);
      const left = Math.max(0, target.connections - scheduled);
      return {
        text: `${open} ran at once, ${refused} refused, ${left} went on when their clients had left`,
        asDocumented: open <= 8 && left === 0,
      };
    };
  },
};

const slow: Attack = {
  name: 'slow targets',
  what: '500 endpoints at 1 s whose hosts never respond (timeout 300 s), with room for 200 checks',
  covers: ['src/engine/dispatch', 'src/monitoring/source/scheduled'],
  env: { MAX_CONCURRENT_CHECKS: '200' },
  begin: async (world) => {
    const target = world.keep(await HostileTarget.listen(() => {}));
    const attacker = await world.organization('Attacker');
    await watch(
      attacker,
      times(500).map(() => ({ url: target.url, timeout: 300 })),
    );
    await pause(3000);
    return async () => ({ text: `${target.connections} of its checks run`, asDocumented: target.connections <= 100 });
  },
};

const alerts: Attack = {
  name: 'alerts without end',
  what: 'as many alerts on one endpoint as it gets, at most 2,000, that trigger and resolve every second',
  covers: ['src/identity/quota'],
  begin: async (world) => {
    let isDown = false;
    const target = world.keep(
      await HostileTarget.listen((socket) => {
        isDown = !isDown;
        socket.end(response(isDown ? '500 Broken' : '200 OK', Buffer.alloc(0)));
      }),
    );
    const attacker = await world.organization('Attacker');
    const [endpoint] = await watch(attacker, [{ url: target.url }]);
    const alert = { endpoint_id: endpoint, type: 'webhook', config: { url: `${target.url}/hook` } };
    const bodies = times(2000).map(() => ({ ...alert, failure_threshold: 1, success_threshold: 1 }));
    const made = await attacker.createAll('/alerts', bodies);
    return async () => ({ text: `${made.length} alerts accepted`, asDocumented: made.length === 50 });
  },
};

const bodies: Attack = {
  name: 'kept bodies',
  what: '400 endpoints whose server sends a byte less than 1 MiB and then waits',
  covers: ['src/checker/http', 'src/platform/net/http'],
  begin: async (world) => {
    const size = 1024 * 1024;
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(size - 1, 120)]);
    const target = world.keep(await HostileTarget.listen((socket) => void socket.write(bytes)));
    const attacker = await world.organization('Attacker');
    const assertions = [{ source: 'body', comparison: 'contains', target: 'y' }];
    await watch(
      attacker,
      times(400).map(() => ({ url: target.url, assertions })),
    );
    await pause(2000);
    return async () => ({ text: `${target.connections} of its checks run`, asDocumented: true });
  },
};

const names: Attack = {
  name: 'names of the local network',
  what: '500 names that only the system’s own lookup knows, 60 ms each; the victim’s host has such a name too',
  covers: ['src/platform/net/dns'],
  env: { NODE_OPTIONS: `--require ${require.resolve('../slow-lookup.cjs')}`, EGRESS_PRIVATE: 'allow' },
  host: 'victim.internal',
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    await watch(
      attacker,
      times(500).map((index) => ({ url: `http://n${index}.internal:9`, timeout: 10 })),
    );
    await pause(4000);
    return async () => ({ text: 'its own names wait for each other', asDocumented: true });
  },
};

const definitions: Attack = {
  name: 'large endpoints, unread lists',
  what: '300 paused endpoints as large as they may be, and 20 clients that ask for all of them and read nothing',
  covers: ['src/platform/http/load', 'src/platform/http/page.ts'],
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const body = 'x'.repeat(30_000);
    const made = await watch(
      attacker,
      times(300).map(() => ({ url: 'http://127.0.0.1:9', method: 'POST', body, enabled: false })),
    );
    const request = `GET /api/v1/websites/${attacker.website}/endpoints?limit=1000 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${attacker.write[0] ?? ''}\r\n\r\n`;
    const sockets = times(20).map(() => rawConnection(world.url, request));
    const { text } = await send(world.url, 'GET', `/api/v1/websites/${attacker.website}/endpoints?limit=1000`, {
      key: attacker.write[1] ?? '',
    });
    return async () => {
      for (const socket of sockets) socket.destroy();
      const kib = Math.round(text.length / 1024);
      return { text: `${made.length} accepted, a page has ${kib} KiB`, asDocumented: kib < 2048 };
    };
  },
};

export const ON_CHECKS: readonly Attack[] = [
  freezing,
  stalling,
  redirecting,
  onDemand,
  slow,
  alerts,
  bodies,
  definitions,
  names,
];
