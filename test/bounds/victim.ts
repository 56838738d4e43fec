import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, send, VICTIM } from './client';

const ENDPOINTS = 50;
const INTERVAL_SECONDS = 5;
/** The endpoint that will break is checked more often, so that the test is short. */
const BROKEN_INTERVAL_SECONDS = 2;
const READS_PER_SECOND = 5;

export type Breakage = 'status' | 'silence';

/**
 * The organization that must not be affected. It has 50 endpoints every 5 s, an alert on another one, and a user who
 * reads its list five times a second. Everything is measured from outside, by its web server, its webhook, and its
 * reader.
 */
export class Victim {
  /** Maps each path to the times of its requests, in monotonic milliseconds. */
  private readonly asked = new Map<string, number[]>();
  private readonly readMs: number[] = [];
  private failedReads = 0;
  private alertedAt: number | null = null;
  private breakage: Breakage | null = null;
  private website = '';

  private constructor(
    private readonly service: string,
    private readonly key: string | null,
    private readonly server: Server,
  ) {}

  /** `host` is the name under which its server is monitored. `key` is null with AUTH=off. */
  static async settle(service: string, key: string | null, host = '127.0.0.1'): Promise<Victim> {
    const server = createServer((request, response) => victim.respond(request, response));
    const victim: Victim = new Victim(service, key, server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const target = `http://${host}:${(server.address() as AddressInfo).port}`;
    victim.website = await victim.create('/websites', { name: 'Victim', url: 'https://victim.example.com' });
    const path = `/websites/${victim.website}/endpoints`;
    const common = { type: 'HTTP', interval: INTERVAL_SECONDS, timeout: 4 };
    for (let index = 0; index < ENDPOINTS; index++)
      await victim.create(path, { ...common, name: `Endpoint ${index}`, url: `${target}/kept/${index}` });
    const breaking = { ...common, name: 'Breaks', url: `${target}/breaks`, interval: BROKEN_INTERVAL_SECONDS };
    const endpoint = await victim.create(path, breaking);
    await victim.create('/alerts', {
      endpoint_id: endpoint,
      type: 'webhook',
      config: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerted` },
      failure_threshold: 2,
    });
    return victim;
  }

  get apiKey(): string {
    return this.key ?? '';
  }

  get websiteId(): string {
    return this.website;
  }

  break(how: Breakage): void {
    this.breakage = how;
  }

  get isAlerted(): boolean {
    return this.alertedAt !== null;
  }

  /** True once each endpoint has been requested. */
  get isWatched(): boolean {
    return this.asked.size > ENDPOINTS;
  }

  /** Returns the milliseconds from `since` to the alert, or `null` without an alert. */
  alertedAfter(since: number): number | null {
    return this.alertedAt === null ? null : this.alertedAt - since;
  }

  /** Returns the slots between the two moments that its server has not seen, and how many there were. */
  slots(from: number, to: number): { missed: number; due: number } {
    const intervalMs = INTERVAL_SECONDS * 1000;
    let missed = 0;
    for (let index = 0; index < ENDPOINTS; index++) {
      const times = this.asked.get(`/kept/${index}`) ?? [];
      const inside = times.filter((at) => at > from && at <= to);
      const before = times.filter((at) => at <= from).at(-1) ?? from;
      let previous = before;
      for (const at of [...inside, to]) {
        // A slot may be late by half an interval.
        missed += Math.max(0, Math.floor((at - previous) / intervalMs - 0.5));
        previous = at;
      }
    }
    return { missed, due: Math.floor((ENDPOINTS * (to - from)) / intervalMs) };
  }

  startReading(): { stop(): void } {
    const timer = setInterval(() => {
      const path = `/api/v1/websites/${this.website}/endpoints?limit=20`;
      void send(this.service, 'GET', path, { key: this.key, from: VICTIM }).then(({ status, ms }) => {
        this.readMs.push(ms);
        if (status !== 200) this.failedReads++;
      });
    }, 1000 / READS_PER_SECOND);
    return { stop: () => clearInterval(timer) };
  }

  reads(): { p50: number; p99: number; failed: number } {
    const sorted = [...this.readMs].sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    return { p50: at(0.5), p99: at(0.99), failed: this.failedReads };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async create(path: string, body: object): Promise<string> {
    const id = await create(this.service, this.key ?? '', path, body);
    if (id === null) throw new Error(`the victim could not be set up: ${path}`);
    return id;
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    const times = this.asked.get(path);
    if (times) times.push(performance.now());
    else this.asked.set(path, [performance.now()]);
    if (path === '/alerted') this.alertedAt ??= performance.now();
    if (path === '/breaks' && this.breakage === 'silence') return;
    response.statusCode = path === '/breaks' && this.breakage === 'status' ? 500 : 200;
    response.end('fine');
  }
}
