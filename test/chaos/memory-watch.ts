import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceProcess } from '../harness/processes/service-process';
import { type MemorySample, readSamples } from './memory';

const SAMPLE_EVERY_MS = 5000;
const PRELOADED = join(__dirname, '..', 'harness', 'processes', 'heap-on-signal.cjs');

/** Starts processes that report their memory on a signal, and samples one of them at an interval. */
export class MemoryWatch {
  private readonly directory = mkdtempSync(join(tmpdir(), 'uptime-heap-'));
  private readonly logs = new Map<ServiceProcess, string>();
  private started = 0;
  private watched: ServiceProcess | null = null;
  private timer: NodeJS.Timeout | undefined;

  async start(launch: (env: Readonly<Record<string, string>>) => Promise<ServiceProcess>): Promise<ServiceProcess> {
    const log = join(this.directory, `${++this.started}.jsonl`);
    const process = await launch({ NODE_OPTIONS: `--require "${PRELOADED}"`, HEAP_LOG: log });
    this.logs.set(process, log);
    return process;
  }

  /** Samples this process from now on. A frozen process responds once it is thawed. */
  watch(process: ServiceProcess): void {
    this.watched = process;
    this.timer = setInterval(() => process.signal('SIGUSR2'), SAMPLE_EVERY_MS);
  }

  /** The samples of the watched process. None once it has exited. */
  get samples(): MemorySample[] {
    const log = this.watched?.hasEnded === false ? this.logs.get(this.watched) : undefined;
    return log !== undefined && existsSync(log) ? readSamples(readFileSync(log, 'utf8')) : [];
  }

  close(): void {
    clearInterval(this.timer);
    rmSync(this.directory, { recursive: true, force: true });
  }
}
