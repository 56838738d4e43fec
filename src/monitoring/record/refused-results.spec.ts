import type { FinishedCheck } from '../../engine/finished-check';
import type { EndpointResults } from './batch';
import type { PendingCheck } from '../../engine/queue/pending-checks';
import { byEndpoint, writeInParts } from './refused-results';

const result = (endpointId: string, orgId = 'org', slotMs = 0): PendingCheck => ({
  check: { endpointId, orgId, slotMs } as FinishedCheck,
  addedAt: 0,
  maxAgeMs: 0,
  affectsState: true,
});
const batchOf = (count: number): EndpointResults[] =>
  byEndpoint(Array.from({ length: count }, (_, i) => result(`${i}`)));
const idsOf = (part: readonly EndpointResults[]): string[] =>
  part.flat().map(({ check: { endpointId } }) => endpointId);

/** A database that rejects every part that contains one of these endpoints. */
function refusing(...bad: string[]) {
  const written: string[] = [];
  let transactions = 0;
  const write = (part: readonly EndpointResults[]): Promise<boolean> => {
    transactions++;
    const isWritten = !idsOf(part).some((id) => bad.includes(id));
    if (isWritten) written.push(...idsOf(part));
    return Promise.resolve(isWritten);
  };
  return { write, written, transactions: () => transactions };
}

describe('byEndpoint', () => {
  it('keeps the results of an endpoint in order and the results of an organization together', () => {
    const batch = [result('a', 'x', 1), result('b', 'y'), result('c', 'x'), result('a', 'x', 2)];
    expect(byEndpoint(batch).map((results) => results.map(({ check }) => [check.endpointId, check.slotMs]))).toEqual([
      [
        ['a', 1],
        ['a', 2],
      ],
      [['c', 0]],
      [['b', 0]],
    ]);
  });
});

describe('writeInParts', () => {
  it.each([0, 1, 137, 250, 499])(
    'finds the one invalid endpoint, number %i of 500, in 18 transactions',
    async (bad) => {
      const database = refusing(`${bad}`);
      const { refused, wroteAny } = await writeInParts(batchOf(500), database.write);
      expect([idsOf(refused), wroteAny, new Set(database.written).size]).toEqual([[`${bad}`], true, 499]);
      expect(database.transactions()).toBeLessThanOrEqual(18);
    },
  );

  it('writes every valid endpoint once among many invalid ones', async () => {
    const bad = Array.from({ length: 200 }, (_, i) => `${i + 100}`);
    const database = refusing(...bad);
    const { refused } = await writeInParts(batchOf(500), database.write);
    expect([idsOf(refused).sort(), database.written.length]).toEqual([bad.sort(), 300]);
    expect(new Set(database.written).size).toBe(300);
  });

  it('treats all as refused after 40 transactions if nothing at all can be written', async () => {
    const batch = batchOf(500);
    const database = refusing(...idsOf(batch));
    const { refused, wroteAny } = await writeInParts(batch, database.write);
    expect([wroteAny, new Set(idsOf(refused)).size, idsOf(refused).length]).toEqual([false, 500, 500]);
    expect(database.transactions()).toBe(40);
  });

  it('retries a single endpoint once and then treats it as refused', async () => {
    const database = refusing('0');
    expect(idsOf((await writeInParts(batchOf(1), database.write)).refused)).toEqual(['0']);
    expect(database.transactions()).toBe(1);
  });

  it('throws the error of the database', async () => {
    const away = () => Promise.reject(new Error('away'));
    await expect(writeInParts(batchOf(4), away)).rejects.toThrow('away');
  });
});
