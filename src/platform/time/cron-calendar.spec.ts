import { Cron } from 'croner';
import fc from 'fast-check';
import { daysFrom, readCron, timesOf } from './cron-calendar';
import { take } from './cron-times';

describe('a cron expression', () => {
  it.each([
    ['*/5 2-6 1,15 JAN-MAR MON-FRI'],
    ['0 2 * * sun#2'],
    ['0 2 L * *'],
    ['0 2 * * FRI#L'],
    ['0 2 * * 7'],
    ['  0\t2 *  * * '],
    ['0-30/10 0 * * 1-5/2'],
  ])('%p is accepted', (text) => {
    expect(readCron(text)).not.toBeNull();
  });

  it.each([
    [''],
    ['* * * *'],
    ['0 0 2 * * *'],
    ['0 0 2 * * * 2027'],
    ['@daily'],
    ['@hourly * * * *'],
    ['0 2 15W * *'],
    ['0 2 LW * *'],
    ['0 2 ? * *'],
    ['0 2 1 * +MON'],
    ['~ * * * *'],
    ['60 * * * *'],
    ['0 24 * * *'],
    ['0 0 0 * *'],
    ['0 0 32 * *'],
    ['0 0 * 13 *'],
    ['0 0 * * 8'],
    ['0 22-2 * * *'],
    ['*/0 * * * *'],
    ['*/61 * * * *'],
    ['5/15 * * * *'],
    ['-1 * * * *'],
    ['1.5 * * * *'],
    ['0x1 * * * *'],
    ['1e1 * * * *'],
    ['0 2 * * SUN#6'],
    ['0 2 * * L'],
    ['0 2 * FOO *'],
    ['0 2 * * MONDAY'],
    ['0 2 * * * ; DROP TABLE'],
    ['١ * * * *'],
    [`${'1,'.repeat(30)} * * * *`],
  ])('%p is refused', (text) => {
    expect(readCron(text)).toBeNull();
  });
});

const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
const range = (min: number, max: number) =>
  fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
const step = (min: number, max: number) => number(1, max - min).map((by) => `*/${by}`);
const field = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc
      .array(fc.oneof(number(min, max), range(min, max)), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join(',')),
    step(min, max),
  );
const weekday = fc.oneof(
  field(0, 6),
  fc.tuple(number(0, 6), fc.constantFrom('1', '2', '3', '4', '5', 'L')).map((p) => p.join('#')),
);
const day = fc.oneof(field(1, 31), fc.constant('L'));

describe('the dates of a cron expression', () => {
  it('match the dates of croner if the clock is never changed', () => {
    fc.assert(
      fc.property(
        field(0, 59),
        field(0, 23),
        day,
        field(1, 12),
        weekday,
        fc.date({ min: new Date('2026-01-01'), max: new Date('2032-01-01'), noInvalidDate: true }),
        (minute, hour, dayOfMonth, month, dayOfWeek, from) => {
          const expression = `${minute} ${hour} ${dayOfMonth} ${month} ${dayOfWeek}`;
          const calendar = readCron(expression);
          if (!calendar) throw new Error(`${expression} was refused`);
          const found = (function* () {
            for (const midnight of daysFrom(calendar, from.getTime()))
              for (const time of timesOf(calendar)) if (midnight + time > from.getTime()) yield midnight + time;
          })();
          const domAndDow = dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*');
          const options = { timezone: 'UTC', mode: '5-part', paused: true, domAndDow } as const;
          const expected = new Cron(expression, options).nextRuns(4, from);
          expect(take(found, 4).slice(0, expected.length)).toEqual(expected.map((at) => at.getTime()));
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['0 0 30 2 *', []],
    ['0 0 31 4,6,9,11 *', []],
    ['0 0 29 2 *', ['2028-02-29', '2032-02-29', '2036-02-29']],
    ['0 0 * 2 MON#5', ['2044-02-29', '2072-02-29', '2112-02-29']],
  ])('%p has %j, however far they are', (expression, days) => {
    const calendar = readCron(expression);
    if (!calendar) throw new Error('refused');
    const found = take(daysFrom(calendar, Date.parse('2026-11-23T12:00:00Z')), 3);
    expect(found.map((at) => new Date(at).toISOString().slice(0, 10))).toEqual(days);
  });

  it('end before the last year of four digits', () => {
    const calendar = readCron('0 0 31 12 *');
    if (!calendar) throw new Error('refused');
    expect(take(daysFrom(calendar, Date.parse('9997-06-01T00:00:00Z')), 5)).toHaveLength(2);
  });
});
