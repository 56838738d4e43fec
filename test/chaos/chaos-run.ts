import { setTimeout as delay } from 'node:timers/promises';
import { ERROR_CODES } from '../../src/checker/checker';
import { eventually } from '../../packages/testing/eventually';
import type { Api } from '../../packages/testing/service/api';
import { ApiClient, type ShownRoute } from './api-client';
import {
  type Command,
  type DatabaseName,
  FINALE,
  firstCommands,
  isPager,
  isProbeChange,
  kindOf,
  lineOf,
  planRound,
} from './commands';
import { openDatabase } from './databases';
import { Fleet } from './fleet';
import { FakeInternet } from './fake-internet';
import { Jobs, readJobs } from './jobs';
import { brokenPings, type StoredJob } from './ping-properties';
import type { AwaitedReminder, History, PresentRoute, RequestCount } from './history';
import { REMINDER_LIMIT_MS } from './episode-properties';
import { brokenProperties, repeats } from './properties';
import { type DatabaseSnapshot, makeRemindersDue, NO_INCIDENTS, readDatabase } from './database-snapshot';
import { type Fields, mismatches, Model } from './model';
import { openKeys } from './pager-properties';
import { Probes } from './probes';
import { watchLocations } from '../harness/probe/location-invariants';

export interface ChaosOrder {
  database: DatabaseName;
  seed: number;
  length: { minutes: number } | { rounds: number };
}

/** The findings and the contents of a run. */
export interface ChaosReport {
  broken: string[];
  lastCommands: string[];
  commands: [kind: string, count: number][];
  totals: [what: string, count: number][];
  memory: string;
}

/**
 * In its first rounds, a run may end any instance. Later rounds protect the first instance, whose memory is watched.
 */
const UNPROTECTED_ROUNDS_PER_MINUTE = 0.8;
const UNPROTECTED_SHARE = 0.7;
/** Every run continues until the protected instance has lived long enough for a memory verdict. */
const MIN_PROTECTED_MS = 120_000;

/**
 * Retries, open circuits, and the lease of a killed sender are over within two minutes. The rest is for a busy
 * machine.
 */
const SETTLE_LIMIT_MS = 240_000;
/** How long a thawed database may still work on statements that it received while frozen. */
const THAW_BACKLOG_MS = 4000;
/**
 * In a row, because after a statement that timed out, the service may show its old count of pending deliveries once
 * more.
 */
const SETTLED_READS = 2;
const REPORTED_COMMANDS = 40;
/** Longer than the interval of the job, whose next run must find nothing due. */
const NEXT_LOOK_MS = 25_000;
/** A batch was decided within this time before it was recorded. Includes differences between clocks. */
const DECIDED_MS = 12_000;

/**
 * Plays one run against real processes, or returns `null` if the machine has no such database. Leaves no process
 * behind.
 */
export async function playChaos(order: ChaosOrder, print: (line: string) => void): Promise<ChaosReport | null> {
  const database = await openDatabase(order.database);
  if (!database) return null;
  const fleet = new Fleet(database);
  const probes = new Probes(() => fleet.ports);
  const internet = await FakeInternet.open();
  const killAll = () => [fleet, probes].forEach((processes) => processes.killAll());
  process.on('exit', killAll);
  try {
    return await new ChaosRun(order, fleet, probes, internet, print).play();
  } finally {
    await probes.close();
    await fleet.close();
    await internet.close();
    process.off('exit', killAll);
  }
}

/** Rounds of random commands. After each round, the service must settle, and every promise is verified. */
class ChaosRun {
  private readonly model = new Model();
  private readonly client: ApiClient;
  private readonly jobs: Jobs;
  private storedJobs: StoredJob[] = [];
  private readonly counts = new Map<string, number>();
  private readonly logLines: string[] = [];
  private readonly broken: string[] = [];
  private commandCount = 0;
  private rounds = 0;
  private readonly unprotectedRounds: number;
  private memory = '';
  private longestSettleMs = 0;
  /** The routes of triggered alerts when everything had settled. */
  private triggeredRoutes = new Map<string, ShownRoute>();
  private triggeredPagers: ReadonlySet<string> = new Set();
  private readonly awaited: AwaitedReminder[] = [];
  /** The reminders that the newest reading of the database made due. */
  private newestAwaited: AwaitedReminder[] = [];
  private snapshot: DatabaseSnapshot = {
    deliveries: [],
    pagerDeliveries: [],
    checks: [],
    events: 0,
    incidents: NO_INCIDENTS,
    broken: [],
  };

