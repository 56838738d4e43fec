import { eventRange } from '../../../web/src/logic/event-range';

const local = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute);
const iso = (day: number, hour: number) => local(day, hour).toISOString();

describe('the events of a range', () => {
  it.each([
    ['today', local(25, 9, 30), { since: iso(25, 0) }],
    ['week', local(25, 9, 30), { since: iso(19, 0) }],
    ['month', local(30, 9, 30), { since: iso(1, 0) }],
    ['night', local(25, 9, 30), { since: iso(24, 18), until: iso(25, 8) }],
    ['night', local(25, 3), { since: iso(24, 18), until: iso(25, 8) }],
    ['night', local(25, 23), { since: iso(24, 18), until: iso(25, 8) }],
    ['', local(25, 9), {}],
    ['constructor', local(25, 9), {}],
  ])('contain the range "%s", requested at %s', (name, now, range) => {
    expect(eventRange(name, now.getTime())).toEqual(range);
  });
});
