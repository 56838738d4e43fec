import { DAY_MS } from '../platform/time/time-units';

/** The failed attempts at a contact's destination since the last one that was delivered. */
export interface FailedAttempts {
  /** The first of them; `null` while messages arrive. */
  since: Date | null;
  count: number;
  /** The newest of them; `null` where only a version before this one made any. */
  lastAt: Date | null;
}

/** Failing for longer than this, with so many attempts and the last of them so recent, is failing for days. */
export const FAILING = { longerThanMs: 7 * DAY_MS, attempts: 3, withinMs: DAY_MS } as const;

/**
 * Messages to the contact have not arrived for a week, although it was tried. What nobody tries any more is not failing: a
 * contact that no alert uses drops out a day after its last attempt.
 */
export function isFailing({ since, count, lastAt }: FailedAttempts, now: Date): boolean {
  if (since === null || lastAt === null || count < FAILING.attempts) return false;
  return now.getTime() - since.getTime() > FAILING.longerThanMs && now.getTime() - lastAt.getTime() <= FAILING.withinMs;
}

/** A default contact, as far as it decides whether others are told through it. */
export interface DefaultContact {
  id: string;
  type: string;
  destination: string | null;
  failed: FailedAttempts;
}

/**
 * Whom to tell of a contact that fails: the other default contacts, each destination once. Not those that fail themselves,
 * which would tell nobody; not pagers, which would open an incident that nothing closes and wake somebody for what has been
 * so for a week.
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
