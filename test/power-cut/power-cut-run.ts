import { record as recordThread } from './disk-recorder.cjs';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileEngine, examine, type Examination, openDisk } from './examination';
import { type Fact, type Moment, readRecording } from './recording';
import { runService } from './service-on-disk';
import {
  type DiskImage,
  type DiskOperation,
  PowerCut,
  randomNumbers,
  SimulatedDisk,
  writeImage,
} from './simulated-disk';
import { record, Surroundings } from './workload';

/** The parameters of a run. */
export interface PowerCutOrder {
  readonly seed: number;
  readonly seconds: number;
  readonly disks: Readonly<Record<DiskKind, number>>;
}

/** How a disk is created and examined. */
export const DISK_KINDS = [
  /** The power fails once. */
  'cut',
  /** The power fails again while the database recovers. */
  'cut again',
  /** The power fails once, and the whole service starts on the disk. */
  'service',
  /** The power fails once, and the engine never waited for the disk. Shows that the other kinds prove something. */
  'not synchronized',
] as const;
export type DiskKind = (typeof DISK_KINDS)[number];

/** One examined disk: the moment of the power cut, and the faults. */
export interface DiskReport {
  readonly kind: DiskKind;
  readonly moment: number;
  readonly wrong: readonly string[];
}

export interface PowerCutReport {
  readonly moments: number;
  readonly facts: Readonly<Record<string, number>>;
  readonly disks: readonly DiskReport[];
}

/** The shares of a run from which moments are chosen. The others can be anywhere in it. */
const IN_FIRST_START = 0.15;
const AFTER_A_FACT = 0.4;

/** Returns the number of a moment. The power fails just before it. */
function chooseMoment(moments: readonly Moment[], random: () => number): number {
  const firstFact = moments.findIndex(({ kind }) => kind === 'fact');
  const share = random();
  if (share < IN_FIRST_START) return Math.floor(random() * firstFact);
  const any = firstFact + Math.floor(random() * (moments.length - firstFact));
  if (share < 1 - AFTER_A_FACT) return any;
  const next = moments.findIndex(({ kind }, at) => at >= any && kind === 'fact');
  return next < 0 ? moments.length : next + 1;
}

/** The folder of one disk, which is emptied for each disk. */
class Bench {
  constructor(private readonly folder: string) {}

  get disk(): string {
    return join(this.folder, 'disk');
  }

  put(image: DiskImage): string {
    rmSync(this.disk, { recursive: true, force: true });
    mkdirSync(this.disk);
    writeImage(image, this.disk);
    return this.disk;
  }
}

/** A disk whose database loses power again, during its recovery. */
async function cutAgain(
  bench: Bench,
  image: DiskImage,
  examination: Examination,
  random: () => number,
): Promise<DiskImage> {
  const operations: [DiskOperation, Uint8Array][] = [];
  const directory = bench.put(image);
  const end = recordThread(directory, (operation, bytes = new Uint8Array(0)) =>
    operations.push([operation, Uint8Array.from(bytes)]),
  );
  const database = await openDisk(directory, examination);
  end();
  await database.close();
  const disk = SimulatedDisk.of(image);
  for (const [operation, bytes] of operations.slice(0, Math.floor(random() * operations.length)))
    disk.play(operation, bytes);
  return disk.after(new PowerCut(random));
}

const IN_MEMORY = '/dev/shm';
const NEEDED_BYTES = 1024 ** 3;

/** A directory in memory, if the system has one with enough room, because each disk is written and recovered once. */
function temporaryFolder(): string {
  if (!existsSync(IN_MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize > NEEDED_BYTES ? IN_MEMORY : tmpdir();
}

class PowerCutRun {
  private readonly folder = mkdtempSync(join(temporaryFolder(), 'uptime-power-cut-'));
  private readonly bench = new Bench(this.folder);
  private readonly random: () => number;

  constructor(
    private readonly order: PowerCutOrder,
    private readonly surroundings: Surroundings,
    private readonly say: (line: string) => void,
  ) {
    this.random = randomNumbers(order.seed);
  }

  async play(): Promise<PowerCutReport> {
    const log = join(this.folder, 'log');
    await record(this.surroundings, join(this.folder, 'data'), log, this.order.seconds);
    const moments = readRecording(log);
    const recordedAt = statSync(log).mtime;
    const module = await compileEngine();
    this.say(`Recorded ${moments.length} moments.`);
    const disks: DiskReport[] = [];
    for (const isSynced of [true, false])
      for (const cut of this.cuts(moments, isSynced)) {
        const report = await this.report(cut, { facts: cut.facts, recordedAt, module });
        disks.push(report);
        this.say(
          `${disks.length}: ${report.kind}, moment ${report.moment}: ${report.wrong.join('; ').slice(0, 500) || 'ok'}`,
        );
      }
    return { moments: moments.length, facts: countFacts(moments), disks };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Yields the disks of all kinds that are synchronized, or of those that aren't, in the order of their moments. */
  private *cuts(moments: readonly Moment[], isSynced: boolean): Generator<Cut> {
    const disk = new SimulatedDisk();
    const facts: Fact[] = [];
    const kinds = DISK_KINDS.filter((kind) => (kind !== 'not synchronized') === isSynced);
    const chosen = kinds
      .flatMap((kind) =>
        Array.from({ length: this.order.disks[kind] }, () => ({ kind, moment: chooseMoment(moments, this.random) })),
      )
      .sort((a, b) => a.moment - b.moment);
    let at = 0;
    for (const { kind, moment } of chosen) {
      for (; at < moment; at++) {
        const next = moments[at];
        if (next?.kind === 'fact') facts.push(next.fact);
        else if (next !== undefined) disk.play(next.operation, next.bytes);
        // The service stores a new cluster, not the engine.
        if (!isSynced && facts.length > 0) disk.ignoresSyncs = true;
      }
      yield { kind, moment, facts: [...facts], image: disk.after(new PowerCut(this.random)) };
    }
  }

  private async report({ kind, moment, facts, image }: Cut, examination: Examination): Promise<DiskReport> {
    if (kind === 'cut again') {
      const again = await cutAgain(this.bench, image, examination, this.random);
      return { kind, moment, wrong: await examine(this.bench.put(again), examination) };
    }
    const directory = this.bench.put(image);
    if (kind !== 'service') return { kind, moment, wrong: await examine(directory, examination) };
    const { told, wrong, settledAt } = await runService(directory, facts, this.surroundings).catch(
      (error: unknown) => ({
        told: [],
        wrong: [`the service does not run: ${String(error)}`],
        settledAt: new Date(0),
      }),
    );
    const after = { ...examination, facts: [...facts, ...told], recordedAt: new Date(), settledAt };
    return { kind, moment, wrong: [...wrong, ...(await examine(directory, after))] };
  }
}

interface Cut {
  readonly kind: DiskKind;
  readonly moment: number;
  readonly facts: readonly Fact[];
  readonly image: DiskImage;
}

function countFacts(moments: readonly Moment[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const moment of moments)
    if (moment.kind === 'fact') counts[moment.fact.fact] = (counts[moment.fact.fact] ?? 0) + 1;
  return counts;
}

/** Records a run of the service, cuts its power at random moments, and examines each disk. */
export async function playPowerCuts(order: PowerCutOrder, say: (line: string) => void): Promise<PowerCutReport> {
  const surroundings = await Surroundings.start();
  const run = new PowerCutRun(order, surroundings, say);
  try {
    return await run.play();
  } finally {
    run.remove();
    await surroundings.close();
  }
}
