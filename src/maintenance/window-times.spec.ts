import fc from 'fast-check';
import { daysFrom, readCron, timesOf } from '../platform/time/cron-calendar';
import { startsFrom, take } from '../platform/time/cron-times';
import { isTimeZone } from '../platform/time/time-zone';
import { nextSpans, type WindowTimes } from './window-times';

const MINUTE = 60_000;
const DAY = 86_400_000;
const text = (at: Date): string => at.toISOString().slice(0, 16);
const startsBetween = (cron: string, timezone: string, from: string, to: string): string[] => {
  const found: string[] = [];
  for (const at of startsFrom(cron, timezone, new Date(from))) {
    if (at >= new Date(to)) break;
    found.push(text(at));
  }
  return found;
};

/** Returns this many full hours, starting with the given one. */
const hours = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => text(new Date(Date.parse(`${first}:00:00Z`) + i * 60 * MINUTE)));

describe('the night in which the clock is set forward', () => {
  it.each([
    ['a time that does not exist starts at the first that does', '30 2 * * *', ['2027-03-28T01:00']],
    ['a list with such a time keeps its other times', '30 2,15 * * *', ['2027-03-28T01:00', '2027-03-28T13:30']],
    [
      'a range starts once where two times fall together',
      '0 1-4 * * *',
      ['2027-03-28T00:00', '2027-03-28T01:00', '2027-03-28T02:00'],
    ],
    ['steps within the hour that does not exist start nothing', '*/20 2 * * *', []],
    ['every hour starts each hour', '0 * 28 3 *', hours('2027-03-27T23', 23)],
    [
      'steps of hours leave out the one that does not exist',
      '0 */2 28 * *',
      ['2027-03-27T23:00', ...hours('2027-03-28T02', 19).filter((_, i) => i % 2 === 0)],
    ],
    ['a time after it', '30 3 * * *', ['2027-03-28T01:30']],
  ])('in Berlin: %s (%p)', (_, cron, expected) => {
    expect(startsBetween(cron, 'Europe/Berlin', '2027-03-27T23:00:00Z', '2027-03-28T22:00:00Z')).toEqual(expected);
  });

  it.each([
    ['America/New_York', '30 2 * * *', '2027-03-14T05:00:00Z', '2027-03-14T07:00'],
    ['Australia/Lord_Howe', '15 2 * * *', '2027-10-02T13:30:00Z', '2027-10-02T15:30'],
  ])('in %s %p starts at the first time that exists', (zone, cron, from, expected) => {
    expect(text(take(startsFrom(cron, zone, new Date(from)), 1)[0] ?? new Date(0))).toBe(expected);
  });
});

describe('the night in which the clock is set back', () => {
  it.each([
    ['a time that comes twice starts once, the first time', '30 2 * * *', ['2027-10-31T00:30']],
    ['a list with such a time', '30 2,15 * * *', ['2027-10-31T00:30', '2027-10-31T14:30']],
    ['a range', '0 1-4 * * *', ['2027-10-30T23:00', '2027-10-31T00:00', '2027-10-31T02:00', '2027-10-31T03:00']],
    [
      'steps within the hour that comes twice start in both',
      '*/20 2 * * *',
      ['00:00', '00:20', '00:40', '01:00', '01:20', '01:40'].map((time) => `2027-10-31T${time}`),
    ],
    ['every hour starts each hour', '0 * 31 10 *', hours('2027-10-30T22', 25)],
    ['a time before it', '30 1 * * *', ['2027-10-30T23:30']],
    ['a time after it', '0 3 * * *', ['2027-10-31T02:00']],
  ])('in Berlin: %s (%p)', (_, cron, expected) => {
    expect(startsBetween(cron, 'Europe/Berlin', '2027-10-30T22:00:00Z', '2027-10-31T23:00:00Z')).toEqual(expected);
  });

  it.each([
    ['America/New_York', '30 1 * * *', '2027-11-07T04:00:00Z', '2027-11-07T05:30'],
    ['Australia/Lord_Howe', '45 1 * * *', '2027-04-03T13:00:00Z', '2027-04-03T14:45'],
  ])('in %s %p starts the first time', (zone, cron, from, expected) => {
    expect(text(take(startsFrom(cron, zone, new Date(from)), 1)[0] ?? new Date(0))).toBe(expected);
  });
});

it.each([
  ['UTC', '2026-12-01T02:00'],
  ['Asia/Kathmandu', '2026-12-01T20:15'],
  ['Europe/Berlin', '2026-12-01T01:00'],
  ['America/Los_Angeles', '2026-12-01T10:00'],
])('02:00 is local time in %s, in any time zone of the server', (zone, expected) => {
  expect(text(take(startsFrom('0 2 * * *', zone, new Date('2026-12-01T00:00:00Z')), 1)[0] ?? new Date(0))).toBe(
    expected,
  );
});

/**
 * Tests each minute to see whether a wall clock shows a time that matches the expression. Without a `*` in minutes and
 * hours, it also counts a time that the clock has just skipped, and ignores one that it has already shown.
 */
