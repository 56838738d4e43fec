import { at, GOOD } from './good-history';
import type { History, StoredCheck } from './history';
import { locationProperties } from './location-properties';

const check = (location: number, second: number, outcome: StoredCheck['outcome'] = 'down'): StoredCheck => ({
  endpoint: 'e1',
  location,
  at: at(second),
  outcome,
});

/** An endpoint with three locations, two of which saw it down when its alert triggered. */
const PLACED: History = {
  ...GOOD,
  placed: new Map([['e1', 3]]),
  checks: [check(0, 10), check(1, 11), check(2, 11, 'up')],
};

const broken = (changes: Partial<History>): string[] => locationProperties({ ...PLACED, ...changes });

describe('the properties of endpoints with several locations in a chaos run', () => {
  it('finds nothing broken if the majority saw the outage', () => {
    expect(broken({})).toEqual([]);
  });

  it('finds an episode that started with too few locations, or with failures that some locations saw long before', () => {
    const found = ['no quorum: triggered 1 of a1 (ev_1) began when 1 of 3 locations saw e1 down'];
    expect(broken({ checks: [check(0, 10), check(0, 11), check(1, 11, 'up'), check(2, 11, 'unknown')] })).toEqual(
      found,
    );
    expect(broken({ checks: [check(0, 10), check(1, -30)] })).toEqual(found);
    expect(broken({ checks: [check(0, 10), check(1, 30)] })).toEqual(found);
  });

  it('counts only the locations that are in service', () => {
    const checks = [check(0, 10)];
    const disabled = [1, 2].map((probe) => ({ probe, from: at(5), to: at(12) }));
    expect(broken({ checks, disabled })).toEqual([]);
    expect(broken({ checks, disabled: disabled.slice(0, 1) })).toHaveLength(1);
    expect(broken({ checks, disabled: disabled.map((span) => ({ ...span, from: at(20), to: at(30) })) })).toHaveLength(
      1,
    );
  });
});
