import { mayBeRevoked } from './admin-keys';

const NOW = new Date('2026-11-20T12:00:00Z');
const later = new Date('2026-12-01T00:00:00Z');
const earlier = new Date('2026-11-01T00:00:00Z');
const admin = (expires_at: Date | null = null) => ({ role: 'admin', expires_at }) as const;

describe('mayBeRevoked', () => {
  it.each([
    ["a key that isn't an admin key", { role: 'write', expires_at: null } as const, [], true],
    ['the only admin key', admin(), [], false],
    ['an admin key next to another one that never expires', admin(), [admin()], true],
    ['the last one that never expires, next to one that will expire', admin(), [admin(later)], false],
    ['one that will expire, next to one that never does', admin(later), [admin()], true],
    ['one that will expire, next to another one that will expire', admin(later), [admin(later)], true],
    ['the only one that is still valid, next to an expired one', admin(later), [admin(earlier)], false],
    ['an expired one, with no other', admin(earlier), [], true],
  ])('%s', (_, key, others, isAllowed) => {
    expect(mayBeRevoked(key, others, NOW)).toBe(isAllowed);
  });
});
