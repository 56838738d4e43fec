import type { StreamSubscriber } from './stream-subscriber';

/**
 * Limits for bytes that clients have not read yet. Above a limit, the connection with the most unread bytes is closed.
 * It can resume from the database.
 */
const MAX_UNSENT = { perOrganization: 8_000_000, inAll: 64_000_000 };

interface Organization {
  /** The number of streams that are open or being opened. */
  places: number;
  readonly subscribers: Set<StreamSubscriber>;
}

/** The streams of this process. A stream takes a place as soon as its request arrives, before anything is awaited. */
export class OpenStreams {
  private readonly organizations = new Map<string, Organization>();
  private taken = 0;

  /** The number of streams that are open or being opened, across all organizations. */
  get places(): number {
    return this.taken;
  }

  /**
   * Takes a place, regardless of the limits. `own` is the organization's number of streams after that. `release` may be
   * called twice.
   */
  reserve(orgId: string): { own: number; release: () => void } {
    const organization = this.organizations.get(orgId) ?? { places: 0, subscribers: new Set<StreamSubscriber>() };
    this.organizations.set(orgId, organization);
    organization.places++;
    this.taken++;
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      this.taken--;
      if (--organization.places === 0) this.organizations.delete(orgId);
    };
    return { own: organization.places, release };
  }

  /** Adds a subscriber. Its place must have been reserved. */
  add(subscriber: StreamSubscriber): void {
    this.organizations.get(subscriber.caller.orgId)?.subscribers.add(subscriber);
  }

  delete(subscriber: StreamSubscriber): void {
    this.organizations.get(subscriber.caller.orgId)?.subscribers.delete(subscriber);
  }

  of(orgId: string): Iterable<StreamSubscriber> {
    return this.organizations.get(orgId)?.subscribers ?? [];
  }

  *all(): IterableIterator<StreamSubscriber> {
    for (const { subscribers } of this.organizations.values()) yield* subscribers;
  }

  get isEmpty(): boolean {
    return this.all().next().done === true;
  }

  /** Closes connections that don't read until the unread bytes are within the limits. */
  closeUnread(): void {
    for (const { subscribers } of this.organizations.values()) closeFullest(subscribers, MAX_UNSENT.perOrganization);
    closeFullest(this.all(), MAX_UNSENT.inAll);
  }
}

function closeFullest(subscribers: Iterable<StreamSubscriber>, limit: number): void {
  const waiting = [...subscribers].filter(({ unsentBytes }) => unsentBytes > 0);
  let sum = waiting.reduce((bytes, { unsentBytes }) => bytes + unsentBytes, 0);
  if (sum <= limit) return;
  for (const subscriber of waiting.sort((a, b) => b.unsentBytes - a.unsentBytes)) {
    if (sum <= limit) return;
    sum -= subscriber.unsentBytes;
    subscriber.cutOff();
  }
}
