import {
  chownSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  readlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execFileSync } from 'node:child_process';
import { hostname } from 'node:os';
import { StartError } from '../../config/start-error';
import { ownerFor } from './data-owner';

const HEARTBEAT_MS = 1000;
/** An owner on another host or in another container counts as dead after this many missed heartbeats in a row. */
const MISSED_HEARTBEATS = 5;

interface LockContent extends ProcessIdentity {
  /** When the lock was taken. For people who read the file. */
  readonly takenAt: string;
}

/** The error if another process uses the directory. Nothing was changed. */
export class DirectoryInUseError extends StartError {
  constructor(
    readonly directory: string,
    readonly pid: number,
    owner: LockContent,
    self: ProcessIdentity,
  ) {
    const where = owner.host === self.host ? '' : ` on ${owner.host}`;
    super(
      `The data directory ${directory} is in use by process ${pid}${where} (since ${owner.takenAt}). ` +
        `Stop that process first, or set DATA_DIR to another directory.`,
    );
    this.name = 'DirectoryInUseError';
  }
}

/** The state of the lock's owner as seen from this process. `foreign`: on another host or in another container. */
type Owner = 'alive' | 'gone' | 'foreign';

/**
 * Allows only one process per data directory. The embedded database itself would accept a second process and lose
 * committed rows. If the owner was killed, its lock is recognized as stale by PID and start time, so a reused PID
 * doesn't count as alive. If the PID means nothing here (another container, or another host with a shared disk), the
 * owner's heartbeat decides.
 */
export class DirectoryLock {
  private readonly heartbeat: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private readonly text: string,
    heartbeatMs: number,
  ) {
    this.heartbeat = setInterval(() => this.beat(), heartbeatMs).unref();
    process.once('exit', this.release);
  }

  /** Acquires the lock. The directory must exist. Throws a `DirectoryInUseError` if another process has the lock. */
  static async acquire(directory: string, heartbeatMs = HEARTBEAT_MS): Promise<DirectoryLock> {
    const file = join(directory, 'database.lock');
    const self = ownIdentity();
    const text = `${JSON.stringify({ ...self, takenAt: new Date().toISOString() } satisfies LockContent)}\n`;
    while (!create(file, text)) {
      const found = read(file);
      if (found === null) continue;
      const owner = parse(found);
      const state = owner === null ? 'gone' : judge(owner, self);
      if (owner !== null && (state === 'alive' || (state === 'foreign' && (await isBeating(file, heartbeatMs)))))
        throw new DirectoryInUseError(directory, owner.pid, owner, self);
      clear(file, found);
    }
    return new DirectoryLock(file, text, heartbeatMs);
  }

  /** Releases the directory, unless it was already released or this process has lost the lock. */
  readonly release = (): void => {
    clearInterval(this.heartbeat);
    process.off('exit', this.release);
    if (read(this.file) === this.text) rmSync(this.file, { force: true });
  };

  /**
   * Updates the heartbeat. Exits the process if another process took over the directory while this one was suspended,
   * because two writers would destroy the data.
   */
  private beat(): void {
    if (read(this.file) !== this.text) {
      process.stderr.write(`The lock ${this.file} was removed; stopping before the data is damaged.\n`);
      process.exit(1);
    }
    const now = new Date();
    utimesSync(this.file, now, now);
  }
}

const bootOf = (pidSpace: string): string => pidSpace.split(' ')[0] ?? '';

function judge(owner: LockContent, self: ProcessIdentity): Owner {
  if (owner.host !== self.host) return 'foreign';
  if (owner.pidSpace === self.pidSpace) return processStart(owner.pid) === owner.startedAt ? 'alive' : 'gone';
  return bootOf(owner.pidSpace) === bootOf(self.pidSpace) ? 'foreign' : 'gone';
}

/**
 * Returns whether the lock file's modification time changes. The time is compared only with itself, so differences
 * between the hosts' clocks don't matter.
 */
async function isBeating(file: string, heartbeatMs: number): Promise<boolean> {
  const before = modified(file);
  for (let i = 0; i < MISSED_HEARTBEATS; i++) {
    await delay(heartbeatMs);
    if (modified(file) !== before) return modified(file) !== null;
  }
  return false;
}

/**
 * Creates the lock file atomically. `link` fails if the name is taken, and the content has already been written by
 * then.
 */
function create(file: string, text: string): boolean {
  const draft = `${file}.${process.pid}.${process.hrtime.bigint()}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    const owner = ownerFor(dirname(file));
    if (owner !== null) chownSync(draft, owner.uid, owner.gid);
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes only the stale lock. If another process has taken the lock since then, its lock is restored. */
function clear(file: string, stale: string): void {
  const aside = `${file}.stale.${process.pid}.${process.hrtime.bigint()}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (read(aside) !== stale) {
    try {
      linkSync(aside, file);
    } catch {
      // A third process has the lock by now. The owner whose lock was set aside notices this at its next heartbeat.
    }
  }
  rmSync(aside, { force: true });
}

const read = (file: string): string | null => optional(() => readFileSync(file, 'utf8'));
const modified = (file: string): number | null => optional(() => statSync(file).mtimeMs);

function optional<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Returns `null` if the string isn't a lock written by this program. */
function parse(text: string): LockContent | null {
  try {
    const content: unknown = JSON.parse(text);
    const isLock =
      typeof content === 'object' &&
      content !== null &&
      'pid' in content &&
      typeof content.pid === 'number' &&
      'startedAt' in content &&
      'host' in content &&
      'pidSpace' in content &&
      typeof content.pidSpace === 'string';
    return isLock ? (content as LockContent) : null;
  } catch {
    return null;
  }
}

/** Identifies one run of a process. PIDs are reused, even after a reboot and in other containers. */
interface ProcessIdentity {
  readonly pid: number;
  /** An opaque value that is equal only for the same process. */
  readonly startedAt: string;
  readonly host: string;
  /** The host's boot ID and the PID namespace. Within both, a PID belongs to only one process at a time. */
  readonly pidSpace: string;
}

const attempt = (read: () => string): string | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/**
 * Returns when the process started, in the system's units (clock ticks since boot on Linux). Returns `null` if the
 * process isn't running.
 */
export function processStart(pid: number): string | null {
  if (process.platform === 'linux') {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    // The name in parentheses may contain any characters. The fields after the last ")" are plain, and the state is the
    // third field in stat.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  }
  if (process.platform === 'win32') return isRunning(pid) ? 'unknown' : null;
  const text = attempt(() => execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }));
  return text?.trim() || null;
}

export function ownIdentity(): ProcessIdentity {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '';
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  return {
    pid: process.pid,
    startedAt: processStart(process.pid) ?? '',
    host: hostname(),
    pidSpace: `${boot} ${namespace}`.trim(),
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
