import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies one run of one process: pids are reused, also after a reboot and in other containers. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal for the same process only. */
  readonly startedAt: string;
  readonly host: string;
  /** Boot of the machine and namespace of the pid: within both a pid belongs to one process at a time. */
  readonly pidSpace: string;
}

const attempt = (read: () => string): string | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/** When the process began, in the system's terms (clock ticks since boot on Linux), or `null` when there is none. */
export function processStart(pid: number): string | null {
  if (process.platform === 'linux') {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    // The name in parentheses may contain anything; the fields after the last ")" are plain: state is the 3rd of stat.
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
