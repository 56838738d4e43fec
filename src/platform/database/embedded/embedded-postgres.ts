import { isNativeError } from 'node:util/types';
import { once } from 'node:events';
import { mkdirSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { MessageChannel, Worker } from 'node:worker_threads';
import { clusterTemplate } from './cluster-template';
import { DirectoryLock } from './directory-lock';
import { PortStream } from './port-stream';
import { StartError } from '../../config/start-error';

/** Free space that is never used: room for the next two segments of the write-ahead log, which the engine must have. */
const RESERVE_BYTES = 32 * 1024 * 1024;
/** The thread's exit code when the engine can only recover by a restart. */
const PANIC_CODE = 70;

export interface EmbeddedPostgresOptions {
  /** Where the cluster is stored; `null` keeps it in memory. Created when missing, readable by its owner only. */
  readonly directory: string | null;
  /** The tar of a cluster that a new one starts from. Default: `clusterTemplate` of this folder. */
  readonly template?: string;
  /** How long a statement waits for another connection's idle transaction before it fails with 55P03; default 5 s. */
  readonly patienceMs?: number;
  /** Called when the engine died and nothing can be read or written any more. Default: print why and end the process with 1. */
  readonly onCrash?: (reason: string) => void;
}

const exitOnCrash = (reason: string): void => {
  process.stderr.write(`The embedded database has stopped: ${reason}. The service cannot go on without it.\n`);
  process.exit(1);
};

/**
 * PostgreSQL inside this process, in a worker thread, reached by `pg` through its `stream` option. What was committed
 * survives a killed process; it does not survive a power cut, because the engine never syncs to disk.
 */
export class EmbeddedPostgres {
  private constructor(
    private readonly worker: Worker,
    private readonly lock: DirectoryLock | null,
    private readonly stopWatching: () => void,
  ) {}

  /**
   * Resolves when it accepts connections. Throws a `DirectoryInUseError` while another process has the directory, and a
   * `StartError` when it cannot be written to or its volume is full.
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const directory = options.directory === null ? null : resolve(options.directory);
    const lock = directory === null ? null : await lockDirectory(directory);
    const worker = new Worker(join(__dirname, 'embedded-worker.cjs'), {
      workerData: {
        directory,
        template: options.template ?? clusterTemplate(__dirname),
        patienceMs: options.patienceMs,
        reserveBytes: RESERVE_BYTES,
        panicCode: PANIC_CODE,
      },
      execArgv: [],
    });
    try {
      await once(worker, 'message');
    } catch (error) {
      lock?.release();
      throw directory === null ? error : explained(error, directory);
    }
    const crash = (reason: string): void => {
      lock?.release();
      (options.onCrash ?? exitOnCrash)(reason);
    };
    const onError = (error: Error): void => crash(error.message);
    const onExit = (code: number): void =>
      crash(code === PANIC_CODE ? 'PostgreSQL panicked and has to be restarted' : `its thread ended with ${code}`);
    worker.once('error', onError).once('exit', onExit);
    // An open connection keeps the process alive, as with a server; the idle engine does not.
    worker.unref();
    return new EmbeddedPostgres(worker, lock, () => worker.off('error', onError).off('exit', onExit));
  }

  /** One connection, for the `stream` option of `pg`. */
  connect(): Duplex {
    return new PortStream(() => {
      const { port1, port2 } = new MessageChannel();
      this.worker.postMessage({ port: port2 }, [port2]);
      return port1;
    });
  }

  /** Writes a checkpoint, stops the engine and releases the directory. Close every pool first. */
  async close(): Promise<void> {
    this.stopWatching();
    this.worker.ref();
    const ended = once(this.worker, 'exit');
    this.worker.postMessage({ close: true }, []);
    await ended;
    this.lock?.release();
  }
}

async function lockDirectory(directory: string): Promise<DirectoryLock> {
  try {
    requireSpace(directory);
    return await DirectoryLock.acquire(directory);
  } catch (error) {
    throw explained(error, directory);
  }
}

const OBSTACLES: readonly (readonly [RegExp, string])[] = [
  [/^(EACCES|EPERM)\b/, 'this user may not write there'],
  [/^EROFS\b/, 'the volume is read-only'],
  [/^(EEXIST|ENOTDIR)\b/, 'it is, or lies below, something that is no directory'],
  [/^ENOENT\b/, 'it cannot be made there'],
  [/^ENOSPC\b/, 'the volume is full'],
];

/** The system's error in the words of the setting; itself when that is not the cause. */
function explained(error: unknown, directory: string): unknown {
  const text = isNativeError(error) && !(error instanceof StartError) ? error.message : '';
  const [, obstacle] = OBSTACLES.find(([pattern]) => pattern.test(text)) ?? [];
  if (obstacle === undefined) return error;
  const cure = 'Set DATA_DIR to a directory that this user may write to.';
  return new StartError(`DATA_DIR: ${directory} cannot be used: ${obstacle} (${text}). ${cure}`, { cause: error });
}

/** Throws when the volume is nearly full: an engine without space to recover its log would hang. */
function requireSpace(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize < RESERVE_BYTES)
    throw new StartError(
      `The volume of ${directory} has less than ${RESERVE_BYTES / 1024 / 1024} MB left. Free some space.`,
    );
}
