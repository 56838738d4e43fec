import { setTimeout as delay } from 'node:timers/promises';
import { type IncidentAct, lineOf, type ProbeChange, PROBES } from './commands';
import { Disturbances } from './disturbances';
import { ANYTHING, ExpectedState, type Listed, type Write } from './expected-state';
import type { FakeInternet } from './fake-internet';
import type { Fleet } from './fleet';
import { childrenOf, type Fields, type Kind, type Model, type ShownState } from './model';
import { type DisabledSpan, overlap, type QuietSpan, type Span } from './history';
import { JOBS } from './jobs';
import type { Probes } from './probes';
import { Requests, type WebhookConfig } from './requests';

/**
 * `refused`: no instance listened, so nothing happened. `unknown`: the connection was lost, and the request may have
 * taken effect.
 */
type CallResult = { status: number; body: unknown } | 'refused' | 'unknown';

const REQUEST_TIMEOUT_MS = 45_000;
const CONVERGE_LIMIT_MS = 60_000;

interface ApiRow {
  id: string;
  name: string;
  url: string;
  enabled: boolean;
  interval: number;
  status: string;
  acknowledgement: object | null;
  endpoint_id: string;
  last_checked_at: string | null;
  locations: string[];
  by_location: { last_checked_at: string | null }[] | null;
  token: string;
  type: string;
  description: string;
  contact_id: string | null;
  config: WebhookConfig;
  triggered: boolean;
  failure_threshold: number;
  success_threshold: number;
  after: number;
  remind_every: number | null;
}

/** The route of an alert's messages, as the alert shows it. `via` is its contact, or empty for none. */
export interface ShownRoute {
  via: string;
  channel: number;
  rotation: number;
}

/** Everything that the API lists. */
export interface Observation {
  listed: Listed[];
  shown: ShownState[];
  /** By endpoint, in milliseconds since the epoch: when the last of its locations checked it. */
  lastChecked: Map<string, number>;
  /** By alert. */
  routes: Map<string, ShownRoute>;
}

/** Sends writes through the public API and tracks the promise of each response in an `ExpectedState`. */
export class ApiClient {
  readonly broken: string[] = [];
  /** Alerts that a write deleted or disabled, or may have. */
  readonly stopped = new Set<string>();
  /** Writes that stopped alerts, or changed the destination of alerts or contacts. They may end episodes. */
  readonly endings = new Disturbances();
  /** All writes that changed the route of an alert or a contact, including credentials. */
  readonly routeWrites = new Disturbances();
  readonly reminderEdits = new Set<string>();
  readonly quiet: QuietSpan[] = [];
  /** When an incident may have been acknowledged. */
  readonly incidentsInHand: Span[] = [];
  readonly disabled: DisabledSpan[] = [];
  readonly requests: Requests;
  private readonly expected = new ExpectedState();
  private readonly parents = new Map<string, { kind: Kind; parent: string | null }>();
  private readonly queues = new Map<string, Promise<void>>();
  /** Contacts that a write deleted, or may have. */
  private readonly leaving = new Set<string>();
  private readonly acknowledged = new Set<string>();
  /** The numbers of probes whose newest token may not have reached the test. */
  private readonly unheard = new Set<number>();
  private calls = 0;
  /** How often each action was taken on an incident. */
  readonly incidentActs = new Map<IncidentAct, number>();

  constructor(
    private readonly fleet: Fleet,
    private readonly internet: FakeInternet,
    private readonly probes: Probes,
    private readonly log: (text: string) => void,
  ) {
    this.requests = new Requests(internet);
  }

  /** Queues a write after the others of its website or contact. */
  submit(write: Write, number: number): void {
    if (write.do === 'create') this.parents.set(write.name, { kind: write.kind, parent: write.parent });
    this.enqueue(write.name, async () => {
      const outcome = await this.write(write);
      if (outcome !== 'done') this.log(`      #${number} ${outcome}`);
    });
  }

  /**
   * Checks an endpoint on demand. Only an unexpected status is a finding. A conflict is legitimate: the write that
   * should have enabled the endpoint may have failed, or an uncertain write may have disabled it.
   */
  checkNow(name: string, number: number): void {
    this.tell(name, number, 'check now', 'POST', (id) => `/endpoints/${id}/checks`);
  }

