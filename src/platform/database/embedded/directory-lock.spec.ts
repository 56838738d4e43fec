import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryInUseError, DirectoryLock, ownIdentity, processStart } from './directory-lock';

const HEARTBEAT_MS = 20;

describe('DirectoryLock', () => {
  let directory: string;
  let lock: DirectoryLock | null = null;

  const file = (): string => join(directory, 'database.lock');
  const acquire = async (): Promise<DirectoryLock> => {
    lock = await DirectoryLock.acquire(directory, HEARTBEAT_MS);
    return lock;
  };
  const leaveLockOf = (owner: object): void =>
    writeFileSync(file(), JSON.stringify({ ...ownIdentity(), takenAt: '2026-01-01T00:00:00.000Z', ...owner }));

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'uptime-lock-'));
  });
  afterEach(() => {
    lock?.release();
    lock = null;
    rmSync(directory, { recursive: true, force: true });
  });

  it('refuses a second owner, with a message that names the process and the directory', async () => {
    await acquire();
    const second = DirectoryLock.acquire(directory, HEARTBEAT_MS);
    await expect(second).rejects.toThrow(DirectoryInUseError);
    await expect(second).rejects.toThrow(`The data directory ${directory} is in use by process ${process.pid} (since`);
  });

  it('admits exactly one of many processes', async () => {
    const attempts = Array.from({ length: 20 }, () => DirectoryLock.acquire(directory, HEARTBEAT_MS));
    const winners = (await Promise.allSettled(attempts)).filter((attempt) => attempt.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    winners[0]?.value.release();
  });

  it('can be acquired again after its release, and leaves no file behind', async () => {
    (await acquire()).release();
    expect(readdirSync(directory)).toEqual([]);
    await acquire();
  });

  it('takes over the lock of a process that has ended', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    leaveLockOf({ pid });
    await acquire();
    expect(readFileSync(file(), 'utf8')).toContain(`"pid":${process.pid},`);
  });

  it('takes over a lock whose pid now belongs to another process', async () => {
    expect(processStart(process.ppid)).not.toBeNull();
    leaveLockOf({ pid: process.ppid, startedAt: 'long ago' });
    await acquire();
  });

  it('respects the lock of a running process', async () => {
    leaveLockOf({ pid: process.ppid, startedAt: processStart(process.ppid) });
    await expect(acquire()).rejects.toThrow(`in use by process ${process.ppid}`);
  });

  it('takes over a lock from before the last boot of this machine', async () => {
    leaveLockOf({ pid: process.ppid, pidSpace: 'another-boot pid:[1]' });
    await acquire();
  });

  it('takes over a file that is not a lock', async () => {
    writeFileSync(file(), '{"half": ');
    await acquire();
  });

  it('refuses while an owner on another machine or in another container updates the lock file', async () => {
    leaveLockOf({ host: 'elsewhere', pid: 1 });
    let beats = 0;
    const beating = setInterval(() => utimesSync(file(), ++beats, beats), HEARTBEAT_MS / 2);
    try {
      await expect(acquire()).rejects.toThrow('in use by process 1 on elsewhere');
    } finally {
      clearInterval(beating);
    }
  });

  it('takes over from an owner on another machine that does not update the lock file', async () => {
    leaveLockOf({ host: 'elsewhere', pid: 1 });
    await acquire();
  });

  it('does not remove a lock that another process has taken since', async () => {
    const own = await DirectoryLock.acquire(directory, 3_600_000);
    leaveLockOf({ pid: process.ppid });
    own.release();
    expect(existsSync(file())).toBe(true);
  });
});
