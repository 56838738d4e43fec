import fc from 'fast-check';
import type { FinishedCheck } from '../finished-check';
import { type PendingCheck, PendingChecks } from './pending-checks';

let added = 0;
/** `a1.` is an unchanged result for endpoint 1 in organization a, and `a1!` is one that may change something. */
const result = (text: string): PendingCheck => {
  const [orgId = '', endpointId = '', kind = ''] = text;
  added++;
  return {
    check: { orgId, endpointId: orgId + endpointId, slotMs: added } as FinishedCheck,
    addedAt: added,
    maxAgeMs: kind === '!' ? 200 : 1000,
    affectsState: kind === '!',
  };
};
const textOf = ({ check, affectsState }: PendingCheck): string => `${check.endpointId}${affectsState ? '!' : '.'}`;
const textsOf = (entries: readonly PendingCheck[]): string[] => entries.map(textOf);
const idsOf = (entries: readonly PendingCheck[]): string[] => entries.map(({ check }) => check.endpointId);

function pendingOf(texts: string): PendingChecks {
  const pending = new PendingChecks();
  for (const text of texts.split(' ')) pending.add(result(text));
  return pending;
}

describe('the queue of results to be written', () => {
  it.each([
    ['results that may change something before earlier results', 'a1. a2. a3!', 2, ['a3!', 'a1.']],
    ['the earlier results of their endpoints with them, in order', 'a1. a2. a1! a1.', 3, ['a1.', 'a1!', 'a1.']],
    ['the oldest other results next', 'a1. a2. a3. a4!', 3, ['a4!', 'a1.', 'a2.']],
    ['equally many results of each organization', 'a1! a2! a3! a4! b1! b2!', 4, ['b1!', 'b2!', 'a1!', 'a2!']],
    ['equally many routine results of each organization', 'a1. a2. a3. a4. b1.', 3, ['b1.', 'a1.', 'a2.']],
    ['all results if they fit', 'a1. b1! a1.', 10, ['b1!', 'a1.', 'a1.']],
  ])('returns %s', (_, texts, size, expected) => {
    expect(textsOf(pendingOf(texts).take(size))).toEqual(expected);
  });

  it('returns no more results that may change something than requested, and fills up with the others', () => {
    expect(textsOf(pendingOf('a1! a2! a3! a4. a5.').take(4, 2))).toEqual(['a1!', 'a2!', 'a4.', 'a5.']);
  });

  it('returns only results that may change something, and earlier results of their endpoints, if nothing else is requested', () => {
    expect(textsOf(pendingOf('a1. a2. b1! b2. a2! b3!').take(0, 10))).toEqual(['a2.', 'a2!', 'b1!', 'b3!']);
  });

  it('returns nothing of an endpoint while earlier results of it are being written', () => {
    const pending = pendingOf('a1. a2.');
    const first = pending.take(1);
    pending.add(result('a1!'));
    expect([pending.ready, textsOf(pending.take(10))]).toEqual([1, ['a2.']]);
    pending.release(idsOf(first));
    expect(textsOf(pending.take(10))).toEqual(['a1!']);
  });

  it('removes results that were added before a given time, even if earlier results of the endpoint are being written', () => {
    const pending = pendingOf('a1. a2! b1.');
    const since = added + 1;
    pending.add(result('a1!'));
    const taken = pending.take(1);
    expect(textsOf(pending.expire(since)).sort()).toEqual(['a1.', 'b1.']);
    pending.release(idsOf(taken));
    expect([pending.size, textsOf(pending.take(10))]).toEqual([1, ['a1!']]);
  });

  it('puts unwritten results back before all other results of their organization', () => {
    const pending = pendingOf('a1. a1. a2. a3.');
    const first = pending.take(3);
    pending.add(result('a1.'));
    pending.add(result('a4.'));
    pending.putBack(first);
    pending.release(idsOf(first));
    const order = pending.take(10);
    expect(textsOf(order)).toEqual(['a1.', 'a1.', 'a1.', 'a2.', 'a3.', 'a4.']);
    expect(order.slice(0, 2)).toEqual(first.slice(0, 2));
  });

  it('holds back endpoints until they are released, and reports how many results wait and how many are available', () => {
    const pending = pendingOf('a1. a1! a2.');
    pending.putBack(pending.take(2));
    expect([pending.size, pending.ready, textsOf(pending.take(10))]).toEqual([3, 1, ['a2.']]);
    pending.release(['a1']);
    expect(textsOf(pending.take(10))).toEqual(['a1.', 'a1!']);
  });

  it.each([
    ['the oldest routine results of the organization that has the most of them', 'a1! a2! a3! b1. b2. c1.', 1, ['b1.']],
    ['routine results, even if another result of the endpoint may change something', 'a1! a1. b1!', 2, ['a1.']],
    ['results that may change something, but only if no routine results wait', 'a1! a2! b1!', 1, ['a1!']],
  ])('drops %s', (_, texts, count, expected) => {
    expect(textsOf(pendingOf(texts).giveUp(count))).toEqual(expected);
  });

  it('also drops routine results of endpoints that are being written', () => {
    const pending = pendingOf('a1. b1!');
    pending.take(1, 0);
    pending.add(result('a1.'));
    expect(textsOf(pending.giveUp(1))).toEqual(['a1.']);
  });

  it('removes all results of an endpoint on request', () => {
    const pending = pendingOf('a1. a1! a2.');
    expect([textsOf(pending.extract('a1')), pending.extract('a9'), pending.size]).toEqual([['a1.', 'a1!'], [], 1]);
  });

  it('reports the age of the oldest result, and how long a result may wait', () => {
    const pending = pendingOf('a1. a2!');
    expect([pending.oldestAt, pending.shortestAgeMs]).toEqual([added - 1, 200]);
    pending.take(10);
    expect([pending.oldestAt, pending.shortestAgeMs]).toEqual([null, null]);
  });

  it('never gives an endpoint to two takers, keeps the order, and loses no results, for any sequence of steps', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), text: fc.constantFrom('a1.', 'a2!', 'a1!', 'b1.', 'b2!', 'c1.') }),
      fc.record({ kind: fc.constant('take' as const), size: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constantFrom('written' as const, 'refused' as const), which: fc.nat(3) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pending = new PendingChecks();
        const underWay: PendingCheck[][] = [];
        const written: PendingCheck[] = [];
        let count = 0;
        for (const one of steps) {
          if (one.kind === 'add') pending.add(result(one.text));
          if (one.kind === 'add') count++;
          if (one.kind === 'take') underWay.push(pending.take(one.size));
          if (one.kind === 'written' || one.kind === 'refused') {
            const [batch = []] = underWay.splice(one.which % Math.max(1, underWay.length), 1);
            if (one.kind === 'written') written.push(...batch);
            else pending.putBack(batch);
            pending.release(idsOf(batch));
          }
          const taken = underWay.flatMap((batch) => [...new Set(idsOf(batch))]);
          expect(taken).toEqual([...new Set(taken)]);
        }
        for (const batch of underWay) {
          written.push(...batch);
          pending.release(idsOf(batch));
        }
        for (let batch = pending.take(7); batch.length > 0; batch = pending.take(7)) {
          written.push(...batch);
          pending.release(idsOf(batch));
        }
        expect([written.length, pending.size, pending.ready]).toEqual([count, 0, 0]);
        for (const id of new Set(idsOf(written))) {
          const slots = written.filter(({ check }) => check.endpointId === id).map(({ addedAt }) => addedAt);
          expect(slots).toEqual([...slots].sort((a, b) => a - b));
        }
      }),
    );
  });
});