  /** Acknowledges an endpoint until `converge`. A conflict is legitimate, because the endpoint may be up. */
  acknowledge(name: string, number: number): void {
    this.tell(
      name,
      number,
      'acknowledge',
      'PUT',
      (id) => `/endpoints/${id}/acknowledgement`,
      (result) => {
        this.acknowledged.add(name);
        const isCertain = typeof result !== 'string' && result.status === 200;
        if (isCertain) this.quiet.push({ endpoint: name, from: Date.now(), to: Number.POSITIVE_INFINITY });
      },
    );
  }

  /**
   * Acts on an open incident with any endpoints. Conflicts are legitimate: it may be over, merged, or have a single
   * endpoint.
   */
  actOnIncident(how: IncidentAct, which: number, number: number): void {
    this.enqueue('incidents', async () => {
      const open = await this.openIncidents();
      const incident = open[which % open.length];
      if (!incident) return this.log(`      #${number} skipped: nothing is known to be open`);
      const [id, other] = [incident.id, open[(which + 1) % open.length]?.id ?? ''];
      // A retry may see the effect of a first try whose response was lost.
      if (how === 'is taken in hand') this.incidentsInHand.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
      const members = how === 'is split' ? await this.get(`/incidents/${id}/endpoints`).catch(() => []) : [];
      const requests: Readonly<Record<IncidentAct, [method: string, path: string, body?: object]>> = {
        'is taken in hand': ['PUT', 'acknowledgement', {}],
        'is given back': ['DELETE', 'acknowledgement'],
        'is merged': ['POST', 'merge', { incident_ids: [other] }],
        'is split': ['POST', 'split', { endpoint_ids: members.slice(0, 1).map(({ endpoint_id }) => endpoint_id) }],
        'is told of': ['POST', 'updates', { text: `Number ${number}.`, public: true }],
      };
      const [method, path, body] = requests[how];
      const result = await this.call(method, `/incidents/${id}/${path}`, body);
      if (typeof result === 'string') return this.log(`      #${number} ${result}`);
      if (result.status < 300) this.incidentActs.set(how, (this.incidentActs.get(how) ?? 0) + 1);
      else if (![404, 409, 503].includes(result.status) && !(how === 'is split' && members.length === 0))
        this.reportUnexpected(`incident ${how}`, result);
    });
  }

  /** Gives an alert a copy of the current config of its contact. */
  detach(name: string, number: number): void {
    this.enqueue(name, async () => {
      const id = this.requests.idOf(name);
      if (id === undefined) return;
      const end = this.routeWrites.begin([name]);
      const result = await this.call('PUT', `/alerts/${id}`, { contact_id: null });
      const wasAnswered = typeof result !== 'string' && result.status !== 503;
      end(wasAnswered ? 'certain' : 'ambiguous');
      const detached = (route: Fields): Write => ({ do: 'update', kind: 'alert', name, fields: { via: '', ...route } });
      if (result === 'refused') this.log(`      #${number} ${result}`);
      else if (!wasAnswered) this.expected.markUncertain(detached({ channel: ANYTHING, rotation: ANYTHING }));
      else if (result.status === 200)
        this.expected.acknowledge(detached({ ...this.requests.routeIn((result.body as ApiRow).config) }));
      else if (result.status !== 404 || this.expected.has(name)) this.reportUnexpected(`detach ${name}`, result);
    });
  }

  /** Changes a probe in the service. The probe continues with its new token. */
  changeProbe(how: ProbeChange, probe: number, number: number): void {
    this.enqueue(`probe ${PROBES[probe]}`, async () => {
      const result = await (how === 'is rotated' ? this.rotate(probe) : this.enable(probe, how === 'is enabled'));
      if (typeof result === 'string') this.log(`      #${number} ${result}`);
      else if (![200, 503].includes(result.status)) this.reportUnexpected(`probe ${how}`, result);
    });
  }

  async finish(): Promise<void> {
    await Promise.all(this.queues.values());
  }

