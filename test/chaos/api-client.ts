import { setTimeout as delay } from 'node:timers/promises';
import { ExpectedState, type Listed, type Write } from './expected-state';
import { lineOf } from './commands';
import type { Fleet } from './fleet';
import type { FakeInternet } from './fake-internet';
import { childrenOf, type Fields, type Kind, type ShownState, type Model } from './model';

/** `refused`: no instance listened, so nothing happened. `unknown`: the connection was lost, the request may have taken effect. */
type CallResult = { status: number; body: unknown } | 'refused' | 'unknown';

const REQUEST_TIMEOUT_MS = 45_000;
const CONVERGE_LIMIT_MS = 60_000;
const CHECK_TIMEOUT_SECONDS = 3;

interface ApiRow {
  id: string;
  name: string;
  url: string;
  enabled: boolean;
  interval: number;
  status: string;
  last_checked_at: string | null;
  description: string;
  config: { url: string };
  triggered: boolean;
  failure_threshold: number;
  success_threshold: number;
}

/** Everything that the API lists. */
export interface Observation {
  listed: Listed[];
  shown: ShownState[];
  /** By endpoint, milliseconds since the epoch. */
  lastChecked: Map<string, number>;
}

/** Sends writes through the public API and tracks in an `ExpectedState` what each response promised. */
export class ApiClient {
  readonly broken: string[] = [];
  /** Alerts that a write deleted or disabled, or may have. */
  readonly stopped = new Set<string>();
  private readonly expected = new ExpectedState();
  private readonly idsByName = new Map<string, string>();
  private readonly parents = new Map<string, { kind: Kind; parent: string | null }>();
  private readonly queues = new Map<string, Promise<void>>();
  private calls = 0;

  constructor(
    private readonly fleet: Fleet,
    private readonly internet: FakeInternet,
    private readonly log: (text: string) => void,
  ) {}

  /** Queues a write behind the others of its website. */
  submit(write: Write, number: number): void {
    if (write.do === 'create') this.parents.set(write.name, { kind: write.kind, parent: write.parent });
    this.enqueue(write.name, async () => {
      const outcome = await this.write(write);
      if (outcome !== 'done') this.log(`      #${number} ${outcome}`);
    });
  }

  /**
   * Has an endpoint checked now. Only an unexpected status is a finding. A conflict is legitimate: the write that should have
   * enabled the endpoint may have failed, or an uncertain one may have disabled it.
   */
  checkNow(name: string, number: number): void {
    this.enqueue(name, async () => {
      const id = this.idsByName.get(name);
      const result = id === undefined ? 'refused' : await this.call('POST', `/endpoints/${id}/checks`);
      if (typeof result === 'string') this.log(`      #${number} ${result}`);
      else if (![201, 404, 409, 503].includes(result.status)) this.reportUnexpected(`check now ${name}`, result);
    });
  }

  /** Waits for everything that was submitted. */
  async finish(): Promise<void> {
    await Promise.all(this.queues.values());
  }

  /** Everything that the API lists; throws while a request fails. */
  async observe(): Promise<Observation> {
    const observation: Observation = { listed: [], shown: [], lastChecked: new Map() };
    const list = (kind: Kind, name: string, id: string, fields: Fields) => {
      this.idsByName.set(name, id);
      observation.listed.push({ kind, name, fields });
    };
    for (const { id, name, enabled } of await this.get('/websites')) {
      list('website', name, id, { enabled });
      for (const row of await this.get(`/websites/${id}/endpoints`)) {
        const { interval, status, last_checked_at: at } = row;
        list('endpoint', row.name, row.id, {
          enabled: row.enabled,
          interval,
          path: this.internet.targetPath(row.url),
        });
        observation.shown.push({ name: row.name, status });
        observation.lastChecked.set(row.name, at === null ? 0 : Date.parse(at));
      }
    }
    for (const row of await this.get('/alerts')) {
      const { enabled, failure_threshold, success_threshold, triggered } = row;
      const channel = this.internet.channelOf(row.config.url);
      list('alert', row.description, row.id, { enabled, channel, failure_threshold, success_threshold });
      observation.shown.push({ name: row.description, triggered });
    }
    return observation;
  }

  /** Deliveries that are neither delivered nor given up, by the service's own metric. */
  async pendingDeliveries(): Promise<number> {
    const [service] = this.fleet.running;
    if (!service) throw new Error('no instance listens');
    const text = await fetch(`${service.url}/metrics`).then((response) => response.text());
    const [, count] = /^uptime_deliveries_pending (\d+)/m.exec(text) ?? [];
    if (count === undefined) throw new Error('the metrics have no count of pending deliveries');
    return Number(count);
  }

  /** Compares the service with the expected state, then writes until it matches the model. Every instance must be healthy. */
  async converge(model: Model): Promise<void> {
    await this.reconcile();
    for (const write of await this.writesTowards(model)) {
      const until = Date.now() + CONVERGE_LIMIT_MS;
      while ((await this.write(write)) !== 'done') {
        if (Date.now() > until) throw new Error(`the service is healthy and refuses: ${lineOf(write)}`);
        await delay(500);
        await this.reconcile();
        if ((await this.writesTowards(model)).every(({ name }) => name !== write.name)) break;
      }
    }
  }

  private async reconcile(): Promise<void> {
    this.broken.push(...this.expected.reconcile((await this.observeWithRetry()).listed));
  }

