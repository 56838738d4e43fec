import { DAY_MS } from '../platform/time/time-units';

/** The failed attempts at a contact's destination since the last successful one. */
export interface FailedAttempts {
  /** The time of the first failed attempt. `null` if the last message arrived. */
  since: Date | null;
  count: number;
  /** The time of the newest failed attempt. `null` if only an earlier version of the service made attempts. */
  lastAt: Date | null;
}

/**
 * The criteria for a failing contact: how long it has failed, how many attempts failed, and how recent the last one is.
 */
export const FAILING = { longerThanMs: 7 * DAY_MS, attempts: 3, withinMs: DAY_MS } as const;

/**
 * Returns true if, for a week, no message to the contact has arrived despite attempts. Without attempts, a contact
 * isn't failing. A contact that no alert uses stops failing a day after its last attempt.
 */
export function isFailing({ since, count, lastAt }: FailedAttempts, now: Date): boolean {
  if (since === null || lastAt === null || count < FAILING.attempts) return false;
  return now.getTime() - since.getTime() > FAILING.longerThanMs && now.getTime() - lastAt.getTime() <= FAILING.withinMs;
}

/** The parts of a default contact that determine whether it is used for notifications. */
export interface DefaultContact {
  id: string;
  type: string;
  destination: string | null;
  failed: FailedAttempts;
}

/**
 * Returns the contacts to notify about a failing contact: the other default contacts, each destination once. It
 * excludes contacts that are failing themselves. It also excludes pagers, which would open an incident that nothing
 * closes, and wake someone for a week-old problem.
 */
export function toldOf<T extends DefaultContact>(
  failingId: string,
  defaults: readonly T[],
  isPager: (type: string) => boolean,
  now: Date,
): T[] {
  const told = new Map<string, T>();
  for (const contact of defaults) {
    const key = contact.destination ?? contact.id;
    if (contact.id === failingId || isPager(contact.type) || isFailing(contact.failed, now) || told.has(key)) continue;
    told.set(key, contact);
  }
  return [...told.values()];
}
