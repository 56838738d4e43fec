import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresCluster } from '../harness/database/postgres-cluster';
import { eventually } from '../../packages/testing/eventually';
import { ServiceProcess } from '../harness/processes/service-process';
import { create, send } from './client';
import { type Breakage, Victim } from './victim';
import { Visitors } from './visitors';

/** Targets are on this machine and count as public ones. */
const EGRESS_ALLOW = '127.0.0.0/8';
const OPERATOR_TOKEN = 'operator-token-of-the-bounds-tests-01';
/** The minimum length of an attack, and how long to wait for an alert. */
const WINDOW_MS = 15_000;
const ALERT_LIMIT_MS = 60_000;
/** The site breaks when the attack has had this long to take effect. */
const BREAK_AFTER_MS = 4000;
/** A service that does not respond must not block its test. */
const BEGIN_LIMIT_MS = 60_000;
const END_LIMIT_MS = 30_000;

/** An organization that attacks, with as many keys as an attacker would create. */
export interface Attacker {
  id: string;
  admin: string;
  write: string[];
  read: string;
  /** Creates a resource, or returns `null` if it is refused. Uses the keys in rotation. */
  create(path: string, body: object): Promise<string | null>;
  /** Creates one resource for each body, as fast as the keys allow. Returns the IDs of those that were not refused. */
  createAll(path: string, bodies: readonly object[]): Promise<string[]>;
  website: string;
}

/** Everything that an attack may use. */
export interface World {
  url: string;
  service: ServiceProcess;
  organization(name: string): Promise<Attacker>;
  /** Starts another instance on the same database (`onPostgres`). Returns its URL. */
  secondInstance(env: Readonly<Record<string, string>>): Promise<string>;
  operator(method: string, path: string, body?: object): Promise<{ status: number; text: string; ms: number }>;
  /** The name of the public page that visitors read. */
  slug: string;
  /** Closes the resource at the end. */
  keep<T extends { close(): Promise<void> }>(thing: T): T;
}

/** One attack: its requirements, its actions, and its result. */
export interface Attack {
  /** One or two words, for the table and the names of tests. */
  name: string;
  /** A description in one sentence. */
  what: string;
  /**
   * Files and folders that enforce the limit, from the root. A commit that changes one of them always runs this
   * attack.
   */
  covers: readonly string[];
  env?: Readonly<Record<string, string>>;
  breakage?: Breakage;
  /** The maximum milliseconds of the victim's slowest reads, if a higher limit than usual is documented. */
  readsWithinMs?: number;
  host?: string;
  /** Uses a separate PostgreSQL instead of the embedded database. */
  onPostgres?: boolean;
  /** Also includes visitors without a key. */
  withVisitors?: boolean;
  /** The minimum length in milliseconds, if 15 s are too short to see its effect. */
  windowMs?: number;
  /**
   * Prepares and starts. The returned function stops it, and returns the attacker's results and whether they are as
   * documented.
   */
  begin(world: World): Promise<() => Promise<Effect>>;
}

export interface Effect {
  /** A short description for readers. */
  text: string;
  /** Whether the result is as documented. If not, the test fails. */
  asDocumented: boolean;
}

const NO_RESPONSE: Effect = { text: 'the service did not respond to its last questions', asDocumented: false };

export interface Measured {
  missed: number;
  due: number;
  /** `null` means no alert within a minute. */
  alertMs: number | null;
  p50: number;
  p99: number;
  failedReads: number;
  /** The highest resident memory of the process in MB. */
  memoryMb: number;
  /** The increase over the memory before the attack. */
  addedMb: number;
  /** The most CPU that its main thread used in one piece, in milliseconds. */
  pieceMs: number;
  /** Whether every request to `/health/live` returned 200. */
  stayedLive: boolean;
  /** The results of visitors without a key, or `null` without visitors. */
  visits: Awaited<ReturnType<Visitors['stop']>> | null;
  effect: Effect;
  log: string;
}

/**
 * Runs an attack against the built service of `folder` on the embedded database, and measures the effect on the
 * victim.
 */
