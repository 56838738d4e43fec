import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The path to libfaketime, which depends on the distribution, or `null` if it isn't installed. */
export const fakeTime: string | null = (() => {
  const directories = ['/usr/lib', '/usr/lib64', '/usr/local/lib'].filter(existsSync);
  const candidates = directories.flatMap((directory) => [
    join(directory, 'faketime'),
    ...readdirSync(directory)
      .filter((name) => name.includes('linux'))
      .map((name) => join(directory, name, 'faketime')),
  ]);
  return candidates.map((path) => join(path, 'libfaketimeMT.so.1')).find(existsSync) ?? null;
})();

/** A settable wall clock for one process. The monotonic clock isn't affected. */
export class SetClock {
  private readonly directory = mkdtempSync(join(tmpdir(), 'uptime-clock-'));

  set(aheadSeconds: number): void {
    writeFileSync(join(this.directory, 'time'), `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}s\n`);
  }

  setTo(time: string): void {
    this.set(Math.round((Date.parse(time) - Date.now()) / 1000));
  }

  get env(): Record<string, string> {
    return {
      LD_PRELOAD: fakeTime ?? '',
      FAKETIME_TIMESTAMP_FILE: join(this.directory, 'time'),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
