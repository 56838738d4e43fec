import { callerOf, CONTRACT, OPERATIONS, rows } from '../document/contract';
import { missingIn } from '../document/compatibility';
import type { TheSession } from '../session/session';
import { callerFor, SAMPLES, sampleOf, sendTo } from './operations';
import { OUT_OF_REACH, withoutSample } from './sample';
import type { Scene } from './scene';

/** Tests that each operation works and responds as documented. */
export function describeSuccesses(session: TheSession, scene: () => Scene, hasOperator: boolean): void {
  const reachable = OPERATIONS.filter(({ operationId }) => !(operationId in OUT_OF_REACH));
  const isPossible = (each: (typeof OPERATIONS)[number]) => hasOperator || callerOf(each) !== 'operator';

  const succeeds = async (_: string, operation: (typeof OPERATIONS)[number]) => {
    const sample = await sampleOf(scene(), operation);
    const response = await sendTo(callerFor(session(), operation), operation, sample);
    const expected = Object.keys(operation.responses).filter((status) => status < '4');
    expect({ text: response.status < 400 ? '' : response.text, status: expected }).toEqual({
      text: '',
      status: expect.arrayContaining([String(response.status)]),
    });
    expect(session().record.problemsOf(operation.name, response)).toEqual([]);
  };

  describe('success', () => {
    it.each(rows(reachable.filter(isPossible)))('%s succeeds, with status, headers, and body as documented', succeeds);

    const impossible = reachable.filter((each) => !isPossible(each));
    if (impossible.length > 0)
      it.skip.each(rows(impossible))('%s succeeds (skipped: no operator token was given)', succeeds);

    it('the document of the service has the whole contract: operations, parameters, fields, and values', () => {
      expect(missingIn(session().document, CONTRACT)).toEqual([]);
    });

    it('every operation of the contract has a sample, or a reason why it cannot have one', () => {
      expect(withoutSample(SAMPLES)).toEqual([]);
    });
  });
}
