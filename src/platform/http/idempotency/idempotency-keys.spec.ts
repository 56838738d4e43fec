import { lockOf } from './idempotency-keys';

describe('the lock of an Idempotency-Key', () => {
  it('is a 64-bit number from organization and key, with a hash that cannot be targeted', () => {
    // These are the first eight bytes of sha256('idempotency_key:o:k').
    expect(lockOf('o', 'k')).toBe('4935644118573457600');
    expect(new Set([lockOf('o', 'k'), lockOf('o', 'l'), lockOf('p', 'k')]).size).toBe(3);
  });
});
