import type { StreamSubscriber } from './stream-subscriber';

/** Bytes that clients have not read yet; beyond it the connection with the most is closed, to resume from the database. */
const MAX_UNSENT = { perOrganization: 8_000_000, inAll: 64_000_000 };

interface Organization {
  /** Streams that are open or about to be. */
  places: number;
  readonly subscribers: Set<StreamSubscriber>;
}

/** The streams of this process. A stream has its place from its request on, before anything is awaited. */
export class OpenStreams {
  private readonly organizations = new Map<string, Organization>();
  private taken = 0;

  /** Streams that are open or about to be, of all organizations. */
  get places(): number {
    return this.taken;
  }

  /** Takes a place, whatever the limits. `own`: how many the organization has then. `release` may be called twice. */
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

  /** Its place must have been reserved. */
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

  /** Closes connections that do not read, until what waits for all of them is within its limits. */
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