  constructor(
    private readonly order: ChaosOrder,
    private readonly fleet: Fleet,
    private readonly probes: Probes,
    private readonly internet: FakeInternet,
    private readonly print: (line: string) => void,
  ) {
    this.client = new ApiClient(fleet, internet, probes, (text) => this.log(text));
    this.jobs = new Jobs(fleet, order.seed);
    const { length } = order;
    const unprotected =
      'rounds' in length ? length.rounds * UNPROTECTED_SHARE : length.minutes * UNPROTECTED_ROUNDS_PER_MINUTE;
    this.unprotectedRounds = Math.max(1, Math.round(unprotected));
  }

  async play(): Promise<ChaosReport> {
    const { length } = this.order;
    const until = 'minutes' in length ? Date.now() + length.minutes * 60_000 : 0;
    const rounds = 'rounds' in length ? length.rounds : 0;
    const goesOn = () => this.rounds < rounds || Date.now() < until || this.fleet.protectedMs < MIN_PROTECTED_MS;
    try {
      this.fleet.start(0);
      await this.startProbes();
      for (const command of firstCommands()) this.model.apply(command);
      await this.settleAndVerify();
      await this.startJobs();
      while (goesOn() && this.broken.length === 0) {
        if (this.rounds === this.unprotectedRounds) this.fleet.protectFirst();
        await this.round();
        await this.settleAndVerify();
      }
      await this.judgeMemory();
      await this.finish();
    } catch (error) {
      this.broken.push(`the run could not go on: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await this.jobs.stop();
    }
    return this.report();
  }

  /** Starts the probes before anything is checked, so that the database records all data about locations. */
  private async startProbes(): Promise<void> {
    await this.fleet.recover();
    await this.fleet.inspect(watchLocations);
    await this.fleet.recover();
    await this.probes.start(this.api);
  }

  private startJobs(): Promise<void> {
    return this.jobs.start(this.api);
  }

  private get api(): Api {
    const [service] = this.fleet.running;
    if (!service) throw new Error('no instance listens');
    return service.api;
  }

  private async round(): Promise<void> {
    this.model.healProviders();
    const { seed, database } = this.order;
    const setting = { database, protectFirst: this.rounds >= this.unprotectedRounds };
    for (const { command, pauseMs } of planRound(this.model, seed, ++this.rounds, setting)) {
      await this.execute(command);
      await delay(pauseMs);
    }
  }

  private async execute(command: Command): Promise<void> {
    const number = ++this.commandCount;
    const kind = kindOf(command);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    this.log(`${String(number).padStart(5)} ${lineOf(command)}`);
    switch (command.do) {
      case 'create':
      case 'update':
      case 'delete':
        return this.client.submit(command, number);
      case 'check now':
        return this.client.checkNow(command.name, number);
      case 'acknowledge':
        return this.client.acknowledge(command.name, number);
      case 'incident':
        return this.client.actOnIncident(command.how, command.which, number);
      case 'detach':
        return this.client.detach(command.name, number);
      case 'reminders fall due':
        return this.fleet.makeRemindersDue();
      case 'target':
        for (const name of command.names) this.internet.switchTarget(name, command.mode);
        return;
      case 'provider':
        return this.internet.switchProvider(command.channel, command.mode);
      case 'kill -9':
      case 'restart':
      case 'freeze':
      case 'second instance':
      case 'database':
        if (!this.fleet.inject(command)) this.log(`      #${number} skipped: the instance is starting`);
        return;
      case 'probe':
        if (isProbeChange(command.how)) this.client.changeProbe(command.how, command.probe, number);
        else if (!this.probes.inject(command.how, command.probe))
          this.log(`      #${number} skipped: the probe is starting`);
        return;
      case 'line':
        return this.probes.setLine(command.probe, command.how);
      default:
        return command satisfies never;
    }
  }

  /** Lifts every fault, waits until everything is checked and delivered, then verifies everything observable. */
  private async settleAndVerify(): Promise<void> {
    await this.internet.heal();
    await Promise.all([this.fleet.recover(), this.probes.recover()]);
    await this.client.finish();
    await delay(THAW_BACKLOG_MS);
    await this.client.converge(this.model);
    const since = Date.now();
    await this.untilSettled(since);
    const tookMs = Date.now() - since;
    this.longestSettleMs = Math.max(this.longestSettleMs, tookMs);
    this.log(`      settled after ${(tookMs / 1000).toFixed(0)} s`);
    this.broken.push(...this.client.broken.splice(0), ...this.failures());
    // Reading an exclusive database would end the protected instance, so it waits until the instance's memory has
    // been judged.
    if (this.fleet.isProtecting && this.fleet.database.exclusive) return;
    await this.inspect();
    if (this.fleet.database.exclusive) await this.fleet.recover();
  }

  /** Judges the protected instance's memory, then reads the database if that had to wait. */
  private async judgeMemory(): Promise<void> {
    if (!this.fleet.isProtecting) return;
    const { summary, broken } = this.fleet.judgeMemory();
    this.memory = summary;
    // A failure may have cut its life short.
    if (this.broken.length === 0) this.broken.push(...broken);
    if (this.fleet.database.exclusive) await this.inspect();
  }

  /** Covers cases that random rounds may miss: open episodes while everything is changed, and undisturbed reminders. */
  private async finish(): Promise<void> {
    for (const plan of FINALE.before) await this.finalStep(plan);
    await this.awaitReminders();
    for (const plan of FINALE.after) await this.finalStep(plan);
  }

  private async finalStep(plan: (model: Model) => Command[]): Promise<void> {
    if (this.broken.length > 0) return;
    for (const command of plan(this.model)) {
      this.model.apply(command);
      await this.execute(command);
    }
    await this.settleAndVerify();
  }

  /** Waits without disturbances. Every reminder that became due since the last step must arrive once in this time. */
  private async awaitReminders(): Promise<void> {
    if (this.broken.length > 0) return;
    const awaited = this.newestAwaited;
    const isTold = (one: AwaitedReminder) =>
      this.internet.received.some(({ mode, body }) => mode === 'ok' && isReminder(body, one));
    await eventually('the last reminders', () => awaited.every(isTold), REMINDER_LIMIT_MS).catch(() => {
      const missing = awaited.filter((one) => !isTold(one)).map(({ alert }) => alert);
      this.broken.push(`no reminder at the end: ${missing.join(' ')}`);
    });
    this.log(`      ${awaited.length} last reminders were due`);
    await delay(NEXT_LOOK_MS);
  }

  private async inspect(): Promise<void> {
    const steady = [...this.requestCounts().keys()];
    this.snapshot = await this.fleet.inspect(async (sql) => {
      const sent = this.jobs.sent.map((ping) => ({ ...ping }));
      this.storedJobs = await readJobs(sql);
      this.broken.push(...brokenPings(sent, this.storedJobs, Date.now()));
      const snapshot = await readDatabase(sql, steady, (ms) => this.isUndisturbed(ms));
      this.newestAwaited = await this.fleet.whileDue(() => makeRemindersDue(sql));
      this.awaited.push(...this.newestAwaited);
      return snapshot;
    });
    this.broken.push(...this.failures(), ...this.snapshot.broken, ...brokenProperties(this.history(this.snapshot)));
    const { deliveries, checks } = this.snapshot;
    this.log(`      ${checks.length} checks, ${deliveries.length} deliveries, ${this.broken.length} broken`);
    for (const line of this.broken) this.log(line);
  }

  private failures(): string[] {
    return [...this.fleet.failures.splice(0), ...this.probes.failures.splice(0)];
  }

  /** Returns whether no probe was disabled when a result recorded at this time was decided. */
  private isUndisturbed(recordedMs: number): boolean {
    return !this.client.disabled.some(
      ({ from, to }) => recordedMs >= from - DECIDED_MS && recordedMs <= to + DECIDED_MS,
    );
  }

  private history({ deliveries, pagerDeliveries, checks }: DatabaseSnapshot): History {
    const { requests, stopped, endings, quiet, incidentsInHand, reminderEdits, disabled } = this.client;
    const { received, pages, modeChanges, ownStalls } = this.internet;
    const { exits, downtimes, dues } = this.fleet;
    const isJudged = ({ alert, at }: AwaitedReminder) =>
      Date.now() > at + REMINDER_LIMIT_MS && !stopped.has(alert) && !reminderEdits.has(alert);
    return {
      deliveries: deliveries.map((one) => ({ ...one, contact: one.contact && requests.nameOf(one.contact) })),
      pagerDeliveries,
      pages,
      triggeredPagers: this.triggeredPagers,
      checks,
      received,
      modeChanges,
      stopped,
      present: this.presentRoutes(),
      endings: endings.spans,
      quiet,
      incidentsInHand,
      dues,
      awaited: this.awaited.filter(isJudged),
      steady: this.requestCounts(),
      placed: this.placed(),
      disabled,
      probeFaults: this.probes.faults,
      exits,
      downtimes,
      ownStalls,
    };
  }

  private presentRoutes(): Map<string, PresentRoute> {
    const routes = [...this.triggeredRoutes].map(([alert, { via, channel, rotation }]) => {
      const since = this.client.routeWrites.lastOf(alert, via);
      return [alert, { channel, rotation, since }] as const;
    });
    return new Map(routes);
  }

  /** Returns how often the unedited endpoints were checked, as counted by their targets. */
  private requestCounts(): Map<string, RequestCount> {
    const steady = this.model.of('endpoint').filter((endpoint) => endpoint.steady);
    const span = { from: this.internet.startedAt, to: Date.now() };
    return new Map(
      steady.map(({ name, fields }) => [
        name,
        {
          ...span,
          intervalMs: (Number(fields['interval']) * 1000) / locationsOf(fields),
          ...(this.internet.requests.get(name) ?? { requests: 0, failed: 0 }),
        },
      ]),
    );
  }

  /** Returns the unedited endpoints with several locations. */
  private placed(): Map<string, number> {
    const steady = this.model.of('endpoint').filter((endpoint) => endpoint.steady);
    const counts = steady.map(({ name, fields }) => [name, locationsOf(fields)] as const);
    return new Map(counts.filter(([, count]) => count > 1));
  }

  private async untilSettled(since: number): Promise<void> {
    let unmet: string[] = [];
    let settledReads = 0;
    const isSettled = async () => {
      unmet = await this.unsettled(since).catch((error: unknown) => [String(error)]);
      settledReads = unmet.length === 0 ? settledReads + 1 : 0;
      if (settledReads < SETTLED_READS) await delay(500);
      return settledReads === SETTLED_READS;
    };
    try {
      await eventually('the service settles', isSettled, SETTLE_LIMIT_MS);
    } catch {
      throw new Error(`not settled after ${SETTLE_LIMIT_MS / 1000} s: ${unmet.join('; ')}`);
    }
  }

  private async unsettled(since: number): Promise<string[]> {
    const { shown, lastChecked, routes } = await this.client.observe();
    const triggered = new Set(shown.filter((one) => one.triggered === true).map(({ name }) => name));
    this.triggeredRoutes = new Map([...routes].filter(([alert]) => triggered.has(alert)));
    const pagers = this.model.of('alert').filter(isPager);
    this.triggeredPagers = new Set(pagers.map(({ name }) => name).filter((name) => triggered.has(name)));
    const unchecked = [...lastChecked].filter(([name, at]) => this.model.isActive(name) && at < since);
    const pending = await this.client.pendingDeliveries();
    return [
      ...mismatches(this.model, shown),
      ...unchecked.map(([name]) => `${name} is not checked`),
      ...(pending > 0 ? [`${pending} deliveries are pending`] : []),
    ];
  }

  private log(text: string): void {
    const line = `${new Date().toISOString().slice(11, 19)} ${text}`;
    this.logLines.push(line);
    if (this.logLines.length > 3 * REPORTED_COMMANDS) this.logLines.shift();
    this.print(line);
  }

  private report(): ChaosReport {
    const { deliveries, checks, events, incidents } = this.snapshot;
    const { received, pages } = this.internet;
    const byClients = deliveries.filter(({ kind, reason }) => kind === 'resolved' && reason !== 'threshold').length;
    const count = (outcome: string) => checks.filter((check) => check.outcome === outcome).length;
    return {
      broken: this.broken,
      lastCommands: this.logLines.slice(-REPORTED_COMMANDS),
      commands: [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)),
      totals: [
        ['rounds', this.rounds],
        ['commands', this.commandCount],
        ['checks of the remaining endpoints', checks.length],
        ['… of them down', count('down')],
        ['… of them unknown', count('unknown')],
        ['… of them from probes', checks.filter(({ location }) => location > 0).length],
        ['starts of probes', this.probes.restarts],
        ['times that a probe or its line was disturbed', this.probes.faults],
        ['remaining events', events],
        ['deliveries', deliveries.length],
        ['… of them through a contact', deliveries.filter(({ contact }) => contact !== null).length],
        ['… of them resolves because of another address, a stop or a deletion', byClients],
        ['… of them reminders', deliveries.filter(({ kind }) => kind === 'reminder').length],
        ['reminders that were awaited', this.awaited.length],
        ['incidents', incidents.all],
        ['… of them of several endpoints', incidents.shared],
        ['… of them opened again', incidents.reopened],
        ['… of them merged into others', incidents.merged],
        ...[...this.client.incidentActs].map(([how, count]): [string, number] => [`times that one ${how}`, count]),
        ['requests that providers received', received.length],
        ['notifications that providers accepted', received.filter(({ mode }) => mode === 'ok').length],
        ['… of them repeats after an ambiguous end', repeats({ received })],
        ['requests that the pager received', pages.length],
        ['… keys of them', new Set(pages.map(({ key }) => key)).size],
        ['… keys that are open in the end', openKeys(pages).size],
        ['pings of jobs', this.jobs.sent.length],
        ['… of them acknowledged', this.jobs.sent.filter(({ acknowledged }) => acknowledged).length],
        ...checksOfJobs(this.storedJobs),
        ['restarts', this.fleet.restarts],
        ['seconds of the longest graceful shutdown', Math.ceil(this.fleet.longestShutdownMs / 1000)],
        ['seconds of the longest settling', Math.ceil(this.longestSettleMs / 1000)],
        ['stalls of the test process itself', this.internet.ownStalls.length],
        ['broken promises', this.broken.length],
      ],
      memory: this.memory,
    };
  }
}

const locationsOf = (fields: Fields): number => String(fields['locations']).split(',').length;

function checksOfJobs(stored: readonly StoredJob[]): [what: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { checks } of stored)
    for (const { error } of checks) {
      const what = `checks of jobs: ${ERROR_CODES[error] ?? 'up'}`;
      counts.set(what, (counts.get(what) ?? 0) + 1);
    }
  return [...counts];
}

/** Returns whether the body is the next reminder of that episode. */
function isReminder(body: string, { alert, episodeNo, reminders }: AwaitedReminder): boolean {
  const { type, data } = JSON.parse(body) as Body;
  if (type !== 'alert.reminder' || data.alert.description !== alert) return false;
  return data.event.incident_key.endsWith(`-${episodeNo}`) && data.event.ordinal === reminders + 1;
}

interface Body {
  type: string;
  data: { alert: { description: string }; event: { incident_key: string; ordinal?: number } };
}