  /** A request may meet a connection that was cut before, or a busy machine's 503; a healthy service soon responds. */
  private async observeWithRetry(): Promise<Observation> {
    const until = Date.now() + CONVERGE_LIMIT_MS;
    for (;;) {
      try {
        return await this.observe();
      } catch (error) {
        if (Date.now() > until) throw error;
        await delay(500);
      }
    }
  }

  /** The writes that turn what exists into what the model has, parents first. */
  private async writesTowards(model: Model): Promise<Write[]> {
    const { listed } = await this.observeWithRetry();
    const present = new Map(listed.map((resource) => [resource.name, resource]));
    const writes: Write[] = listed
      .filter(({ name }) => !model.resources.has(name))
      .map(({ kind, name }) => ({ do: 'delete', kind, name }));
    for (const { kind, name, parent, fields } of model.resources.values()) {
      const existing = present.get(name);
      if (!existing) {
        this.parents.set(name, { kind, parent });
        writes.push({ do: 'create', kind, name, parent, fields });
        continue;
      }
      const wrong = Object.entries(fields).filter(([field, value]) => existing.fields[field] !== value);
      if (wrong.length > 0) writes.push({ do: 'update', kind, name, fields: Object.fromEntries(wrong) });
    }
    return writes;
  }

  private enqueue(name: string, work: () => Promise<void>): void {
    const root = this.rootOf(name);
    const before = this.queues.get(root) ?? Promise.resolve();
    this.queues.set(
      root,
      before.then(work).catch((error: unknown) => void this.broken.push(`the client failed: ${String(error)}`)),
    );
  }

  private rootOf(name: string): string {
    const parent = this.parents.get(name)?.parent ?? null;
    return parent === null ? name : this.rootOf(parent);
  }

  /** `done`, or the reason why not. */
  private async write(write: Write): Promise<string> {
    const request = this.requestOf(write);
    if (!request) return 'skipped: not known to exist';
    if (write.do === 'delete' || write.fields['enabled'] === false) this.markStopped(write.name);
    const result = await this.call(...request);
    if (result === 'refused') return result;
    if (result === 'unknown' || result.status === 503) {
      this.expected.markUncertain(write);
      return result === 'unknown' ? 'ambiguous: the connection was lost' : 'ambiguous: 503';
    }
    if (result.status >= 200 && result.status < 300) {
      this.expected.acknowledge(write);
      if (write.do === 'create') this.idsByName.set(write.name, (result.body as ApiRow).id);
      return 'done';
    }
    const subject = write.do === 'create' && write.parent !== null ? write.parent : write.name;
    if (result.status === 404 && !this.expected.has(subject)) return write.do === 'delete' ? 'done' : 'skipped: 404';
    this.reportUnexpected(lineOf(write), result);
    return `${result.status}`;
  }

  private requestOf(write: Write): [method: string, path: string, body?: object] | null {
    const id = this.idsByName.get(write.name);
    if (write.do !== 'create') {
      if (id === undefined) return null;
      const path = `/${write.kind}s/${id}`;
      return write.do === 'delete' ? ['DELETE', path] : ['PUT', path, this.bodyOf(write.kind, write.fields)];
    }
    const parentId = write.parent === null ? undefined : this.idsByName.get(write.parent);
    if (write.parent !== null && parentId === undefined) return null;
    const body = this.bodyOf(write.kind, write.fields);
    switch (write.kind) {
      case 'website':
        return ['POST', '/websites', { name: write.name, url: 'https://shop.example.com', ...body }];
      case 'endpoint': {
        const fixed = { name: write.name, type: 'HTTP', timeout: CHECK_TIMEOUT_SECONDS };
        return ['POST', `/websites/${parentId}/endpoints`, { ...fixed, ...body }];
      }
      case 'alert':
        return ['POST', '/alerts', { endpoint_id: parentId, type: 'webhook', description: write.name, ...body }];
      default:
        return write.kind satisfies never;
    }
  }

  private bodyOf(kind: Kind, { path, channel, ...fields }: Fields): object {
    if (kind === 'endpoint' && path !== undefined) return { ...fields, url: this.internet.targetUrl(String(path)) };
    if (kind === 'alert' && channel !== undefined)
      return { ...fields, config: { url: this.internet.hookUrl(Number(channel)) } };
    return fields;
  }

  private markStopped(name: string): void {
    if (this.parents.get(name)?.kind === 'alert') this.stopped.add(name);
    for (const child of childrenOf(this.parents, name)) this.markStopped(child);
  }

  private reportUnexpected(what: string, { status, body }: { status: number; body: unknown }): void {
    this.broken.push(`${what} returned ${status}: ${JSON.stringify(body)}`);
  }

  private async get(path: string): Promise<ApiRow[]> {
    const result = await this.call('GET', path);
    if (typeof result !== 'string' && result.status >= 500 && result.status !== 503)
      this.reportUnexpected(`GET ${path}`, result);
    if (typeof result === 'string' || result.status !== 200)
      throw new Error(`GET ${path}: ${typeof result === 'string' ? result : result.status}`);
    return result.body as ApiRow[];
  }

  /** Round robin over the instances. */
  private async call(method: string, path: string, body?: object): Promise<CallResult> {
    const { running } = this.fleet;
    const service = running[this.calls++ % Math.max(1, running.length)];
    if (!service) return 'refused';
    try {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${service.api.key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    } catch (error) {
      return isRefusal(error) ? 'refused' : 'unknown';
    }
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED';
