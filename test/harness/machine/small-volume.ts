import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEGABYTE = 1024 * 1024;
const PAGE = 4096;

/** Why no small volume can be mounted on this machine, or `null`. */
export const noSmallVolume: string | null = (() => {
  if (process.platform !== 'linux') return 'not Linux';
  const directory = mkdtempSync(join(tmpdir(), 'uptime-volume-'));
  const { error, status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory]);
  const isMounted = !error && status === 0;
  if (isMounted) execFileSync('umount', [directory]);
  rmdirSync(directory);
  return isMounted ? null : 'needs root and mount';
})();

/** An in-memory volume that tests fill completely. */
export class SmallVolume {
  private constructor(readonly path: string) {}

  /** Mounts a volume. `owner` is the user who owns it. */
  static mount(megabytes: number, owner = { uid: 0, gid: 0 }): SmallVolume {
    const directory = mkdtempSync(join(tmpdir(), 'uptime-volume-'));
    const options = `size=${megabytes}m,mode=700,uid=${owner.uid},gid=${owner.gid}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]);
    return new SmallVolume(directory);
  }

  /** Fills the volume to the last page. */
  fill(): void {
    const ballast = openSync(this.ballast, 'w');
    for (const size of [MEGABYTE, PAGE]) {
      const block = Buffer.alloc(size, 1);
      while (hasRoom(() => writeSync(ballast, block)));
    }
    closeSync(ballast);
  }

  free(): void {
    rmSync(this.ballast, { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.path]);
    rmdirSync(this.path);
  }

  private get ballast(): string {
    return join(this.path, 'ballast');
  }
}

function hasRoom(write: () => number): boolean {
  try {
    return write() > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
