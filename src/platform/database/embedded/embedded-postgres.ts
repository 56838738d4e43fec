import { once } from 'node:events';
import { statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { MessageChannel, Worker } from 'node:worker_threads';
import { clusterTemplate } from './cluster-template';
import { DirectoryLock } from './directory-lock';
import { ownerFor, ownerOf, ownUser } from './data-owner';
import { PortStream } from './port-stream';
import { requireFinishedRestore } from './unfinished-restore';
import { StartError } from '../../config/start-error';
import { makeDirectory } from '../../files/durable-files.cjs';

/**
 * Free space that is never used. It is reserved for the next two segments of the write-ahead log, which the engine
 * needs.
 */
const RESERVE_BYTES = 32 * 1024 * 1024;
/** The thread's exit code if the engine can recover only by a restart. */
const PANIC_CODE = 70;
/**
 * The size of the young generation in the thread's heap, in MB. The thread only forwards messages and needs little. By
 * default, V8 would let garbage grow to 16 MB.
 */
const YOUNG_MB = 4;

export interface EmbeddedPostgresOptions {
  /**
   * The directory for the cluster, or `null` to keep it in memory. If the directory is missing, it is created, readable
   * only by its owner.
   */
  readonly directory: string | null;
  /** The tar file from which a new cluster is created. Default: this folder's `clusterTemplate`. */
  readonly template?: string;
  /** Whether a commit waits for the disk, so that it survives a power failure. Default: true. */
  readonly sync?: boolean;
  /**
   * How long a statement waits for an idle transaction on another connection before it fails with 55P03. Default: 5 s.
   */
  readonly patienceMs?: number;
  /**
   * Called if the engine has crashed, so that nothing can be read or written any more. Default: print the reason and
   * exit with code 1.
   */
  readonly onCrash?: (reason: string) => void;
}

const exitOnCrash = (reason: string): void => {
  process.stderr.write(`The embedded database has stopped: ${reason}. The service cannot continue without it.\n`);
  process.exit(1);
};

/**
 * Runs PostgreSQL in a worker thread of this process. `pg` connects to it through its `stream` option. A commit
 * survives `kill -9`. Unless `sync` is false, it also survives a power failure.
 */
export class EmbeddedPostgres {
  private constructor(
    private readonly worker: Worker,
    private readonly lock: DirectoryLock | null,
    private readonly stopWatching: () => void,
  ) {}

  /**
   * Starts the engine. Resolves when it accepts connections. Throws a `DirectoryInUseError` if another process uses the
   * directory, and a `StartError` if the directory isn't writable or its volume is full.
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const directory = options.directory === null ? null : resolve(options.directory);
    const lock = directory === null ? null : await lockDirectory(directory);
    const worker = new Worker(join(__dirname, 'embedded-worker.cjs'), {
      workerData: {
        directory,
        template: options.template ?? clusterTemplate(__dirname),
        sync: options.sync ?? true,
        patienceMs: options.patienceMs,
        reserveBytes: RESERVE_BYTES,
        panicCode: PANIC_CODE,
        owner: directory === null ? null : ownerFor(directory),
      },
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
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
      crash(
        code === PANIC_CODE ? 'PostgreSQL panicked and has to be restarted' : `its thread exited with code ${code}`,
      );
    worker.once('error', onError).once('exit', onExit);
    // As with a server, an open connection keeps the process alive. An idle engine does not.
    worker.unref();
    return new EmbeddedPostgres(worker, lock, () => worker.off('error', onError).off('exit', onExit));
  }

  /** Opens a connection for `pg`'s `stream` option. */
  connect(): Duplex {
    return new PortStream(() => {
      const { port1, port2 } = new MessageChannel();
      this.worker.postMessage({ port: port2 }, [port2]);
      return port1;
    });
  }

  /** Creates a checkpoint, stops the engine, and releases the directory. Close all pools first. */
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
    requireFinishedRestore(directory);
    return await DirectoryLock.acquire(directory);
  } catch (error) {
    throw explained(error, directory);
  }
}

const OBSTACLES: readonly (readonly [RegExp, string])[] = [
  [/^(EACCES|EPERM)\b/, 'this user may not write there'],
  [/^EROFS\b/, 'the volume is read-only'],
  [/^(EEXIST|ENOTDIR)\b/, 'its path contains something that is not a directory'],
  [/^ENOENT\b/, 'it cannot be created there'],
  [/^ENOSPC\b/, 'the volume is full'],
];

/**
 * Returns an explanation of the system's error in terms of the setting, or the error itself if the setting isn't the
 * cause.
 */
function explained(error: unknown, directory: string): unknown {
  if (!hasMessage(error) || error instanceof StartError) return error;
  if (error.message.startsWith('DATA_DIR:')) return new StartError(error.message, { cause: error });
  if (error.code === 'ENGINE_FAILED')
    return new StartError(
      `DATA_DIR: the embedded database in ${directory} cannot start: ${error.message}. ${engineCure(error.message, directory)}`,
      { cause: error },
    );
  const [, obstacle] = OBSTACLES.find(([pattern]) => pattern.test(error.message)) ?? [];
  if (obstacle === undefined) return error;
  const cure = accessCure(error.message, directory) ?? 'Set DATA_DIR to a directory that this user may write to.';
  return new StartError(`DATA_DIR: ${directory} cannot be used: ${obstacle} (${error.message}). ${cure}`, {
    cause: error,
  });
}

/** Checks the shape, because a worker's error is not an instance of `Error` in every realm. */
const hasMessage = (error: unknown): error is { message: string; code?: unknown } =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';

/**
 * Returns the fix if the directory belongs to this user but contains files owned by another user, or `null` otherwise.
 */
function accessCure(text: string, directory: string): string | null {
  const user = ownUser();
  if (user === null || !/EACCES|EPERM|Permission denied|not permitted/.test(text)) return null;
  if (ownerOf(directory)?.uid !== user.uid) return null;
  return `Files in it belong to another user, such as root. Run chown -R ${user.uid}:${user.gid} ${directory}/ as root.`;
}

function engineCure(text: string, directory: string): string {
  const access = accessCure(text, directory);
  if (access !== null) return access;
  return /initialized by PostgreSQL/.test(text)
    ? 'Start the version of the service that created the directory, or restore a backup that this version created.'
    : 'Move the directory away and restore a backup into a new one.';
}

/** Throws if the volume is nearly full. Without space to recover its log, the engine would hang. */
function requireSpace(directory: string): void {
  makeDirectory(directory, 0o700);
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize < RESERVE_BYTES)
    throw new StartError(
      `The volume of ${directory} has less than ${RESERVE_BYTES / 1024 / 1024} MB left. Free some space.`,
    );
}