export async function play(attack: Attack, folder?: string): Promise<Measured> {
  const directory = await mkdtemp(join(tmpdir(), 'uptime-bounds-'));
  const kept: { close(): Promise<void> }[] = [];
  const cluster = attack.onPostgres ? await PostgresCluster.start() : null;
  const pieces = join(directory, 'pieces');
  const { NODE_OPTIONS = '', ...wanted } = attack.env ?? {};
  const env = {
    PIECE_LOG: pieces,
    NODE_OPTIONS: `--require ${require.resolve('./longest-piece.cjs')} ${NODE_OPTIONS}`,
    DATA_DIR: directory,
    OPERATOR_TOKEN,
    RATE_LIMIT_PER_SECOND: '100',
    CONFIRM_FAILURES: 'on',
    EGRESS_ALLOW,
    LOG_LEVEL: 'warn',
    ...wanted,
  };
  const service = await ServiceProcess.start(cluster?.url ?? '', env, folder === undefined ? {} : { folder });
  try {
    const world = worldOf(service, cluster?.url ?? '', folder, kept);
    const victim = await Victim.settle(service.url, (await world.organization('Victim')).admin, attack.host);
    kept.unshift(victim);
    // The first request for the API document takes about 250 ms in one piece, once per process. No one can repeat it.
    if (attack.withVisitors) await fetch(`${service.url}/api/v1/openapi.json`).then((response) => response.text());
    const visitors = attack.withVisitors ? await Visitors.settle(service.url, victim.apiKey, victim.websiteId) : null;
    return await measure(attack, { ...world, slug: visitors?.slug ?? '' }, victim, { pieces, visitors });
  } finally {
    await service.kill();
    for (const thing of kept) await thing.close();
    await cluster?.remove();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(
  attack: Attack,
  world: World,
  victim: Victim,
  { pieces, visitors }: { pieces: string; visitors: Visitors | null },
): Promise<Measured> {
  await eventually('the victim is watched', () => victim.isWatched, 30_000);
  const memory = new MemoryWatch(world.service.pid ?? 0);
  const liveness = watchLiveness(world.url);
  const startedAt = Date.now();
  const beginning = attack.begin(world);
  await atMost(BEGIN_LIMIT_MS, beginning);
  const reading = victim.startReading();
  visitors?.start();
  const began = performance.now();
  await pause(BREAK_AFTER_MS);
  const brokeAt = performance.now();
  victim.break(attack.breakage ?? 'status');
  await eventually('the victim is alerted', () => victim.isAlerted, ALERT_LIMIT_MS).catch(() => undefined);
  await pause(Math.max(0, began + (attack.windowMs ?? WINDOW_MS) - performance.now()));
  const { missed, due } = victim.slots(began, performance.now());
  reading.stop();
  const visits = (await visitors?.stop()) ?? null;
  const { p50, p99, failed: failedReads } = victim.reads();
  const { highest: memoryMb, added: addedMb } = memory.stop();
  const pieceMs = longestSince(startedAt, pieces);
  const stayedLive = await liveness.stop();
  const ended = beginning.then((end) => end());
  const effect = (await atMost(END_LIMIT_MS, ended)) ?? NO_RESPONSE;
  const alertMs = victim.alertedAfter(brokeAt);
  const felt = { missed, due, alertMs, p50, p99, failedReads, memoryMb, addedMb, pieceMs, stayedLive, visits };
  return { ...felt, effect, log: world.service.log };
}

function worldOf(
  service: ServiceProcess,
  databaseUrl: string,
  folder: string | undefined,
  kept: { close(): Promise<void> }[],
): World {
  const operator: World['operator'] = (method, path, body) =>
    send(service.url, method, `/api/v1${path}`, { key: OPERATOR_TOKEN, ...(body === undefined ? {} : { body }) });
  return {
    url: service.url,
    service,
    operator,
    slug: '',
    secondInstance: async (env) => {
      const surroundings = folder === undefined ? {} : { folder };
      const second = await ServiceProcess.start(databaseUrl, { OPERATOR_TOKEN, EGRESS_ALLOW, ...env }, surroundings);
      kept.push({ close: () => second.kill() });
      return second.url;
    },
    organization: async (name) => {
      const { status, text } = await operator('POST', '/organizations', { name });
      if (status !== 201) throw new Error(`no organization: ${status} ${text}`);
      const { id, api_key } = JSON.parse(text) as { id: string; api_key: { key: string } };
      return attackerOf(service.url, id, api_key.key);
    },
    keep: (thing) => {
      kept.push(thing);
      return thing;
    },
  };
}

async function attackerOf(url: string, id: string, admin: string): Promise<Attacker> {
  const key = async (role: string) => {
    const { text } = await send(url, 'POST', '/api/v1/api-keys', { key: admin, body: { name: role, role } });
    return (JSON.parse(text) as { key: string }).key;
  };
  const write = await Promise.all(['write', 'write', 'write', 'write'].map(key));
  let turn = 0;
  const createOne: Attacker['create'] = (path, body) => create(url, write[turn++ % write.length] ?? '', path, body);
  const website = await createOne('/websites', { name: 'Site', url: 'https://site.example.com' });
  return {
    id,
    admin,
    write,
    read: await key('read'),
    create: createOne,
    createAll: async (path, bodies) => {
      const left = [...bodies];
      const ids: string[] = [];
      const work = async () => {
        for (let body = left.shift(); body !== undefined; body = left.shift()) {
          const made = await createOne(path, body);
          if (made !== null) ids.push(made);
        }
      };
      await Promise.all(Array.from({ length: 8 }, work));
      return ids;
    },
    website: website ?? '',
  };
}

/** The highest resident memory of a process while it is watched, in MB. */
export class MemoryWatch {
  private highest = 0;
  private first: number | null = null;
  private readonly timer = setInterval(() => this.look(), 100);

  constructor(private readonly pid: number) {
    this.look();
  }

  stop(): { highest: number; added: number } {
    clearInterval(this.timer);
    this.look();
    return {
      highest: Math.round(this.highest / 1024),
      added: Math.round((this.highest - (this.first ?? 0)) / 1024),
    };
  }

  private look(): void {
    try {
      const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.pid}/status`, 'latin1')) ?? [];
      this.highest = Math.max(this.highest, Number(kilobytes ?? 0));
      this.first ??= this.highest;
    } catch {
      // The process has exited. The victim's results will show it.
    }
  }
}

/** Returns the largest value that `longest-piece.cjs` has written since, in milliseconds, or 20 without any. */
function longestSince(startedAt: number, file: string): number {
  if (!existsSync(file)) return 20;
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const pieces = lines.map((line) => JSON.parse(line) as { at: number; ms: number });
  return Math.round(Math.max(20, ...pieces.filter(({ at }) => at >= startedAt).map(({ ms }) => ms)));
}

/** Requests liveness once a second, with the timeout of an orchestrator. */
function watchLiveness(url: string): { stop(): Promise<boolean> } {
  const answers: Promise<number>[] = [];
  const timer = setInterval(
    () => answers.push(send(url, 'GET', '/health/live', { patience: 5000 }).then(({ status }) => status)),
    1000,
  );
  return {
    stop: async () => {
      clearInterval(timer);
      return (await Promise.all(answers)).every((status) => status === 200);
    },
  };
}

/** Resolves like the promise, or with `undefined` after this many milliseconds. */
async function atMost<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
