import { ByOwner, type Owner } from '../../capacity/by-owner';

/** The maximum memory for all stored bodies, and for the bodies of one organization. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SHARE = MAX_BYTES / 2;

export interface BodyMemory {
  /** Reserves more memory. If there isn't enough, reserves nothing and returns false. */
  take(bytes: number): boolean;
  /** Releases all reserved memory. May be called more than once. */
  release(): void;
}

/**
 * The memory for bodies that running checks store, in bytes. The number of concurrent checks doesn't limit it. One
 * organization may use at most half, so that it can't starve the others.
 */
export class BodyBudget extends ByOwner {
  constructor(maxBytes = MAX_BYTES, maxShare = MAX_SHARE) {
    super(maxBytes, maxShare);
  }

  /** Creates the memory account for one response. The caller must release it. */
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
