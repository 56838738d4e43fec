import { callerOf, OPERATIONS, rows } from '../document/contract';
import type { Operation } from '../document/openapi';
import type { TheSession } from '../session/session';
import { callerFor, sampleOf, sendTo } from './operations';
import { OUT_OF_REACH } from './sample';
import type { Scene } from './scene';

/** Operations whose PUT takes something else than GET shows, with the reason. */
const OTHER_THAN_SHOWN: Readonly<Record<string, string>> = {
  moveSession: 'names the organization to switch to',
  applyConfiguration: 'needs the secrets that an export only names; contract/rules apply an export again with them',
};

/** Operations whose PUT means something if a field is left out, with the reason. */
const WHOLE: Readonly<Record<string, string>> = {
  ...OTHER_THAN_SHOWN,
  acknowledge: 'creates a new acknowledgement, without the omitted note',
  acknowledgeIncident: 'creates a new acknowledgement, without the omitted note',
};

/** Every PUT takes what GET of its path returned, and takes an empty object. */
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

  describe('taking back', () => {
    it.each(both)('%s takes what GET returned, and changes nothing', async (_, { put, get }) => {
      const whole = await sampleOf(scene(), put);
      const { json: __, ...sample } = whole;
      const by = callerFor(session(), put);
      // PUT creates what GET does not find.
      if ((await sendTo(by, get, sample)).status === 404) await sendTo(by, put, whole);
      const before = await sendTo<object>(by, get, sample);
      const taken = await sendTo<object>(by, put, { ...sample, json: before.body });
      expect([taken.status, taken.status < 400 ? '' : taken.text]).toEqual([200, '']);
      expect(settled((await sendTo<object>(by, get, sample)).body)).toEqual(settled(before.body));
    });

    it.each(rows(partial))('%s takes an object without a field, and changes nothing', async (_, put) => {
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

/** Leaves out what the service sets automatically in the meantime. */
const settled = (body: object): object =>
  JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    /^(status|by_location|at|version|(updated|(last|next)_\w+)_at)$/.test(name) ? '' : value,
  ) as object;
