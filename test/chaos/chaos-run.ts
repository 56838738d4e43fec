import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../harness/app/poll';
import { ApiClient } from './api-client';
import { type Command, type DatabaseName, firstCommands, kindOf, lineOf, planRound } from './commands';
import { openDatabase } from './databases';
import { Fleet } from './fleet';
import { FakeInternet } from './fake-internet';
import { type Attention, brokenProperties, repeats } from './properties';
import { type DatabaseSnapshot, readDatabase } from './database-snapshot';
import { misfits, Model } from './model';

export interface ChaosOrder {
  database: DatabaseName;
  seed: number;
  minutes: number;
}

/** What a run found, and what it consisted of. */
export interface ChaosReport {
  broken: string[];
  lastCommands: string[];
  commands: [kind: string, count: number][];
  figures: [what: string, count: number][];
  memory: string;
}

/** In the first of its rounds nobody is spared; the others have an anchor. Decided by the order alone, as the plan is. */
const MORTAL_ROUNDS_PER_MINUTE = 0.8;
/** However slow the machine or short the order is, it is played on until the anchor has lived long enough to be judged. */
const LEAST_ANCHORED_MS = 120_000;

/** Retries, open circuits and the lease of a killed sender end within two minutes; the rest is for a busy machine. */
const SETTLE_LIMIT_MS = 240_000;
/** What a frozen database had been asked is done this long after it was thawed. */
const ECHO_MS = 4000;
/** In a row: a count that the service could not renew, because its database did not answer in time, is the one before. */
const CALM_LOOKS = 2;
const TOLD_COMMANDS = 40;

/** Plays one run against real processes; `null` when the machine has no such database. Leaves no process behind. */
export async function playChaos(order: ChaosOrder, print: (line: string) => void): Promise<ChaosReport | null> {
  const database = await openDatabase(order.database);
  if (!database) return null;
  const fleet = new Fleet(database);
  const outside = await FakeInternet.open();
  const abandon = () => fleet.abandon();
  process.on('exit', abandon);
  try {
    return await new ChaosRun(order, fleet, outside, print).play();
  } finally {
    await fleet.close();
    await outside.close();
    process.off('exit', abandon);
  }
}

/** Rounds of random commands; after each it waits for calm and looks whether everything that was promised is true. */
class ChaosRun {
  private readonly world = new Model();
  private readonly clerk: ApiClient;
  private readonly counts = new Map<string, number>();
  private readonly lines: string[] = [];
  private readonly broken: string[] = [];
  private number = 0;
  private rounds = 0;
  private readonly mortalRounds: number;
  private memory = '';
  private longestCalmMs = 0;
  private reading: DatabaseSnapshot = { messages: [], checks: [], events: 0, broken: [] };

  constructor(
    private readonly order: ChaosOrder,
    private readonly fleet: Fleet,
    private readonly outside: FakeInternet,
    private readonly print: (line: string) => void,
  ) {
    this.clerk = new ApiClient(fleet, outside, (text) => this.say(text));
    this.mortalRounds = Math.max(1, Math.round(order.minutes * MORTAL_ROUNDS_PER_MINUTE));
  }

  async play(): Promise<ChaosReport> {
    const until = Date.now() + this.order.minutes * 60_000;
    try {
      this.fleet.start(0);
      for (const command of firstCommands()) this.world.apply(command);
      await this.calmDown();
      while ((Date.now() < until || this.fleet.anchoredMs < LEAST_ANCHORED_MS) && this.broken.length === 0) {
        if (this.rounds === this.mortalRounds) this.fleet.layAnchor();
        await this.round();
        await this.calmDown();
      }
      await this.weighAnchor();
    } catch (error) {
      this.broken.push(`the run could not go on: ${error instanceof Error ? error.message : String(error)}`);
    }
    return this.report();
  }

  private async round(): Promise<void> {
    this.world.healProviders();
    const { seed, database } = this.order;
    const setting = { database, anchored: this.rounds >= this.mortalRounds };
    for (const { command, pauseMs } of planRound(this.world, seed, ++this.rounds, setting)) {
      await this.carryOut(command);
      await delay(pauseMs);
    }
  }

  private async carryOut(command: Command): Promise<void> {
    const number = ++this.number;
    const kind = kindOf(command);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    this.say(`${String(number).padStart(5)} ${lineOf(command)}`);
    switch (command.do) {
      case 'create':
      case 'update':
      case 'delete':
        return this.clerk.submit(command, number);
      case 'check now':
        return this.clerk.checkNow(command.name, number);
      case 'target':
        for (const name of command.names) this.outside.switchTarget(name, command.mode);
        return;
      case 'provider':
        return this.outside.switchProvider(command.channel, command.mode);
      case 'kill -9':
      case 'restart':
      case 'freeze':
      case 'second instance':
      case 'database':
        if (!this.fleet.inflict(command)) this.say(`      #${number} befalls nobody: it is starting`);
        return;
      default:
        return command satisfies never;
    }
  }

