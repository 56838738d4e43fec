import { historyLocation } from './history-location';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 20, 12);
const local = { number: 0, assignedMs: NOON };
const fra = { number: 1, assignedMs: NOON };
const office = { number: 2, assignedMs: NOON + HOUR };

describe('historyLocation', () => {
  /** Returns whether the location owns an hour that is stored only for the endpoint, based on the hour's start. */
  const isOwn = (number: number, assigned: Parameters<typeof historyLocation>[1], start: number) => {
    const location = historyLocation(number, assigned);
    return location && start >= location.alone.from && start < location.alone.to;
  };

  it.each<[string, number, Parameters<typeof historyLocation>[1], number, boolean | null]>([
    ['all of an endpoint that the service alone checks', 0, [], 0, true],
    ['no hour of a probe that does not check it', 1, [], 0, null],
    ['all of an endpoint that one probe checks', 1, [fra], 0, true],
    ['no hour of the service, which does not check it', 0, [fra], 0, null],
    ['no hour of a probe among others that does not check it', 3, [local, fra], NOON, null],
    ['of the service before there were others', 0, [local, fra, office], NOON - HOUR, true],
    ['not of the service the hour in which the first of them came', 0, [local, fra, office], NOON - HOUR + 1, false],
    ['not of a probe before it came', 2, [fra, office], NOON, false],
    ['of a probe since it came', 1, [fra, office], NOON, true],
  ])('finds the endpoint hours that belong to one location: %s', (_, number, assigned, start, expected) => {
    expect(isOwn(number, assigned, start)).toBe(expected);
  });
});
