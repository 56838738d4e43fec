import { readFileSync, statSync } from 'node:fs';

const STAT_EVERY_MS = 2000;

/**
 * The parsed content of a small system file. It is checked for changes at most every two seconds and read again after a
 * change. A file that can't be read is treated as empty.
 */
export class WatchedFile<T> {
  private content: T;
  private mark = '';
  private statAt = -Infinity;
  /** Increases by one with every change that is noticed. */
  version = 0;

  constructor(
    private readonly path: string,
    private readonly parse: (text: string) => T,
  ) {
    this.content = parse('');
  }

  read(): T {
    const now = performance.now();
    if (now - this.statAt < STAT_EVERY_MS) return this.content;
    this.statAt = now;
    const mark = this.currentMark();
    if (mark === this.mark) return this.content;
    this.mark = mark;
    this.version += 1;
    this.content = this.parse(this.text());
    return this.content;
  }

  private currentMark(): string {
    const stat = statSync(this.path, { throwIfNoEntry: false });
    return stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : '';
  }

  private text(): string {
    try {
      return readFileSync(this.path, 'utf8');
    } catch {
      return '';
    }
  }
}