  /** Lifts every fault, waits until everything is checked and told, and looks at everything that can be seen. */
  private async calmDown(): Promise<void> {
    await this.outside.heal();
    await this.fleet.recover();
    await this.clerk.finish();
    await delay(ECHO_MS);
    await this.clerk.settle(this.world);
    const since = Date.now();
    await this.untilSettled(since);
    const tookMs = Date.now() - since;
    this.longestCalmMs = Math.max(this.longestCalmMs, tookMs);
    this.say(`      calm after ${(tookMs / 1000).toFixed(0)} s`);
    this.broken.push(...this.clerk.broken.splice(0), ...this.fleet.misbehaved.splice(0));
    // An anchor whose database nobody else may open is left alone until it was weighed.
    if (this.fleet.isAnchored && this.fleet.database.exclusive) return;
    await this.inspect();
    if (this.fleet.database.exclusive) await this.fleet.recover();
  }

  /** Judges the anchor's memory, and what could not be looked at while it lived. */
  private async weighAnchor(): Promise<void> {
    if (!this.fleet.isAnchored) return;
    const { line, broken } = this.fleet.weighAnchor();
    this.memory = line;
    // What broke may have cut its life short.
    if (this.broken.length === 0) this.broken.push(...broken);
    if (this.fleet.database.exclusive) await this.inspect();
  }

  private async inspect(): Promise<void> {
    const steady = [...this.attention().keys()];
    this.reading = await this.fleet.inspect((sql) => readDatabase(sql, steady));
    this.broken.push(
      ...this.fleet.misbehaved.splice(0),
      ...this.reading.broken,
      ...brokenProperties({
        ...this.reading,
        told: this.outside.told,
        turns: this.outside.turns,
        standstills: this.outside.standstills,
        stopped: this.clerk.stopped,
        ends: this.fleet.ends,
        absences: this.fleet.absences,
        steady: this.attention(),
      }),
    );
    const { messages, checks } = this.reading;
    this.say(`      ${checks.length} checks, ${messages.length} messages, ${this.broken.length} broken`);
  }

  /** How often the endpoints that nobody edits were checked, by their targets' own count. */
  private attention(): Map<string, Attention> {
    const steady = this.world.of('endpoint').filter((endpoint) => endpoint.steady);
    const span = { from: this.outside.since, to: Date.now() };
    return new Map(
      steady.map(({ name, fields }) => [
        name,
        {
          ...span,
          intervalMs: Number(fields['interval']) * 1000,
          ...(this.outside.asked.get(name) ?? { requests: 0, failed: 0 }),
        },
      ]),
    );
  }

  private async untilSettled(since: number): Promise<void> {
    let missing: string[] = [];
    let calmLooks = 0;
    const isSettled = async () => {
      missing = await this.unsettled(since).catch((error: unknown) => [String(error)]);
      calmLooks = missing.length === 0 ? calmLooks + 1 : 0;
      if (calmLooks < CALM_LOOKS) await delay(500);
      return calmLooks === CALM_LOOKS;
    };
    try {
      await eventually('calm', isSettled, SETTLE_LIMIT_MS);
    } catch {
      throw new Error(`not settled after ${SETTLE_LIMIT_MS / 1000} s: ${missing.join('; ')}`);
    }
  }

  /** What does not look yet as it should. */
  private async unsettled(since: number): Promise<string[]> {
    const { shown, lastChecked } = await this.clerk.look();
    const unchecked = [...lastChecked].filter(([name, at]) => this.world.isActive(name) && at < since);
    const owed = await this.clerk.owed();
    return [
      ...misfits(this.world, shown),
      ...unchecked.map(([name]) => `${name} is not checked`),
      ...(owed > 0 ? [`${owed} messages are owed`] : []),
    ];
  }

  private say(text: string): void {
    const line = `${new Date().toISOString().slice(11, 19)} ${text}`;
    this.lines.push(line);
    if (this.lines.length > 3 * TOLD_COMMANDS) this.lines.shift();
    this.print(line);
  }

  private report(): ChaosReport {
    const { messages, checks, events } = this.reading;
    const { told } = this.outside;
    const count = (outcome: string) => checks.filter((check) => check.outcome === outcome).length;
    return {
      broken: this.broken,
      lastCommands: this.lines.slice(-TOLD_COMMANDS),
      commands: [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)),
      figures: [
        ['rounds', this.rounds],
        ['commands', this.number],
        ['checks of the endpoints that are left', checks.length],
        ['… of them down', count('down')],
        ['… of them unknown', count('unknown')],
        ['events that are left', events],
        ['messages owed for events', messages.length],
        ['requests the providers got', told.length],
        ['messages the providers took', told.filter(({ answered }) => answered === 'ok').length],
        ['… of them again, after an ambiguous end', repeats({ told })],
        ['starts after an end', this.fleet.restarts],
        ['seconds that the longest end in order took', Math.ceil(this.fleet.longestEndMs / 1000)],
        ['seconds until the longest calm', Math.ceil(this.longestCalmMs / 1000)],
        ['times this program itself stood still', this.outside.standstills.length],
        ['broken promises', this.broken.length],
      ],
      memory: this.memory,
    };
  }
}
