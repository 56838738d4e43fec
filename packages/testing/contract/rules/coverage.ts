import { callerOf, OPERATIONS } from '../document/contract';
import type { TheSession } from '../session/session';
import { OUT_OF_REACH } from './sample';

/** Tests what all other tests together have covered. They must be the last tests of the suite. */
export function describeCoverage(session: TheSession, hasOperator: boolean): void {
  const isExcused = (each: (typeof OPERATIONS)[number]) =>
    each.operationId in OUT_OF_REACH || (!hasOperator && callerOf(each) === 'operator');
  const excused = OPERATIONS.filter(isExcused).map(({ name }) => name);

  describe('after all of that', () => {
    it(`every operation of the document has succeeded at least once, but ${excused.join(', ')}`, () => {
      const called = session().record.successes;
      expect(OPERATIONS.filter((each) => !isExcused(each) && !called.has(each.name)).map(({ name }) => name)).toEqual(
        [],
      );
    });

    it('no response was other than the document says, errors included', () => {
      expect({ surprises: session().record.surprises, calls: session().record.count > 0 }).toEqual({
        surprises: [],
        calls: true,
      });
    });

    it('no address in a response led away from the service', () => {
      expect(session().record.leadingAway).toEqual([]);
    });
  });
}
