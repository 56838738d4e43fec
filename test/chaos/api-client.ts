import { setTimeout as delay } from 'node:timers/promises';
import { ExpectedState, type Listed, type Write } from './expected-state';
import { lineOf } from './commands';
import type { Fleet } from './fleet';
import type { FakeInternet } from './fake-internet';
import { childrenOf, type Fields, type Kind, type Shown, type Model } from './model';

/** `refused`: nobody listened, so nothing happened. `unknown`: the line was cut, anything may have happened. */
type Answer = { status: number; body: unknown } | 'refused' | 'unknown';

const CALL_LIMIT_MS = 45_000;
const REPAIR_LIMIT_MS = 60_000;
const CHECK_TIMEOUT_SECONDS = 3;

interface Row {
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

/** What the service shows, as a whole. */
export interface Seen {
  listed: Listed[];
  shown: Shown[];
  /** By endpoint, milliseconds since the epoch. */
  lastChecked: Map<string, number>;
}

/** The client: carries out writes through the public API and keeps the books about them. */
export class ApiClient {
  readonly broken: string[] = [];
  /** Alerts that a write has ended or switched off, or may have. */
  readonly stopped = new Set<string>();
  private readonly books = new ExpectedState();
  private readonly ids = new Map<string, string>();
  private readonly family = new Map<string, { kind: Kind; parent: string | null }>();
  private readonly lines = new Map<string, Promise<void>>();
  private calls = 0;

  constructor(
    private readonly fleet: Fleet,
    private readonly outside: FakeInternet,
    private readonly note: (text: string) => void,
  ) {}

  /** Queues a write behind the others of its website. */
  submit(write: Write, number: number): void {
    if (write.do === 'create') this.family.set(write.name, { kind: write.kind, parent: write.parent });
    this.queue(write.name, async () => {
      const outcome = await this.write(write);
      if (outcome !== 'done') this.note(`      #${number} ${outcome}`);
    });
  }

  /**
   * Has an endpoint checked now. Whether that works says nothing; a 500 does. A conflict is right where a write that should
   * have enabled it met a service that was away, or one of unknown end took effect meanwhile.
   */
  checkNow(name: string, number: number): void {
    this.queue(name, async () => {
      const id = this.ids.get(name);
      const answer = id === undefined ? 'refused' : await this.call('POST', `/endpoints/${id}/checks`);
      if (typeof answer === 'string') this.note(`      #${number} ${answer}`);
      else if (![201, 404, 409, 503].includes(answer.status)) this.expose(`check now ${name}`, answer);
    });
  }

  /** Waits for everything that was submitted. */
  async finish(): Promise<void> {
    await Promise.all(this.lines.values());
  }

  /** Everything as the API shows it; throws while it does not answer. */
  async look(): Promise<Seen> {
    const seen: Seen = { listed: [], shown: [], lastChecked: new Map() };
    const list = (kind: Kind, name: string, id: string, fields: Fields) => {
      this.ids.set(name, id);
      seen.listed.push({ kind, name, fields });
    };
    for (const { id, name, enabled } of await this.get('/websites')) {
      list('website', name, id, { enabled });
      for (const row of await this.get(`/websites/${id}/endpoints`)) {
        const { interval, status, last_checked_at: at } = row;
        list('endpoint', row.name, row.id, {
          enabled: row.enabled,
          interval,
          path: this.outside.targetPath(row.url),
        });
        seen.shown.push({ name: row.name, status });
        seen.lastChecked.set(row.name, at === null ? 0 : Date.parse(at));
      }
    }
    for (const row of await this.get('/alerts')) {
      const { enabled, failure_threshold, success_threshold, triggered } = row;
      const channel = this.outside.channelOf(row.config.url);
      list('alert', row.description, row.id, { enabled, channel, failure_threshold, success_threshold });
      seen.shown.push({ name: row.description, triggered });
    }
    return seen;
  }

  /** Messages that are neither told nor given up, by the service's own count. */
  async owed(): Promise<number> {
    const [service] = this.fleet.running;
    if (!service) throw new Error('no instance listens');
    const text = await fetch(`${service.url}/metrics`).then((response) => response.text());
    const [, count] = /^uptime_deliveries_pending (\d+)/m.exec(text) ?? [];
    if (count === undefined) throw new Error('the metrics do not tell what is owed');
    return Number(count);
  }

  /** Compares the books with what the service shows, then makes it what the plan says. Every instance is well. */
  async settle(world: Model): Promise<void> {
    await this.believe();
    for (const write of await this.missing(world)) {
      const until = Date.now() + REPAIR_LIMIT_MS;
      while ((await this.write(write)) !== 'done') {
        if (Date.now() > until) throw new Error(`the service is well and does not ${lineOf(write)}`);
        await delay(500);
        await this.believe();
        if ((await this.missing(world)).every(({ name }) => name !== write.name)) break;
      }
    }
  }

