import { randomUUID } from 'node:crypto';
import { repeat, send, VICTIM } from '../client';
import { type Attack, type Attacker, pause, type World } from '../scene';
import { counted, times } from './targets';

const MIDDLEWARE = 'src/heartbeat/ping.middleware.ts';
const SERVICE = 'src/heartbeat/ping.service.ts';
const RATE_LIMITS = 'src/identity/rate-limits.ts';

/** Creates heartbeats. Returns the paths that their jobs ping. */
async function heartbeatsOf(
  attacker: Attacker,
  count: number,
  schedule: object = { every: 86_400 },
): Promise<string[]> {
  const ids = times(count).map(() => randomUUID());
  await attacker.createAll(
    `/websites/${attacker.website}/endpoints`,
    ids.map((ping_id) => ({ name: 'Job', type: 'HEARTBEAT', heartbeat: { ...schedule, ping_id } })),
  );
  return ids.map((id) => `/ping/${id}`);
}

/**
 * Pings until it is stopped, next to the job of another organization that pings once a second. Returns the responses
 * to both.
 */
async function flood(world: World, perSecond: number, one: () => { path: string; body?: string }) {
  const [job = ''] = await heartbeatsOf(await world.organization('Job'), 1);
  await send(world.url, 'GET', job, { from: VICTIM });
  const [statuses, ofJob] = [new Map<number, number>(), new Map<number, number>()];
  const count = (map: Map<number, number>, status: number) => map.set(status, (map.get(status) ?? 0) + 1);
  const pings = repeat(perSecond, async () => {
    const { path, body } = one();
    const text = body === undefined ? {} : { text: { type: 'text/plain', body } };
    count(statuses, (await send(world.url, 'POST', path, text)).status);
  });
  const others = repeat(1, async () => count(ofJob, (await send(world.url, 'GET', job, { from: VICTIM })).status));
  return async () => {
    await Promise.all([pings.stop(), others.stop()]);
    const sum = [...statuses.values()].reduce((all, each) => all + each, 0);
    const of = (status: number) => statuses.get(status) ?? 0;
    const isUnharmed = [...ofJob.keys()].every((status) => status === 200);
    const refused = of(429) + of(503);
    return { of, sum, refused, isUnharmed, text: `${counted(statuses)}; another organization’s: ${counted(ofJob)}` };
  };
}

const unknown: Attack = {
  name: 'unknown addresses',
  what: '500 pings a second to addresses that nobody has',
  covers: [MIDDLEWARE, RATE_LIMITS],
  begin: async (world) => {
    const end = await flood(world, 500, () => ({ path: `/ping/${randomUUID()}` }));
    return async () => {
      const { of, sum, refused, isUnharmed, text } = await end();
      return { text, asDocumented: isUnharmed && of(404) < 100 && of(404) + refused === sum };
    };
  },
};

const storm: Attack = {
  name: 'pings of one job',
  what: '500 pings a second to one heartbeat, each the start of another run',
  covers: [MIDDLEWARE, SERVICE],
  begin: async (world) => {
    const [path = ''] = await heartbeatsOf(await world.organization('Attacker'), 1);
    const end = await flood(world, 500, () => ({ path: `${path}/start?rid=${randomUUID()}` }));
    return async () => {
      const { of, sum, refused, isUnharmed, text } = await end();
      return { text, asDocumented: isUnharmed && of(200) < 60 && of(200) + refused === sum };
    };
  },
};

const OUTPUT = 'o'.repeat(100_000);
/** The maximum size of one body. All bodies of an organization are limited to 16 MiB at once and 64 KiB a second. */
const KEPT = 10_000;
const ALL_KEPT = (16 * 1024 + 64 * 60) * 1024;

const bodies: Attack = {
  name: 'output of jobs',
  what: '150 pings a second of one organization’s 200 heartbeats, each with 100 kB of output',
  covers: [MIDDLEWARE, SERVICE],
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const paths = await heartbeatsOf(attacker, 200);
    let turn = 0;
    const end = await flood(world, 150, () => ({ path: `${paths[turn++ % paths.length]}/log`, body: OUTPUT }));
    return async () => {
      const { of, sum, refused, isUnharmed, text } = await end();
      const endpoints = await send(world.url, 'GET', `/api/v1/websites/${attacker.website}/endpoints?limit=1`, {
        key: attacker.admin,
      });
      const [{ id }] = JSON.parse(endpoints.text) as [{ id: string }];
      const pings = await send(world.url, 'GET', `/api/v1/endpoints/${id}/pings`, { key: attacker.admin });
      const list = JSON.parse(pings.text) as { body: string | null; body_bytes: number }[];
      const isBeyond = of(200) * KEPT > ALL_KEPT;
      const isCut = list.every(({ body, body_bytes }) => (body?.length ?? 0) <= KEPT && body_bytes === OUTPUT.length);
      const newest = list[0]?.body === null ? 'nothing' : 'the beginning';
      return {
        text: `${text}; ${newest} of the newest is kept`,
        asDocumented: isUnharmed && of(200) + refused === sum && isCut && (!isBeyond || newest === 'nothing'),
      };
    };
  },
};

const creation: Attack = {
  name: 'jobs that make heartbeats',
  what: '100 pings a second with create=1, each by another key; its quota is 100 endpoints',
  covers: [MIDDLEWARE, 'src/heartbeat/heartbeat-creation.ts', 'src/identity/quota'],
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    await world.operator('PUT', `/organizations/${attacker.id}`, { quotas: { endpoints: 100 } });
    const { text: website } = await send(world.url, 'GET', `/api/v1/websites/${attacker.website}`, {
      key: attacker.admin,
    });
    const { ping_key } = JSON.parse(website) as { ping_key: string };
    let turn = 0;
    const end = await flood(world, 100, () => ({ path: `/ping/${ping_key}/job-${turn++}?create=1` }));
    return async () => {
      const { of, sum, refused, isUnharmed, text } = await end();
      return { text, asDocumented: isUnharmed && of(201) <= 100 && of(201) + of(409) + refused === sum };
    };
  },
};

const runs: Attack = {
  name: 'runs without end',
  what: '60 starts a second of 60 heartbeats, each of another run that may take a second',
  covers: [SERVICE, 'src/heartbeat/heartbeat-sweep.job.ts', 'src/heartbeat/heartbeat-store.ts'],
  begin: async (world) => {
    const paths = await heartbeatsOf(await world.organization('Attacker'), 60, { every: 86_400, max_runtime: 1 });
    let turn = 0;
    const end = await flood(world, 60, () => ({ path: `${paths[turn++ % paths.length]}/start?rid=${randomUUID()}` }));
    return async () => {
      const { of, sum, refused, isUnharmed, text } = await end();
      await pause(1000);
      return { text, asDocumented: isUnharmed && of(200) + refused === sum };
    };
  },
};

export const ON_PINGS: readonly Attack[] = [unknown, storm, bodies, creation, runs];
