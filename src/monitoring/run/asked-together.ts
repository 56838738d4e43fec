/** Questions are collected this long: a mass failure makes one query instead of a thousand. */
const COLLECT_MS = 20;

interface Question<Asked, Found> {
  asked: Asked;
  resolve: (found: Found) => void;
}

/** Questions to the database that come in a burst and are asked in one statement. */
export class AskedTogether<Asked, Found> {
  private pending: Question<Asked, Found>[] = [];

  /** `find` never rejects; what it resolves to gives the response to each question. */
  constructor(private readonly find: (asked: readonly Asked[]) => Promise<(asked: Asked) => Found>) {}

  ask(asked: Asked): Promise<Found> {
    return new Promise((resolve) => {
      if (this.pending.length === 0) setTimeout(() => void this.lookUp(), COLLECT_MS);
      this.pending.push({ asked, resolve });
    });
  }

  private async lookUp(): Promise<void> {
    const { pending } = this;
    this.pending = [];
    const found = await this.find(pending.map(({ asked }) => asked));
    for (const { asked, resolve } of pending) resolve(found(asked));
  }
}
