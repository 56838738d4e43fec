import { lockOf } from './idempotency-keys';

describe('the lock of an Idempotency-Key', () => {
  it('is a number of 64 bits by organization and key, from a hash that nobody can aim', () => {
    // sha256('idempotency_key:o:k') starts with these eight bytes.
    expect(lockOf('o', 'k')).toBe('4935644118573457600');
    expect(new Set([lockOf('o', 'k'), lockOf('o', 'l'), lockOf('p', 'k')]).size).toBe(3);
  });
});