function byLookingAtTheClock(cron: string, zone: string, from: number, to: number): string[] {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const wallOf = (at: number) => Date.parse(`${clock.format(at).replace(' ', 'T')}:00Z`);
  const calendar = readCron(cron);
  if (!calendar) throw new Error('refused');
  const times = new Set<number>();
  for (const midnight of daysFrom(calendar, from - 3 * DAY)) {
    if (midnight > to + 3 * DAY) break;
    for (const time of timesOf(calendar)) times.add(midnight + time);
  }
  const found: string[] = [];
  let newest = wallOf(from - 3 * 60 * MINUTE);
  for (let at = from - 3 * 60 * MINUTE + MINUTE; at < to; at += MINUTE) {
    const wall = wallOf(at);
    let starts = calendar.isWild && times.has(wall);
    for (let shown = newest + MINUTE; shown <= wall && !calendar.isWild; shown += MINUTE) starts ||= times.has(shown);
    newest = Math.max(newest, wall);
    if (starts && at >= from) found.push(text(new Date(at)));
  }
  return found;
}

describe('lists, ranges, and steps', () => {
  const nights = [
    ['Europe/Berlin', '2027-03-28T01:00:00Z'],
    ['Europe/Berlin', '2027-10-31T01:00:00Z'],
    ['America/New_York', '2027-03-14T07:00:00Z'],
    ['America/New_York', '2027-11-07T06:00:00Z'],
    ['Australia/Lord_Howe', '2027-10-02T15:30:00Z'],
    ['Australia/Lord_Howe', '2027-04-03T15:00:00Z'],
    ['Asia/Kathmandu', '2027-03-28T01:00:00Z'],
    ['UTC', '2027-03-28T01:00:00Z'],
  ] as const;
  const part = (max: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.integer({ min: 2, max: Math.floor(max / 2) }).map((by) => `*/${by}`),
      fc.array(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 4 }).map((list) => list.join(',')),
      fc
        .tuple(fc.integer({ min: 0, max }), fc.integer({ min: 0, max }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    );

  it.each(nights)('start in %s around %s when a local clock shows their times for the first time', (zone, change) => {
    const at = Date.parse(change);
    const [from, to] = [at - 5 * 60 * MINUTE, at + 5 * 60 * MINUTE];
    fc.assert(
      fc.property(part(59), part(23), (minute, hour) => {
        const cron = `${minute} ${hour} * * *`;
        const found = startsBetween(cron, zone, new Date(from).toISOString(), new Date(to).toISOString());
        expect(found).toEqual(byLookingAtTheClock(cron, zone, from, to));
      }),
      { numRuns: 40 },
    );
  });
});

describe('the occurrences of a window', () => {
  const nightly: WindowTimes = {
    startsAt: null,
    endsAt: null,
    cron: '0 23 * * *',
    timezone: 'Europe/Berlin',
    durationSeconds: 2 * 3600,
  };
  const spans = (times: WindowTimes, from: string, count = 2) =>
    nextSpans(times, new Date(from), count).map(({ startsAt, endsAt }) => `${text(startsAt)} ${text(endsAt)}`);

  it('continue across midnight, and the current one comes first', () => {
    expect(spans(nightly, '2026-11-23T23:59:59Z')).toEqual([
      '2026-11-23T22:00 2026-11-24T00:00',
      '2026-11-24T22:00 2026-11-25T00:00',
    ]);
    expect(spans(nightly, '2026-11-24T00:00:00Z', 1)).toEqual(['2026-11-24T22:00 2026-11-25T00:00']);
  });

  it('last as long on the night of a change as on any other', () => {
    const patching = { ...nightly, cron: '0 2 * * SUN', durationSeconds: 7200 };
    expect(spans(patching, '2027-03-27T12:00:00Z', 1)).toEqual(['2027-03-28T01:00 2027-03-28T03:00']);
    expect(spans(patching, '2027-10-30T12:00:00Z', 1)).toEqual(['2027-10-31T00:00 2027-10-31T02:00']);
  });

  it('start within the bounds of the window and end with it', () => {
    const bounded = {
      ...nightly,
      startsAt: new Date('2026-12-01T22:30:00Z'),
      endsAt: new Date('2026-12-03T23:00:00Z'),
    };
    expect(spans(bounded, '2026-11-01T00:00:00Z', 9)).toEqual([
      '2026-12-02T22:00 2026-12-03T00:00',
      '2026-12-03T22:00 2026-12-03T23:00',
    ]);
  });

  it('are only one for a window that does not recur, until it is over', () => {
    const once = {
      ...nightly,
      cron: null,
      timezone: null,
      durationSeconds: null,
      startsAt: new Date('2026-12-01T00:00:00Z'),
      endsAt: new Date('2026-12-01T01:00:00Z'),
    };
    expect(spans(once, '2026-12-01T00:59:59Z')).toEqual(['2026-12-01T00:00 2026-12-01T01:00']);
    expect(spans(once, '2026-12-01T01:00:00Z')).toEqual([]);
  });

  it('end with the last year that can be shown', () => {
    expect(spans(nightly, '9999-01-01T12:00:00Z')).toEqual([]);
  });
});

it.each([
  ['Europe/Berlin', true],
  ['Asia/Kathmandu', true],
  ['Australia/Lord_Howe', true],
  ['UTC', true],
  ['Etc/GMT+5', true],
  ['CET', true],
  ['Europe/Gotham', false],
  ['+01:00', false],
  ['-05', false],
  ['', false],
  ['local', false],
  ['../etc/passwd', false],
])('the time zone %p is in the IANA database: %p', (name, is) => {
  expect(isTimeZone(name)).toBe(is);
});
