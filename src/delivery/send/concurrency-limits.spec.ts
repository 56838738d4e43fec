import { CONCURRENCY_LIMITS, ConcurrencyLimits, roomOf } from './concurrency-limits';
import type { Attempt } from './attempt';

const attempt = (orgId: string, destination: string, host: string | null = null): Attempt =>
  ({ orgId, destination, host }) as Attempt;

/**
 * Returns how many attempts each of these organizations has if they take turns, each starts as many as it may, and no
 * attempt ever finishes.
 */
function hangingInTurn(organizations: number): number[] {
  let inFlight = 0;
  return Array.from({ length: organizations }, () => {
    const room = roomOf(CONCURRENCY_LIMITS, inFlight, 0);
    inFlight += room;
    return room;
  });
}

/** Returns the same after all their attempts have finished one by one, and each organization has started new ones. */
function hangingForLong(organizations: number): number[] {
  const own = hangingInTurn(organizations);
  const all = () => own.reduce((sum, count) => sum + count, 0);
  for (let ended = 0; ended < 10_000; ended++) {
    const index = ended % organizations;
    own[index] = Math.max(0, (own[index] ?? 0) - 1);
    for (let other = 0; other < organizations; other++)
      own[other] = (own[other] ?? 0) + roomOf(CONCURRENCY_LIMITS, all(), own[other] ?? 0);
  }
  return own;
}

describe('the share of an organization', () => {
  it.each([
    { what: 'half of all when it is alone', inFlight: 0, own: 0, room: 32 },
    { what: 'no more than half of all', inFlight: 32, own: 32, room: 0 },
    { what: 'half of what another one leaves', inFlight: 32, own: 0, room: 16 },
    { what: 'nothing more once it has what it leaves free', inFlight: 48, own: 16, room: 0 },
    { what: 'one of the reserved attempts when it has none', inFlight: 60, own: 0, room: 1 },
    { what: 'no reserved attempt when it has one', inFlight: 60, own: 1, room: 0 },
    { what: 'nothing when all are in flight', inFlight: 64, own: 0, room: 0 },
  ])('is $what', ({ inFlight, own, room }) => {
    expect(roomOf(CONCURRENCY_LIMITS, inFlight, own)).toBe(room);
  });

  it('leaves an attempt for the next organization, in any order in which the first six came and went', () => {
    for (const own of [hangingInTurn(6), hangingForLong(6)]) {
      const inFlight = own.reduce((sum, count) => sum + count, 0);
      expect(roomOf(CONCURRENCY_LIMITS, inFlight, 0)).toBeGreaterThan(0);
    }
  });

  it('becomes equal for all organizations whose attempts hang for long', () => {
    const own = hangingForLong(6);
    expect(Math.max(...own) - Math.min(...own)).toBeLessThanOrEqual(1);
    expect(Math.min(...own)).toBeGreaterThanOrEqual(8);
  });
});

describe('limits on attempts in flight', () => {
  it('count destinations and hosts separately for each organization', () => {
    const limits = new ConcurrencyLimits();
    for (let i = 0; i < 16; i++) limits.take(attempt('theirs', `same-${i >> 2}`, 'hooks.example'));
    expect(limits.busy().hosts).toEqual([expect.objectContaining({ orgId: 'theirs', key: 'hooks.example' })]);
    expect(limits.busy().destinations).toHaveLength(4);
    expect(limits.freeAt({ orgId: 'theirs', destination: 'same-0' })).toBe(0);
    expect(limits.freeAt({ orgId: 'mine', destination: 'same-0' })).toBe(4);
  });

  it('name an organization as busy only while it cannot start anything', () => {
    const limits = new ConcurrencyLimits();
    const attempts = Array.from({ length: 32 }, (_, i) => attempt('theirs', `${i}`));
    for (const one of attempts) limits.take(one);
    expect(limits.busy().orgs).toEqual(['theirs']);
    for (const one of attempts.slice(0, 2)) limits.release(one);
    expect(limits.busy().orgs).toEqual([]);
  });
});
