import { type CheckError, type CheckResult, ERROR_CODES, type Outcome } from '../checker/checker';
import { OUTCOME_CODE, outcomeOf } from '../endpoint/outcome-code';
import {
  CONFIRMED,
  countedOf,
  DEGRADED,
  errorCodeAt,
  errorIndex,
  type Found,
  LATE,
  outcomeWithMarks,
  ownOf,
  PLANNED,
  toMicroseconds,
  toMilliseconds,
} from './check-encoding';
import { checkId } from './check-id';

describe('the encoding of checks', () => {
  it.each(['up', 'down', 'unknown'] as const)('restores the outcome %s, confirmed or not', (outcome) => {
    expect(outcomeOf(OUTCOME_CODE[outcome])).toBe(outcome);
    expect(outcomeOf(OUTCOME_CODE[outcome] + CONFIRMED)).toBe(outcome);
  });

  const WARNING: CheckError = { code: 'assertion_failed', phase: 'assertion', message: 'The certificate ends soon.' };
  const marksOf = (outcome: Outcome, warning: CheckError | null, planned: boolean, attempts: 1 | 2) => {
    const stored = outcomeWithMarks({ result: { outcome, warning } as CheckResult, planned, attempts });
    const has = (mark: number) => (stored & mark) !== 0;
    return [outcomeOf(stored), has(DEGRADED), has(PLANNED), has(CONFIRMED)];
  };

  it.each<[Outcome, CheckError | null, boolean, 1 | 2]>([
    ['up', null, false, 1],
    ['up', WARNING, false, 1],
    ['up', null, true, 1],
    ['up', WARNING, true, 2],
    ['down', null, true, 2],
    ['unknown', null, true, 1],
  ])(
    'stores the outcome %s with the warning %p, planned: %p, in %i attempts',
    (outcome, warning, planned, attempts) => {
      expect(marksOf(outcome, warning, planned, attempts)).toEqual([
        outcome,
        warning !== null,
        planned,
        attempts === 2,
      ]);
    },
  );

  it.each(['down', 'unknown'] as const)('does not count a check as degraded that is %s', (outcome) => {
    expect(marksOf(outcome, WARNING, false, 1)).toEqual([outcome, false, false, false]);
  });

  it('does not count a check without a warning field as degraded, as an extension may create it', () => {
    expect(outcomeWithMarks({ result: { outcome: 'up' } as CheckResult, planned: false, attempts: 1 })).toBe(1);
  });

  const OUTCOMES = ['up', 'down', 'unknown'] as const;
  const found = (outcome: Outcome, degraded: boolean): Found => ({ outcome, degraded });
  const FOUND: Found[] = [...OUTCOMES.map((outcome) => found(outcome, false)), found('up', true)];
  const resultOf = ({ outcome, degraded }: Found) => ({ outcome, warning: degraded ? WARNING : null }) as CheckResult;

  it.each(FOUND.flatMap((own) => FOUND.map((counted) => [own, counted] as const)))(
    'restores the result of a location and the result that counted: %j, %j',
    (own, counted) => {
      for (const attempts of [1, 2] as const) {
        const stored = outcomeWithMarks({ result: resultOf(own), planned: true, attempts, counted });
        expect([ownOf(stored), countedOf(stored)]).toEqual([own, counted]);
        expect([stored & PLANNED, stored & CONFIRMED]).toEqual([PLANNED, attempts === 2 ? CONFIRMED : 0]);
        expect([outcomeOf(stored), (stored & DEGRADED) !== 0]).toEqual([counted.outcome, counted.degraded]);
      }
    },
  );

  it.each(FOUND)('restores a late result of one of several locations, which counts for it alone: %j', (own) => {
    const stored = outcomeWithMarks({ result: resultOf(own), planned: false, attempts: 1, counted: null });
    expect([ownOf(stored), countedOf(stored), stored & LATE]).toEqual([own, null, LATE]);
  });

  it.each(FOUND)('stores the same for one location as for several that agree: %j', (own) => {
    const check = { result: resultOf(own), planned: true, attempts: 2 as const };
    expect(outcomeWithMarks({ ...check, counted: own })).toBe(outcomeWithMarks(check));
    expect(countedOf(outcomeWithMarks(check))).toEqual(own);
  });

  it.each(ERROR_CODES.map((code) => [code]))('restores the error code %s', (code) => {
    expect(errorCodeAt(errorIndex(code))).toBe(code);
  });

  it('keeps the numbers of outcomes and error codes that existing rows hold', () => {
    expect(ERROR_CODES.slice(0, 4)).toEqual(['dns_not_found', 'dns_timeout', 'dns_failure', 'connection_refused']);
    expect(OUTCOME_CODE).toEqual({ down: 0, up: 1, unknown: 2 });
    expect([CONFIRMED, DEGRADED, PLANNED]).toEqual([4, 8, 16]);
  });

  it('distinguishes "no error" from the code of a newer version, which reads as internal', () => {
    expect([errorCodeAt(-1), errorCodeAt(9999)]).toEqual([null, 'internal']);
    expect(errorIndex(undefined)).toBe(-1);
  });

  it.each([
    [null, -1],
    [0, 0],
    [83.4126, 83_413],
    [-3, 0],
    [Number.NaN, -1],
    [1e12, 2_147_483_647],
  ])('stores %s ms as %i µs', (ms, us) => {
    expect(toMicroseconds(ms)).toBe(us);
  });

  it('reads microseconds as milliseconds, and a phase that was not reached as null', () => {
    expect([toMilliseconds(83_413), toMilliseconds(0), toMilliseconds(-1)]).toEqual([83.413, 0, null]);
  });
});

describe('checkId', () => {
  const secret = Buffer.from('secret');
  const at = new Date('2026-11-20T10:00:00.123Z');

  it('creates the same ID every time', () => {
    expect(checkId(secret, '7', at, 0)).toBe(checkId(secret, '7', new Date(at), 0));
  });

  it('creates the same IDs for checks by the service itself as the versions without locations', () => {
    expect(checkId(secret, '7', at, 0)).toBe('ck_01m7w6c3bvf3w8qd961akfhepj');
  });

  it('creates different IDs for another endpoint, time, location, or installation', () => {
    const ids = [
      checkId(secret, '7', at, 0),
      checkId(secret, '7', at, 1),
      checkId(secret, '7', at, 2),
      checkId(secret, '8', at, 0),
      checkId(secret, '7', new Date(at.getTime() + 1), 0),
      checkId(Buffer.from('other'), '7', at, 0),
    ];
    expect(new Set(ids).size).toBe(6);
  });

  it('creates IDs that sort by time', () => {
    const ids = [0, 1, 1000, 1e6, 1e10].map((ms) => checkId(secret, '7', new Date(at.getTime() + ms), 3));
    expect([...ids].sort()).toEqual(ids);
  });
});