  private async believe(): Promise<void> {
    this.broken.push(...this.books.reconcile((await this.lookPatiently()).listed));
  }

  /** One request may meet a line that was cut before, or a busy machine's 503; a service that is well answers soon. */
  private async lookPatiently(): Promise<Seen> {
    const until = Date.now() + REPAIR_LIMIT_MS;
    for (;;) {
      try {
        return await this.look();
      } catch (error) {
        if (Date.now() > until) throw error;
        await delay(500);
      }
    }
  }

  /** Writes that make what there is the same as what is planned, parents first. */
  private async missing(world: Model): Promise<Write[]> {
    const { listed } = await this.lookPatiently();
    const present = new Map(listed.map((resource) => [resource.name, resource]));
    const writes: Write[] = listed
      .filter(({ name }) => !world.resources.has(name))
      .map(({ kind, name }) => ({ do: 'delete', kind, name }));
    for (const { kind, name, parent, fields } of world.resources.values()) {
      const there = present.get(name);
      if (!there) {
        this.family.set(name, { kind, parent });
        writes.push({ do: 'create', kind, name, parent, fields });
        continue;
      }
      const wrong = Object.entries(fields).filter(([field, value]) => there.fields[field] !== value);
      if (wrong.length > 0) writes.push({ do: 'update', kind, name, fields: Object.fromEntries(wrong) });
    }
    return writes;
  }

  private queue(name: string, work: () => Promise<void>): void {
    const root = this.rootOf(name);
    const before = this.lines.get(root) ?? Promise.resolve();
    this.lines.set(
      root,
      before.then(work).catch((error: unknown) => void this.broken.push(`the client failed: ${String(error)}`)),
    );
  }

  private rootOf(name: string): string {
    const parent = this.family.get(name)?.parent ?? null;
    return parent === null ? name : this.rootOf(parent);
  }

  /** `done`, or why not. */
  private async write(write: Write): Promise<string> {
    const request = this.requestOf(write);
    if (!request) return 'skipped: it is not known to be there';
    if (write.do === 'delete' || write.fields['enabled'] === false) this.stop(write.name);
    const answer = await this.call(...request);
    if (answer === 'refused') return answer;
    if (answer === 'unknown' || answer.status === 503) {
      this.books.doubt(write);
      return answer === 'unknown' ? 'ambiguous: the line was cut' : 'ambiguous: 503';
    }
    if (answer.status >= 200 && answer.status < 300) {
      this.books.acknowledge(write);
      if (write.do === 'create') this.ids.set(write.name, (answer.body as Row).id);
      return 'done';
    }
    const subject = write.do === 'create' && write.parent !== null ? write.parent : write.name;
    if (answer.status === 404 && !this.books.has(subject)) return write.do === 'delete' ? 'done' : 'skipped: 404';
    this.expose(lineOf(write), answer);
    return `${answer.status}`;
  }

  private requestOf(write: Write): [method: string, path: string, body?: object] | null {
    const id = this.ids.get(write.name);
    if (write.do !== 'create') {
      if (id === undefined) return null;
      const path = `/${write.kind}s/${id}`;
      return write.do === 'delete' ? ['DELETE', path] : ['PUT', path, this.bodyOf(write.kind, write.fields)];
    }
    const parentId = write.parent === null ? undefined : this.ids.get(write.parent);
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
    if (kind === 'endpoint' && path !== undefined) return { ...fields, url: this.outside.targetUrl(String(path)) };
    if (kind === 'alert' && channel !== undefined)
      return { ...fields, config: { url: this.outside.hookUrl(Number(channel)) } };
    return fields;
  }

  private stop(name: string): void {
    if (this.family.get(name)?.kind === 'alert') this.stopped.add(name);
    for (const child of childrenOf(this.family, name)) this.stop(child);
  }

  private expose(what: string, { status, body }: { status: number; body: unknown }): void {
    this.broken.push(`${what} was answered with ${status}: ${JSON.stringify(body)}`);
  }

  private async get(path: string): Promise<Row[]> {
    const answer = await this.call('GET', path);
    if (typeof answer !== 'string' && answer.status >= 500 && answer.status !== 503) this.expose(`GET ${path}`, answer);
    if (typeof answer === 'string' || answer.status !== 200)
      throw new Error(`GET ${path}: ${typeof answer === 'string' ? answer : answer.status}`);
    return answer.body as Row[];
  }

  /** The instances take turns. */
  private async call(method: string, path: string, body?: object): Promise<Answer> {
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
        signal: AbortSignal.timeout(CALL_LIMIT_MS),
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
