import { endOfDay, expiryOf } from '../../../web/src/logic/key-expiry';

describe('when a new key expires', () => {
  const now = Date.parse('2026-11-20T10:00:00.000Z');

  it.each([
    ['never', null],
    ['30', '2026-12-20T10:00:00.000Z'],
    ['365', '2027-11-20T10:00:00.000Z'],
  ])('chosen as %s: %s', (choice, expected) => {
    expect(expiryOf(choice, now)).toBe(expected);
  });

  it('includes the chosen day in the time zone of the browser, and leaves an invalid day to the service', () => {
    expect(new Date(endOfDay('2026-12-31')).getTime()).toBe(new Date(2026, 11, 31, 23, 59, 59, 999).getTime());
    expect(endOfDay('')).toBe('');
  });
});
