import fc from 'fast-check';
import { type Coverable, covers, type Occurrence } from './cover';
import { OccurrencesByName } from './occurrences-by-name';

const names = fc.uniqueArray(fc.constantFrom('1', '2', '3', '4'), { maxLength: 3 });
const org = fc.constantFrom('a', 'b');

const endpoint = fc.record<Coverable>({
  id: fc.constantFrom('e1', 'e2', 'e3', 'e4'),
  orgId: org,
  websiteId: fc.constantFrom('w1', 'w2', 'w3', 'w4'),
  tags: names,
});

const occurrence = fc.record({
  orgId: org,
  coversAll: fc.boolean(),
  endpointIds: names.map((some) => some.map((name) => `e${name}`)),
  websiteIds: names.map((some) => some.map((name) => `w${name}`)),
  tags: names,
});

const WINDOW = {
  windowId: 'm',
  name: 'Patches',
  startsAt: new Date(0),
  endsAt: new Date(1),
  mute: true,
  excludeFromUptime: true,
  public: true,
};

/** Makes the IDs unique to one organization. */
const own = <T extends { orgId: string; endpointIds: string[]; websiteIds: string[] }>(scope: T): T => ({
  ...scope,
  endpointIds: scope.endpointIds.map((id) => scope.orgId + id),
  websiteIds: scope.websiteIds.map((id) => scope.orgId + id),
});

describe('OccurrencesByName', () => {
  it('finds exactly the occurrences that cover each endpoint', () => {
    fc.assert(
      fc.property(fc.array(occurrence, { maxLength: 8 }), fc.array(endpoint, { maxLength: 6 }), (scopes, some) => {
        const occurrences = scopes.map((scope): Occurrence => ({ ...WINDOW, ...own(scope) }));
        const endpoints = some.map((one) => ({ ...one, id: one.orgId + one.id, websiteId: one.orgId + one.websiteId }));
        const named = new OccurrencesByName(occurrences, endpoints);
        for (const one of endpoints) {
          const expected = occurrences.filter((scope) => covers(scope, one));
          expect(new Set(named.covering(one))).toEqual(new Set(expected));
        }
      }),
      { numRuns: 300 },
    );
  });
});
