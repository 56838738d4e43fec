const EVERY_MS = 60_000;

/** The losses since the last line. */
interface Loss {
  readonly count: number;
  readonly organizations: number;
}

/**
 * Logs how many items were lost, in how many organizations, and why. Logs the first loss immediately, then at most one
 * line per minute.
 */
export class LossLog {
  private count = 0;
  private readonly orgIds = new Set<string>();
  private why = '';
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly log: (line: string) => void,
    private readonly text: (loss: Loss, why: string) => string,
    private readonly everyMs = EVERY_MS,
  ) {}

  /** Adds a loss. Only the latest reason is logged. */
  add(orgIds: Iterable<string>, count: number, why: string): void {
    for (const orgId of orgIds) this.orgIds.add(orgId);
    this.count += count;
    this.why = why;
    if (!this.timer) this.tell();
  }

  /** Logs the remaining losses, e.g. at shutdown. */
  end(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.count > 0) this.log(this.text({ count: this.count, organizations: this.orgIds.size }, this.why));
    this.count = 0;
    this.orgIds.clear();
  }

  private tell(): void {
    this.end();
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.count > 0) this.tell();
    }, this.everyMs).unref();
  }
}