  /** Returns everything that the API lists. Throws while a request fails. */
  async observe(): Promise<Observation> {
    const observation: Observation = { listed: [], shown: [], lastChecked: new Map(), routes: new Map() };
    const list = (kind: Kind, name: string, id: string, fields: Fields) => {
      this.requests.learn(name, id);
      observation.listed.push({ kind, name, fields });
    };
    for (const { id, name, config } of await this.get('/contacts'))
      list('contact', name, id, this.requests.routeIn(config));
    const websites = (await this.get('/websites')).filter(({ name }) => name !== JOBS);
    for (const { id, name, enabled } of websites) {
      list('website', name, id, { enabled });
      for (const row of await this.get(`/websites/${id}/endpoints`)) {
        const { interval, status, last_checked_at: at } = row;
        list('endpoint', row.name, row.id, {
          enabled: row.enabled,
          interval,
          path: this.internet.targetPath(row.url),
          locations: row.locations.join(),
        });
        observation.shown.push({ name: row.name, status });
        const looks = row.by_location?.map((one) => one.last_checked_at) ?? [at];
        observation.lastChecked.set(row.name, Math.min(...looks.map((look) => (look === null ? 0 : Date.parse(look)))));
      }
    }
    for (const row of await this.get('/alerts')) {
      const { enabled, failure_threshold, success_threshold, after, triggered } = row;
      const via = row.contact_id === null ? '' : this.requests.nameOf(row.contact_id);
      const rule = { enabled, failure_threshold, success_threshold, after, reminds: row.remind_every !== null, via };
      observation.shown.push({ name: row.description, triggered });
      if (row.type === 'pagerduty') {
        list('alert', row.description, row.id, { ...rule, pager: true });
        continue;
      }
      const route = this.requests.routeIn(row.config);
      list('alert', row.description, row.id, via === '' ? { ...rule, ...route } : rule);
      observation.routes.set(row.description, { via, ...route });
    }
    return observation;
  }

  /** Returns the deliveries that are neither delivered nor given up, from the service's metric. */
  async pendingDeliveries(): Promise<number> {
    const [service] = this.fleet.running;
    if (!service) throw new Error('no instance listens');
    const text = await fetch(`${service.url}/metrics`).then((response) => response.text());
    const [, count] = /^uptime_deliveries_pending (\d+)/m.exec(text) ?? [];
    if (count === undefined) throw new Error('the metrics have no count of pending deliveries');
    return Number(count);
  }

