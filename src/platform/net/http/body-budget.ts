import { ByOwner, type Owner } from '../../capacity/by-owner';

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
export class BodyBudget extends ByOwner {
  constructor(maxBytes = MAX_BYTES, maxShare = MAX_SHARE) {
    super(maxBytes, maxShare);
  }

  /** For one response after the other; the caller releases it. */
  open(organization: Owner): BodyMemory {
    let own = 0;
    return {
      take: (bytes) => {
        const isTaken = this.tryTake(organization, bytes);
        if (isTaken) own += bytes;
        return isTaken;
      },
      release: () => {
        this.release(organization, own);
        own = 0;
      },
    };
  }
}
