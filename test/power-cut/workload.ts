import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../../packages/testing/service/api';
import { sendPing, type PingedEndpoint } from '../../packages/testing/service/heartbeats';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { encode } from './disk-recorder.cjs';
import type { Fact } from './recording';

const ROOT = join(__dirname, '../..');
const ENDPOINTS = 12;

/** The service as a process whose writes are recorded. */
class RecordedService {
  private readonly lines: AsyncIterator<string>;
  private api = new Api('', null);

  private constructor(private readonly child: ChildProcess) {
    if (child.stdout === null) throw new Error('the service has no output');
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  static async start(directory: string, log: string): Promise<RecordedService> {
    const words = ['-r', './scripts/typescript.cjs', 'test/power-cut/recorded-service.ts', directory];
    const child = spawn(process.execPath, words, {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        NODE_OPTIONS: `--require=${join(__dirname, 'disk-recorder.cjs')}`,
        POWER_CUT_ROOT: directory,
        POWER_CUT_LOG: log,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const service = new RecordedService(child);
    await service.greeting();
    return service;
  }

  get client(): Api {
    return this.api;
  }

  /** Sends a line to the program and returns its response. Only one line at a time. */
  async order(line: string): Promise<void> {
    this.child.stdin?.write(`${line}\n`);
    if (line === 'upgrade') await this.greeting();
    else await this.answer();
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.stdin?.end();
    await exit;
  }

  private async answer(): Promise<string> {
    const { value, done } = await this.lines.next();
    if (done === true) throw new Error('the recorded service has ended');
    return value;
  }

  private async greeting(): Promise<void> {
    const { url, key } = JSON.parse(await this.answer()) as { url: string; key: string };
    this.api = new Api(url, key);
  }
}

/** The names of websites and endpoints end with their number of changes. */
const named = (version: number): object => ({ name: `Shop, version ${version}` });

/** The part of a webhook's body that identifies its event. */
export interface Webhook {
  readonly data: { readonly event: { readonly id: string; readonly type: string; readonly incident_key: string } };
}

function eventOf(body: string): Fact {
  const { id, type, incident_key: incident } = (JSON.parse(body) as Webhook).data.event;
  return { fact: 'event', id, incident, type };
}

/**
 * Servers that endpoints and alerts use. They outlive the recorded run, for a service that starts on one of the
 * disks.
 */
export class Surroundings {
  private take: (fact: Fact) => void = () => {};

  private constructor(
    readonly target: SwitchableServer,
    readonly hook: SwitchableServer,
  ) {}

  static async start(): Promise<Surroundings> {
    const hook = await SwitchableServer.start(({ body }) => surroundings.take(eventOf(body)));
    const surroundings = new Surroundings(await SwitchableServer.start(), hook);
    return surroundings;
  }

  /** From now on, passes each event of a webhook to `take`. */
  onEvent(take: (fact: Fact) => void): void {
    this.take = take;
  }

  async close(): Promise<void> {
    await this.target.close();
    await this.hook.close();
  }
}

/** Clients of the service. They append every fact to the log as soon as they know it. */
class Clients {
  private readonly endpoints: string[] = [];
  private isOver = false;

  constructor(
    private readonly service: RecordedService,
    private readonly note: (fact: Fact) => void,
    private readonly surroundings: Surroundings,
  ) {}

  private get api(): Api {
    return this.service.client;
  }

  private async create(path: string, body: object): Promise<{ id: string }> {
    const { status, body: made, text } = await this.api.post<{ id: string }>(path, body);
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
    return made;
  }

  /** Creates endpoints that are checked every second, with an alert each, and a heartbeat. */
  async prepare(): Promise<PingedEndpoint & { readonly id: string }> {
    const website = await this.create('/websites', { url: 'https://shop.example.com', ...named(0) });
    this.note({ fact: 'website', id: website.id, version: 0 });
    for (let index = 0; index < ENDPOINTS; index++) {
      const url = `${this.surroundings.target.url}/${index}`;
      const { id } = await this.create(`/websites/${website.id}/endpoints`, {
        ...named(0),
        url,
        type: 'HTTP',
        interval: 1,
        timeout: 5,
      });
      this.note({ fact: 'endpoint', id, version: 0 });
      this.endpoints.push(id);
      const config = { url: `${this.surroundings.hook.url}/${index}` };
      await this.create('/alerts', {
        endpoint_id: id,
        type: 'webhook',
        config,
        failure_threshold: 1,
        success_threshold: 1,
      });
    }
    const heartbeat = await this.create(`/websites/${website.id}/endpoints`, {
      ...named(0),
      type: 'HEARTBEAT',
      heartbeat: { every: 60, grace: 60 },
    });
    return heartbeat as PingedEndpoint & { readonly id: string };
  }

  async work(
    seconds: number,
    heartbeat: PingedEndpoint & { readonly id: string },
    pings: { count: number },
  ): Promise<void> {
    this.isOver = false;
    const repeat = async (pauseMs: number, step: () => Promise<void>): Promise<void> => {
      while (!this.isOver) {
        await step();
        await delay(pauseMs);
      }
    };
    const ping = async (): Promise<void> => {
      const { status } = await sendPing(this.api.url, heartbeat, 'success', {});
      if (status === 200) this.note({ fact: 'pings', id: heartbeat.id, count: ++pings.count });
    };
    let turn = 0;
    const flip = async (): Promise<void> => {
      const key = String(turn++ % ENDPOINTS);
      this.surroundings.target.switch(key, Math.floor(turn / ENDPOINTS) % 2 === 0 ? 'error' : 'ok');
    };
    let order = 0;
    const maintain = (): Promise<void> =>
      this.service.order(['checkpoint', 'vacuum the hot tables', 'checkpoint', 'vacuum all'][order++ % 4] ?? '');
    setTimeout(() => (this.isOver = true), seconds * 1000);
    await Promise.all([
      repeat(0, () => this.writeWebsite()),
      repeat(0, () => this.writeWebsite()),
      repeat(20, () => this.renameEndpoint()),
      repeat(50, () => this.readChecks()),
      repeat(700, ping),
      repeat(150, flip),
      repeat(900, maintain),
    ]);
  }

  private async writeWebsite(): Promise<void> {
    const { id } = await this.create('/websites', { url: 'https://shop.example.com', ...named(0) });
    this.note({ fact: 'website', id, version: 0 });
    const { status } = await this.api.put(`/websites/${id}`, { url: 'https://shop.example.com', ...named(1) });
    if (status === 200) this.note({ fact: 'website', id, version: 1 });
    if (Math.random() < 0.5) return;
    this.note({ fact: 'deleting', id });
    if ((await this.api.delete(`/websites/${id}`)).status === 204) this.note({ fact: 'deleted', id });
  }

  private version = 0;

  private async renameEndpoint(): Promise<void> {
    const id = this.endpoints[this.version++ % this.endpoints.length] ?? '';
    const { version } = this;
    const index = this.endpoints.indexOf(id);
    const { status, text } = await this.api.put(`/endpoints/${id}`, {
      ...named(version),
      url: `${this.surroundings.target.url}/${index}`,
      type: 'HTTP',
      interval: 1,
      timeout: 5,
    });
    if (status !== 200) throw new Error(`PUT /endpoints/${id}: ${status} ${text}`);
    this.note({ fact: 'endpoint', id, version });
  }

  private async readChecks(): Promise<void> {
    for (const id of this.endpoints) {
      const { body } = await this.api.get<{ checked_at: string }[]>(`/endpoints/${id}/checks?limit=2`);
      for (const check of body) this.note({ fact: 'check', id, at: check.checked_at });
    }
  }
}

/**
 * Records a first start, a run with checks, API writes, alerts, checkpoints, and vacuums, a restart with a migration,
 * a similar run, and a clean stop.
 */
export async function record(
  surroundings: Surroundings,
  directory: string,
  log: string,
  seconds: number,
): Promise<void> {
  const file = openSync(log, 'a');
  const note = (fact: Fact): void => void writeSync(file, encode(fact));
  surroundings.onEvent(note);
  const service = await RecordedService.start(directory, log);
  try {
    const clients = new Clients(service, note, surroundings);
    const heartbeat = await clients.prepare();
    const pings = { count: 0 };
    await clients.work(seconds, heartbeat, pings);
    await service.order('upgrade');
    await clients.work(seconds / 2, heartbeat, pings);
    await service.order('stop');
  } finally {
    surroundings.onEvent(() => {});
    await service.end();
    closeSync(file);
  }
}