  /**
   * Compares the service with the expected state, then writes until it matches the model and nothing is acknowledged
   * anymore. Every instance must be healthy.
   */
  async converge(model: Model): Promise<void> {
    await this.restoreProbes();
    await this.giveIncidentsBack();
    await this.takeBackAcknowledgements();
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

  private async rotate(probe: number): Promise<CallResult> {
    const result = await this.call('POST', `/probes/${this.probes.idOf(probe)}/rotate`, {});
    if (typeof result !== 'string' && result.status === 200) {
      this.probes.giveToken(probe, (result.body as ApiRow).token);
      this.unheard.delete(probe);
    } else if (result !== 'refused') this.unheard.add(probe);
    return result;
  }

  private async enable(probe: number, enabled: boolean): Promise<CallResult> {
    if (!enabled) this.disabled.push({ probe, from: Date.now(), to: Number.POSITIVE_INFINITY });
    const result = await this.call('PUT', `/probes/${this.probes.idOf(probe)}`, { enabled });
    if (enabled && typeof result !== 'string' && result.status === 200)
      for (const span of this.disabled) if (span.probe === probe) span.to = Math.min(span.to, Date.now());
    return result;
  }

  /** Enables all probes and gives them their tokens. */
  private async restoreProbes(): Promise<void> {
    for (const probe of PROBES.keys()) {
      const isDone = (result: CallResult) => typeof result !== 'string' && result.status === 200;
      const until = Date.now() + CONVERGE_LIMIT_MS;
      while (
        !isDone(await this.enable(probe, true)) ||
        (this.unheard.has(probe) && !isDone(await this.rotate(probe)))
      ) {
        if (Date.now() > until) throw new Error(`the service is healthy and refuses to change ${PROBES[probe]}`);
        await delay(500);
      }
    }
    await this.probes.recover();
  }

  private async openIncidents(): Promise<ApiRow[]> {
    return this.get('/incidents?state=open&kind=detected').catch(() => []);
  }

  /**
   * Endpoints of a merged incident keep its acknowledgement, so this also removes the acknowledgements of endpoints.
   */
  private async giveIncidentsBack(): Promise<void> {
    if (this.incidentsInHand.length === 0) return;
    const until = Date.now() + CONVERGE_LIMIT_MS;
    for (let inHand: ApiRow[] | null = null; inHand?.length !== 0; await delay(inHand?.length === 0 ? 0 : 500)) {
      inHand = await this.get('/incidents?state=open&kind=detected')
        .then((open) => open.filter(({ acknowledgement }) => acknowledgement !== null))
        .catch(() => null);
      for (const { id } of inHand ?? []) await this.call('DELETE', `/incidents/${id}/acknowledgement`);
      if (Date.now() > until) throw new Error('the service is healthy and keeps incidents in hand');
    }
    for (const { name } of (await this.observeWithRetry()).listed.filter(({ kind }) => kind === 'endpoint'))
      this.acknowledged.add(name);
    for (const span of this.incidentsInHand) span.to = Math.min(span.to, Date.now());
  }

  private async takeBackAcknowledgements(): Promise<void> {
    for (const name of this.acknowledged) {
      for (const span of this.quiet) if (span.endpoint === name) span.to = Math.min(span.to, Date.now());
      const until = Date.now() + CONVERGE_LIMIT_MS;
      for (let isOver = false; !isOver; await delay(isOver ? 0 : 500)) {
        const result = await this.call('DELETE', `/endpoints/${this.requests.idOf(name)}/acknowledgement`);
        isOver = typeof result !== 'string' && [204, 404].includes(result.status);
        if (Date.now() > until) throw new Error(`the service is healthy and keeps ${name} acknowledged`);
      }
    }
    this.acknowledged.clear();
  }

  private async reconcile(): Promise<void> {
    const { listed, routes } = await this.observeWithRetry();
    this.broken.push(...this.expected.reconcile(listed));
    const contacts = new Map(listed.map(({ name, fields }) => [name, fields]));
    for (const [alert, { via, channel, rotation }] of routes) {
      const contact = via === '' ? null : contacts.get(via);
      if (contact === null || (contact?.['channel'] === channel && contact['rotation'] === rotation)) continue;
      this.broken.push(`alert ${alert} shows channel ${channel}, rotation ${rotation}: not those of contact ${via}`);
    }
  }

  /** A request may use a connection that was cut, or get a 503 of a busy machine. A healthy service responds soon. */
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

  /** Returns the writes that turn the current state into the model: parents first, deletions of contacts last. */
  private async writesTowards(model: Model): Promise<Write[]> {
    const { listed } = await this.observeWithRetry();
    const present = new Map(listed.map((resource) => [resource.name, resource]));
    const deletions = listed
      .filter(({ name }) => !model.resources.has(name))
      .map(({ kind, name }): Write => ({ do: 'delete', kind, name }));
    const writes = deletions.filter(({ kind }) => kind !== 'contact');
    const wanted = [...model.of('contact'), ...[...model.resources.values()].filter(({ kind }) => kind !== 'contact')];
    for (const { kind, name, parent, fields } of wanted) {
      const existing = present.get(name);
      if (!existing) {
        this.parents.set(name, { kind, parent });
        writes.push({ do: 'create', kind, name, parent, fields });
        continue;
      }
      const wrong = Object.keys(fields).filter((field) => existing.fields[field] !== fields[field]);
      if (wrong.length === 0) continue;
      const sent = wrong.some((field) => ROUTE_FIELDS.includes(field)) ? [...wrong, ...ROUTE_FIELDS] : wrong;
      const changes = Object.entries(fields).filter(([field]) => sent.includes(field));
      writes.push({ do: 'update', kind, name, fields: Object.fromEntries(changes) });
    }
    return [...writes, ...deletions.filter(({ kind }) => kind === 'contact')];
  }

  private enqueue(name: string, work: () => Promise<void>): void {
    const root = this.rootOf(name);
    const before = this.queues.get(root) ?? Promise.resolve();
    this.queues.set(
      root,
      before.then(work).catch((error: unknown) => void this.broken.push(`the client failed: ${String(error)}`)),
    );
  }

  /** Sends a request about an endpoint that may have another state than in the model, or may be deleted. */
  private tell(
    name: string,
    number: number,
    what: string,
    method: string,
    path: (id: string) => string,
    told: (result: CallResult) => void = () => {},
  ): void {
    this.enqueue(name, async () => {
      const id = this.requests.idOf(name);
      const result =
        id === undefined ? 'refused' : await this.call(method, path(id), method === 'PUT' ? {} : undefined);
      if (result === 'refused') return this.log(`      #${number} ${result}`);
      told(result);
      if (result === 'unknown') this.log(`      #${number} ${result}`);
      else if (![200, 201, 404, 409, 503].includes(result.status)) this.reportUnexpected(`${what} ${name}`, result);
    });
  }

  private rootOf(name: string): string {
    const parent = this.parents.get(name)?.parent ?? null;
    return parent === null ? name : this.rootOf(parent);
  }

  /** Returns `done`, or the reason why not. */
  private async write(write: Write): Promise<string> {
    const request = this.requests.of(write);
    if (!request) return 'skipped: not known to exist';
    const end = this.begin(write);
    const span: Span = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    const result = await this.call(...request);
    if (result === 'unknown' || (result !== 'refused' && result.status === 503)) {
      end('ambiguous');
      this.expected.markUncertain(write);
      return result === 'unknown' ? 'ambiguous: the connection was lost' : 'ambiguous: 503';
    }
    end('certain');
    if (result === 'refused') return result;
    if (result.status >= 200 && result.status < 300) {
      this.expected.acknowledge(write);
      if (write.do === 'create') this.requests.learn(write.name, (result.body as ApiRow).id);
      return 'done';
    }
    const subject = write.do === 'create' && write.parent !== null ? write.parent : write.name;
    if (result.status === 404 && !this.expected.has(subject)) return write.do === 'delete' ? 'done' : 'skipped: 404';
    if (result.status === 404 && this.namesLeavingContact(write)) return 'skipped: 404';
    // A disabled probe can't be added to an endpoint as a new location.
    const wasDisabled = this.disabled.some((one) => overlap(one, span));
    if (result.status === 400 && wasDisabled && write.do !== 'delete' && 'locations' in write.fields)
      return 'skipped: 400';
    // Another queue may have given the contact an alert in the meantime.
    if (result.status === 409 && write.do === 'delete' && write.kind === 'contact' && write.replacement === undefined)
      return 'skipped: 409';
    this.reportUnexpected(lineOf(write), result);
    return `${result.status}`;
  }

  /** Records the possible effects of the write on episodes. Returns a function to call when the write is over. */
  private begin(write: Write): (end: 'certain' | 'ambiguous') => void {
    const { name, kind } = write;
    const fields = write.do === 'delete' ? {} : write.fields;
    const isStop = write.do === 'delete' || fields['enabled'] === false;
    const below = isStop && kind !== 'contact' ? this.alertsIn(name) : [];
    for (const alert of below) this.stopped.add(alert);
    if (write.do === 'delete' && kind === 'contact') this.leaving.add(name);
    if (write.do === 'update' && 'reminds' in fields) this.reminderEdits.add(name);
    const isRouteWrite = write.do === 'update' && ROUTE_FIELDS.some((field) => field in fields);
    const { rotation: _, ...address } = Object.fromEntries(
      Object.entries(fields).filter(([field]) => ROUTE_FIELDS.includes(field)),
    );
    const isMove = isRouteWrite && !this.expected.isSure(name, address);
    const isReplaced = write.do === 'delete' && kind === 'contact';
    const ends = [
      this.endings.begin([...below, ...(isMove || isReplaced ? [name] : [])]),
      this.routeWrites.begin([
        ...(isRouteWrite ? [name] : []),
        ...(write.do === 'delete' && write.replacement !== undefined ? [write.replacement] : []),
      ]),
    ];
    return (how) => ends.forEach((end) => end(how));
  }

  private alertsIn(name: string): string[] {
    if (this.parents.get(name)?.kind === 'alert') return [name];
    return childrenOf(this.parents, name).flatMap((child) => this.alertsIn(child));
  }

  private namesLeavingContact(write: Write): boolean {
    const named = write.do === 'delete' ? write.replacement : write.fields['via'];
    return (
      named !== undefined && named !== '' && (this.leaving.has(String(named)) || !this.expected.has(String(named)))
    );
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

  /** Uses the instances in rotation. */
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

/** The fields of a route. They are always sent together. */
const ROUTE_FIELDS = ['via', 'channel', 'rotation'];

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && (error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED';
