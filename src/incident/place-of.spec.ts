import fc from 'fast-check';
import { type IncidentTrigger, placeAll } from './incident-draft';
import { type Candidate, placeOf, type PlaceRule, type Trigger } from './place-of';

const NOW = new Date('2026-11-26T12:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);

const trigger = (change: Partial<Trigger> = {}): Trigger => ({
  endpointId: 'me',
  endpointName: 'Me',
  websiteId: 'mine',
  websiteName: 'Mine',
  severity: 'down',
  errorCode: 'connection_refused',
  address: '192.0.2.1',
  ...change,
});

/** An open incident that started a minute ago, for another website at another address. */
const candidate = (change: Partial<Candidate> = {}): Candidate => ({
  number: 1,
  severity: 'down',
  opener: { websiteId: 'other', address: '192.0.2.99', errorCode: 'connection_refused' },
  startedAt: ago(MINUTE),
  openedAt: ago(MINUTE),
  joinedAt: ago(MINUTE),
  endedAt: null,
  members: new Set(),
  left: new Map(),
  related: new Map(),
  ...change,
});

const mine = { opener: { websiteId: 'mine', address: null, errorCode: 'status_unexpected' } };
const at = (address: string | null, errorCode: string | null = 'connection_refused') => ({
  opener: { websiteId: 'other', address, errorCode },
});
const HERE = at('192.0.2.1');
const related = { related: new Map([['me', { id: 'parent', name: 'Parent' }]]) };
const within = { members: new Set(['me']) };
const left = (ms: number) => ({ left: new Map([['me', ago(ms)]]) });
const long = { startedAt: ago(30 * 60 * MINUTE), openedAt: ago(30 * 60 * MINUTE), joinedAt: ago(30 * 60 * MINUTE) };

type Line = [
  what: string,
  candidates: Partial<Candidate>[],
  rule: PlaceRule,
  number: number | null,
  self?: Partial<Trigger>,
];

describe('a trigger goes to', () => {
  it.each<Line>([
    ['a new incident, if there is none', [], 'new', null],
    [
      'a new incident, next to one with nothing in common except the text of the error (GoAlert #4461)',
      [{}],
      'new',
      null,
    ],

    ['the open incident that its endpoint is in', [within], 'member', 1],
    ['the open incident that its endpoint is in, even if that is old', [{ ...within, ...long }], 'member', 1],
    [
      'the open incident that its endpoint is in, even if its alert is worse',
      [{ ...within, severity: 'degraded' }],
      'member',
      1,
    ],
    [
      'the open incident that its endpoint is in, rather than one that it left',
      [within, { number: 2, ...left(MINUTE) }],
      'member',
      1,
    ],

    [
      'an incident that ended 14:59 ago',
      [{ endedAt: ago(15 * MINUTE - SECOND), ...left(15 * MINUTE - SECOND) }],
      'again',
      1,
    ],
    [
      'no incident that ended 15:01 ago',
      [{ endedAt: ago(15 * MINUTE + SECOND), ...left(15 * MINUTE + SECOND) }],
      'new',
      null,
    ],
    [
      'an incident that ended a moment ago and that it left long before',
      [{ endedAt: ago(MINUTE), ...left(50 * MINUTE) }],
      'again',
      1,
    ],
    [
      'an incident that started 23:59 h ago',
      [{ startedAt: ago(24 * 60 * MINUTE - MINUTE), endedAt: ago(MINUTE), ...left(MINUTE) }],
      'again',
      1,
    ],
    [
      'no incident that started 24:01 h ago',
      [{ startedAt: ago(24 * 60 * MINUTE + MINUTE), endedAt: ago(MINUTE), ...left(MINUTE) }],
      'new',
      null,
    ],
    ['no incident that ended and that another endpoint was in', [{ endedAt: ago(MINUTE), ...HERE }], 'new', null],
    ['an open incident that it left 14:59 ago', [{ ...left(15 * MINUTE - SECOND) }], 'again', 1],
    ['no incident that it left 15:01 ago', [{ ...left(15 * MINUTE + SECOND) }], 'new', null],
    [
      'an incident that it was in, rather than the incident of its parent',
      [{ ...left(MINUTE) }, { number: 2, ...related }],
      'again',
      1,
    ],

    ['the incident of its parent or child', [related], 'dependency', 1],
    [
      'the incident of its parent, rather than the incident of its address',
      [related, { number: 2, ...HERE }],
      'dependency',
      1,
    ],
    [
      'no incident of its parent or address if it is degraded',
      [{ ...related, severity: 'degraded' }],
      'new',
      null,
      { severity: 'degraded' },
    ],

    ['the incident of its address', [HERE], 'address', 1],
    [
      'the incident of its address, rather than the incident of its website',
      [HERE, { number: 2, ...mine }],
      'address',
      1,
    ],
    ['no incident of another address', [at('192.0.2.2')], 'new', null],
    ['no incident if both have no address', [at(null)], 'new', null, { address: null }],
    ['no incident by address if it watches a probe', [HERE], 'new', null, { isOfProbe: true }],
    ['no incident of its website if it watches a probe', [mine], 'new', null, { address: null, isOfProbe: true }],
    [
      'no incident of its website that a lost probe started',
      [{ opener: { ...mine.opener, isOfProbe: true } }],
      'new',
      null,
    ],
    ['the incident that it was in if it watches a probe', [within], 'member', 1, { isOfProbe: true }],
    ['no incident by address if it got a response', [HERE], 'new', null, { errorCode: 'status_unexpected' }],
    ['no incident by address if the opener got a response', [at('192.0.2.1', 'status_unexpected')], 'new', null],
    [
      'no incident by address if both got a response',
      [at('192.0.2.1', 'status_unexpected')],
      'new',
      null,
      { errorCode: 'status_unexpected' },
    ],
    [
      'the incident of its address with another transport error',
      [at('192.0.2.1', 'tls_timeout')],
      'address',
      1,
      { errorCode: 'icmp_timeout' },
    ],
    [
      'no incident by address for a certificate',
      [at('192.0.2.1', 'tls_expired')],
      'new',
      null,
      { errorCode: 'tls_expired' },
    ],
    [
      'no incident by address if it is degraded',
      [{ ...HERE, severity: 'degraded' }],
      'new',
      null,
      { severity: 'degraded' },
    ],

    ['the incident of its website', [mine], 'website', 1],
    ['no incident of its website that is only degraded', [{ ...mine, severity: 'degraded' }], 'new', null],
    [
      'a degraded incident of its website if it is degraded as well',
      [{ ...mine, severity: 'degraded' }],
      'website',
      1,
      { severity: 'degraded' },
    ],
    ['no incident of its website that is down if it is degraded', [mine], 'new', null, { severity: 'degraded' }],

    [
      'an incident that the last endpoint joined 4:59 ago',
      [{ ...mine, openedAt: ago(20 * MINUTE), joinedAt: ago(5 * MINUTE - SECOND) }],
      'website',
      1,
    ],
    [
      'no incident that the last endpoint joined 5:01 ago',
      [{ ...mine, openedAt: ago(20 * MINUTE), joinedAt: ago(5 * MINUTE + SECOND) }],
      'new',
      null,
    ],
    ['an incident that opened 59 minutes ago', [{ ...mine, openedAt: ago(59 * MINUTE) }], 'website', 1],
    ['no incident that opened 61 minutes ago', [{ ...mine, openedAt: ago(61 * MINUTE) }], 'new', null],
    [
      'no incident of its parent after the time',
      [{ ...related, joinedAt: ago(6 * MINUTE), openedAt: ago(6 * MINUTE) }],
      'new',
      null,
    ],
    ['no incident that has ended', [{ ...mine, endedAt: ago(SECOND) }], 'new', null],
    [
      'the newest of several incidents',
      [
        { number: 4, ...mine },
        { number: 7, ...mine },
        { number: 5, ...mine },
      ],
      'website',
      7,
    ],
  ])('%s', (_, changes, rule, number, self = {}) => {
    const place = placeOf(trigger(self), changes.map(candidate), NOW);
    expect([place.rule, place.incident?.number ?? null]).toEqual([rule, number]);
  });

  it('the incident of its parent, with the name of the parent', () => {
    expect(placeOf(trigger(), [candidate(related)], NOW).parent).toEqual({ id: 'parent', name: 'Parent' });
    expect(placeOf(trigger(), [candidate({ ...related, ...within })], NOW).parent).toBeNull();
  });
});

/** Batches of triggers, with few websites, addresses, and errors, so that they match often. */
const batches = fc
  .uniqueArray(
    fc.record({
      endpointId: fc.integer({ min: 0, max: 30 }).map((n) => `e${n}`),
      websiteId: fc.constantFrom('w1', 'w2', 'w3'),
      address: fc.constantFrom(null, '192.0.2.1', '192.0.2.2'),
      errorCode: fc.constantFrom('connection_refused', 'status_unexpected'),
      severity: fc.constantFrom('down' as const, 'degraded' as const),
    }),
    { selector: ({ endpointId }) => endpointId, maxLength: 20 },
  )
  .map((list) =>
    list.map((one): IncidentTrigger => ({
      ...one,
      orgId: 'org',
      endpointName: one.endpointId,
      websiteName: one.websiteId,
      errorMessage: null,
      startedAt: NOW,
      at: NOW,
    })),
  );
const dependencies = fc.array(
  fc.record({
    endpointId: fc.integer({ min: 0, max: 30 }).map((n) => `e${n}`),
    parentId: fc.integer({ min: 0, max: 30 }).map((n) => `e${n}`),
  }),
  { maxLength: 5 },
);
const place = (triggers: readonly IncidentTrigger[], edges: { endpointId: string; parentId: string }[] = []) => {
  let id = 0;
  return placeAll(triggers, [], edges, NOW, () => `i${++id}`);
};

describe('the triggers of a batch', () => {
  it('are each in one incident, which shares something with its opener or belongs to a parent or child', () => {
    fc.assert(
      fc.property(batches, dependencies, (triggers, edges) => {
        const drafts = place(triggers, edges);
        expect(drafts.flatMap(({ joining }) => joining.map((one) => one.trigger.endpointId)).sort()).toEqual(
          triggers.map(({ endpointId }) => endpointId).sort(),
        );
        for (const { joining, opener, cause } of drafts) {
          const [first, second] = joining;
          expect(first?.rule).toBe('new');
          expect(cause.kind).toBe(second?.rule ?? 'single');
          for (const { rule, trigger: own } of joining) {
            if (rule === 'address') expect(own.address).toBe(opener.address);
            if (rule === 'website') expect(own.websiteId).toBe(opener.websiteId);
            if (rule === 'dependency')
              expect(
                joining.some(({ trigger: { endpointId } }) =>
                  edges.some(
                    (edge) =>
                      (edge.endpointId === own.endpointId && edge.parentId === endpointId) ||
                      (edge.parentId === own.endpointId && edge.endpointId === endpointId),
                  ),
                ),
              ).toBe(true);
          }
        }
      }),
    );
  });

  it('of one address or one website form one incident in any order', () => {
    fc.assert(
      fc.property(
        batches,
        fc.constantFrom('address', 'website'),
        fc.infiniteStream(fc.nat()),
        (triggers, by, order) => {
          const alike = triggers.map((one) => ({
            ...one,
            severity: 'down' as const,
            ...(by === 'address'
              ? { address: '192.0.2.1', errorCode: 'connection_refused' }
              : { websiteId: 'w1', errorCode: 'status_unexpected' }),
          }));
          const keys = alike.map(() => order.next().value ?? 0);
          const shuffled = alike.map((one, i) => [keys[i] ?? 0, one] as const).sort(([a], [b]) => a - b);
          expect(place(shuffled.map(([, one]) => one))).toHaveLength(Math.min(1, alike.length));
        },
      ),
    );
  });

  it('form no chain: a trigger that shares its website with one opener and its address with another is in one of the two', () => {
    const one = (endpointId: string, websiteId: string, address: string): IncidentTrigger => ({
      ...trigger({ endpointId, websiteId, address }),
      orgId: 'org',
      errorMessage: null,
      startedAt: NOW,
      at: NOW,
    });
    const drafts = place([one('a', 'w1', '192.0.2.1'), one('b', 'w1', '192.0.2.2'), one('c', 'w2', '192.0.2.2')]);
    expect(drafts.map(({ joining }) => joining.map((joined) => joined.trigger.endpointId))).toEqual([
      ['a', 'b'],
      ['c'],
    ]);
  });

  it('are suppressed if the incident is acknowledged: by dependency and address, not by website or after the time', () => {
    const self = (endpointId: string, change: Partial<IncidentTrigger>): IncidentTrigger => ({
      ...trigger({ endpointId }),
      orgId: 'org',
      errorMessage: null,
      startedAt: NOW,
      at: NOW,
      ...change,
    });
    const heldBy = (until: Date | null) =>
      placeAll(
        [
          self('address', {}),
          self('website', { websiteId: 'other', address: null }),
          self('child', { address: null, errorCode: 'status_unexpected' }),
        ],
        [
          {
            ...candidate({ ...HERE, related: new Map([['child', { id: 'p', name: 'P' }]]) }),
            id: 'i',
            orgId: 'org',
            isNew: false,
            cause: { kind: 'single', value: null, name: null },
            inHand: { by: 'On call', personId: null, at: ago(MINUTE), note: '', until },
            members: new Set(),
            left: new Map(),
            related: new Map([['child', { id: 'p', name: 'P' }]]),
            triggering: [],
            joining: [],
            isReopened: false,
            isWorse: false,
          },
        ],
        [],
        NOW,
        () => 'new',
      ).flatMap(({ joining }) => joining.flatMap(({ trigger: { endpointId }, held }) => (held ? [endpointId] : [])));
    expect(heldBy(null)).toEqual(['address', 'child']);
    expect(heldBy(NOW)).toEqual([]);
    expect(heldBy(new Date(NOW.getTime() + 1))).toEqual(['address', 'child']);
  });
});
