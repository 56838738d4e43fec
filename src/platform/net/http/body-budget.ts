/** What all kept bodies may take together, and those of one organization. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SHARE = MAX_BYTES / 2;

/** The memory that one response takes for its body. */
export interface BodyMemory {
  /** Asks for more; false when there is none: then nothing was taken. */
  take(bytes: number): boolean;
  /** Gives everything back. May be called more than once. */
  release(): void;
}

/**
 * The memory for the bodies that running checks keep, in bytes: how many checks run at once says nothing about it. One
 * organization has half of it at most, so that none can take it from the others.
 */
export class BodyBudget {
  private readonly held = new Map<string | null, number>();
  private total = 0;

  constructor(
    private readonly maxBytes = MAX_BYTES,
    private readonly maxShare = MAX_SHARE,
  ) {}

  get heldBytes(): number {
    return this.total;
  }

  /** For one response after the other; the caller releases it. */
  open(organization: string | null): BodyMemory {
    let own = 0;
    return {
      take: (bytes) => {
        const share = (this.held.get(organization) ?? 0) + bytes;
        if (share > this.maxShare || this.total + bytes > this.maxBytes) return false;
        this.hold(organization, bytes);
        own += bytes;
        return true;
      },
      release: () => {
        if (own > 0) this.hold(organization, -own);
        own = 0;
      },
    };
  }

  private hold(organization: string | null, bytes: number): void {
    const share = (this.held.get(organization) ?? 0) + bytes;
    this.total += bytes;
    if (share > 0) this.held.set(organization, share);
    else this.held.delete(organization);
  }
}
