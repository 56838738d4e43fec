import { callerOf, OPERATIONS } from '../document/contract';
import type { TheSession } from '../session/session';
import { OUT_OF_REACH } from './sample';

/** Tests the coverage of all other tests. These must be the last tests in the suite. */
export function describeCoverage(session: TheSession, hasOperator: boolean): void {
  const isExcused = (each: (typeof OPERATIONS)[number]) =>
    each.operationId in OUT_OF_REACH || (!hasOperator && callerOf(each) === 'operator');
  const excused = OPERATIONS.filter(isExcused).map(({ name }) => name);

  describe('after all other tests', () => {
    it(`every operation of the document has succeeded at least once, except ${excused.join(', ')}`, () => {
      const called = session().record.successes;
      expect(OPERATIONS.filter((each) => !isExcused(each) && !called.has(each.name)).map(({ name }) => name)).toEqual(
        [],
      );
    });

    it('every response matched the document, including errors', () => {
      expect({ surprises: session().record.surprises, calls: session().record.count > 0 }).toEqual({
        surprises: [],
        calls: true,
      });
    });

    it('no URL in a response pointed outside the service', () => {
      expect(session().record.leadingAway).toEqual([]);
    });
  });
}
