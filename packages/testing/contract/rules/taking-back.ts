import { callerOf, OPERATIONS, rows } from '../document/contract';
import type { Operation } from '../document/openapi';
import type { TheSession } from '../session/session';
import { callerFor, sampleOf, sendTo } from './operations';
import { OUT_OF_REACH } from './sample';
import type { Scene } from './scene';

/** Operations whose PUT accepts something other than what GET returns, and why. */
const OTHER_THAN_SHOWN: Readonly<Record<string, string>> = {
  moveSession: 'names the organization to switch to',
  applyConfiguration: 'needs the secrets that an export only names; contract/rules apply an export again with them',
};

/** Operations for which leaving out a field in a PUT has a meaning, and why. */
const WHOLE: Readonly<Record<string, string>> = {
  ...OTHER_THAN_SHOWN,
  acknowledge: 'creates a new acknowledgement, without the omitted note',
  acknowledgeIncident: 'creates a new acknowledgement, without the omitted note',
};

/** Tests that every PUT accepts what GET returned for the same path, and accepts an empty object. */
export function describeTakingBack(session: TheSession, scene: () => Scene, hasOperator: boolean): void {
  const puts = OPERATIONS.filter(
    (each) =>
      each.method === 'PUT' && !(each.operationId in OUT_OF_REACH) && (hasOperator || callerOf(each) !== 'operator'),
  );
  const getOf = ({ path }: Operation): Operation | undefined =>
    OPERATIONS.find((each) => each.method === 'GET' && each.path === path);
  const both = puts.flatMap((put): [string, { put: Operation; get: Operation }][] => {
    const get = getOf(put);
    return get && !(put.operationId in OTHER_THAN_SHOWN) ? [[put.name, { put, get }]] : [];
  });
  const partial = puts.filter(({ operationId }) => !(operationId in WHOLE));

  describe('sending back', () => {
    it.each(both)('%s accepts the response of GET, and changes nothing', async (_, { put, get }) => {
      const whole = await sampleOf(scene(), put);
      const { json: __, ...sample } = whole;
      const by = callerFor(session(), put);
      // If GET returns 404, PUT creates the resource.
      if ((await sendTo(by, get, sample)).status === 404) await sendTo(by, put, whole);
      const before = await sendTo<object>(by, get, sample);
      const taken = await sendTo<object>(by, put, { ...sample, json: before.body });
      expect([taken.status, taken.status < 400 ? '' : taken.text]).toEqual([200, '']);
      expect(settled((await sendTo<object>(by, get, sample)).body)).toEqual(settled(before.body));
    });

    it.each(rows(partial))('%s accepts an object without fields, and changes nothing', async (_, put) => {
      const { json: __, ...sample } = await sampleOf(scene(), put);
      const by = callerFor(session(), put);
      const get = getOf(put);
      const before = get && (await sendTo<object>(by, get, sample));
      const taken = await sendTo<object>(by, put, { ...sample, json: {} });
      expect([taken.status, taken.status < 400 ? '' : taken.text]).toEqual([200, '']);
      if (get && before) expect(settled((await sendTo<object>(by, get, sample)).body)).toEqual(settled(before.body));
    });
  });
}

/** Leaves out fields that the service sets automatically in the meantime. */
const settled = (body: object): object =>
  JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    /^(status|by_location|at|version|(updated|(last|next)_\w+)_at)$/.test(name) ? '' : value,
  ) as object;
