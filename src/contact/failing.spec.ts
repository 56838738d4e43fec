import { DAY_MS, HOUR_MS } from '../platform/time/time-units';
import { type DefaultContact, type FailedAttempts, isFailing, toldOf } from './failing';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);

const FOR_DAYS: FailedAttempts = { since: ago(8 * DAY_MS), count: 41, lastAt: ago(HOUR_MS) };
const WORKS: FailedAttempts = { since: null, count: 0, lastAt: null };

describe('a contact is failing', () => {
  it.each<[string, Partial<FailedAttempts>, boolean]>([
    ['after eight days and many attempts', {}, true],
    ['not while messages arrive', WORKS, false],
    ['not after a week to the millisecond', { since: ago(7 * DAY_MS) }, false],
    ['a millisecond later', { since: ago(7 * DAY_MS + 1) }, true],
    ['not with two attempts', { count: 2 }, false],
    ['with three', { count: 3 }, true],
    ['when the last attempt is a day old', { lastAt: ago(DAY_MS) }, true],
    ['not when it is older', { lastAt: ago(DAY_MS + 1) }, false],
    ['not when an older version made the last attempt', { lastAt: null }, false],
    ['when the last attempt is ahead of the clock', { lastAt: ago(-HOUR_MS) }, true],
  ])('%s', (_, changes, expected) => {
    expect(isFailing({ ...FOR_DAYS, ...changes }, NOW)).toBe(expected);
  });
});

const contact = (id: string, changes: Partial<DefaultContact> = {}): DefaultContact => ({
  id,
  type: 'slack',
  destination: `of ${id}`,
  failed: WORKS,
  ...changes,
});

describe('a failing contact is reported to', () => {
  const isPager = (type: string) => type === 'pagerduty';
  const told = (...defaults: DefaultContact[]) => toldOf('a', defaults, isPager, NOW).map(({ id }) => id);

  it.each<[string, DefaultContact[], string[]]>([
    ['all other default contacts', [contact('a'), contact('b'), contact('c')], ['b', 'c']],
    ['no one, if it is the only one', [contact('a')], []],
    ['no one without default contacts', [], []],
    ['no contact that fails itself', [contact('b', { failed: FOR_DAYS }), contact('c')], ['c']],
    ['one that has failed for a day only', [contact('b', { failed: { ...FOR_DAYS, since: ago(DAY_MS) } })], ['b']],
    ['no pagers', [contact('b', { type: 'pagerduty' })], []],
    [
      'the first of several at one destination',
      [contact('b', { destination: 'x' }), contact('c', { destination: 'x' })],
      ['b'],
    ],
    [
      'all whose channel names no destination',
      [contact('b', { destination: null }), contact('c', { destination: null })],
      ['b', 'c'],
    ],
  ])('%s', (_, defaults, expected) => {
    expect(told(...defaults)).toEqual(expected);
  });
});
