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

/** An open incident of another website, at another address, that started a minute ago. */
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
    ['a new incident, where there is none', [], 'new', null],
    ['a new one, beside one with nothing in common but the text of the error (GoAlert #4461)', [{}], 'new', null],

    ['the open one that its endpoint is in', [within], 'member', 1],
    ['it, however old that is', [{ ...within, ...long }], 'member', 1],
    ['it, also when its alert is worse', [{ ...within, severity: 'degraded' }], 'member', 1],
    ['it, rather than one that it left', [within, { number: 2, ...left(MINUTE) }], 'member', 1],

    ['one that ended 14:59 ago', [{ endedAt: ago(15 * MINUTE - SECOND), ...left(15 * MINUTE - SECOND) }], 'again', 1],
    ['none that ended 15:01 ago', [{ endedAt: ago(15 * MINUTE + SECOND), ...left(15 * MINUTE + SECOND) }], 'new', null],
    [
      'one that ended a moment ago and that it left long before',
      [{ endedAt: ago(MINUTE), ...left(50 * MINUTE) }],
      'again',
      1,
    ],
    [
      'one that began 23:59 h ago',
      [{ startedAt: ago(24 * 60 * MINUTE - MINUTE), endedAt: ago(MINUTE), ...left(MINUTE) }],
      'again',
      1,
    ],
    [
      'none that began 24:01 h ago',
      [{ startedAt: ago(24 * 60 * MINUTE + MINUTE), endedAt: ago(MINUTE), ...left(MINUTE) }],
      'new',
      null,
    ],
    ['none that ended and that another was in', [{ endedAt: ago(MINUTE), ...HERE }], 'new', null],
    ['an open one that it left 14:59 ago', [{ ...left(15 * MINUTE - SECOND) }], 'again', 1],
    ['none that it left 15:01 ago', [{ ...left(15 * MINUTE + SECOND) }], 'new', null],
    [
      'one that it was in, rather than that of its parent',
      [{ ...left(MINUTE) }, { number: 2, ...related }],
      'again',
      1,
    ],

    ['that of its parent or child', [related], 'dependency', 1],
    ['that, rather than that of its address', [related, { number: 2, ...HERE }], 'dependency', 1],
    [
      'none of those when it is degraded',
      [{ ...related, severity: 'degraded' }],
      'new',
      null,
      { severity: 'degraded' },
    ],

    ['that of its address', [HERE], 'address', 1],
    ['that, rather than that of its website', [HERE, { number: 2, ...mine }], 'address', 1],
    ['none of another address', [at('192.0.2.2')], 'new', null],
    ['none, where both have no address', [at(null)], 'new', null, { address: null }],
    ['none by address when it watches a probe', [HERE], 'new', null, { isOfProbe: true }],
    ['none of its website when it watches a probe', [mine], 'new', null, { address: null, isOfProbe: true }],
    ['none of its website that a lost probe began', [{ opener: { ...mine.opener, isOfProbe: true } }], 'new', null],
    ['that which it was in when it watches a probe', [within], 'member', 1, { isOfProbe: true }],
    ['none by address when it got a response', [HERE], 'new', null, { errorCode: 'status_unexpected' }],
    ['none by address when the opener got a response', [at('192.0.2.1', 'status_unexpected')], 'new', null],
    [
      'none by address when both got a response',
      [at('192.0.2.1', 'status_unexpected')],
      'new',
      null,
      { errorCode: 'status_unexpected' },
    ],
    [
      'that of its address by another error of transport',
      [at('192.0.2.1', 'tls_timeout')],
      'address',
      1,
      { errorCode: 'icmp_timeout' },
    ],
    ['none by address for a certificate', [at('192.0.2.1', 'tls_expired')], 'new', null, { errorCode: 'tls_expired' }],
    ['none by address when it is degraded', [{ ...HERE, severity: 'degraded' }], 'new', null, { severity: 'degraded' }],

    ['that of its website', [mine], 'website', 1],
    ['none of its website that is only degraded', [{ ...mine, severity: 'degraded' }], 'new', null],
    [
      'one of its website that is degraded, as it is',
      [{ ...mine, severity: 'degraded' }],
      'website',
      1,
      { severity: 'degraded' },
    ],
    ['none of its website that is down, when it is degraded', [mine], 'new', null, { severity: 'degraded' }],

    [
      'one that the last joined 4:59 ago',
      [{ ...mine, openedAt: ago(20 * MINUTE), joinedAt: ago(5 * MINUTE - SECOND) }],
      'website',
      1,
    ],
    [
      'none that the last joined 5:01 ago',
      [{ ...mine, openedAt: ago(20 * MINUTE), joinedAt: ago(5 * MINUTE + SECOND) }],
      'new',
      null,
    ],
    ['one that opened 59 minutes ago', [{ ...mine, openedAt: ago(59 * MINUTE) }], 'website', 1],
    ['none that opened 61 minutes ago', [{ ...mine, openedAt: ago(61 * MINUTE) }], 'new', null],
    [
      'none of its parent after the time',
      [{ ...related, joinedAt: ago(6 * MINUTE), openedAt: ago(6 * MINUTE) }],
      'new',
      null,
    ],
    ['none that has ended', [{ ...mine, endedAt: ago(SECOND) }], 'new', null],
    [
      'the youngest of several',
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

  it('that of its parent with the name of the parent', () => {
    expect(placeOf(trigger(), [candidate(related)], NOW).parent).toEqual({ id: 'parent', name: 'Parent' });
    expect(placeOf(trigger(), [candidate({ ...related, ...within })], NOW).parent).toBeNull();
  });
});

/** Triggers of a batch, with few websites, addresses, and errors, so that they match. */
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
  it('are each in one incident, that has something in common with its opener or is of a parent or child', () => {
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

  it('of one address or one website are one incident in any order', () => {
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

  it('make no chain: what has its website in common with one and its address with another opener is in one of the two', () => {
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

  it('are held where somebody has the incident in hand: by dependency and address, not by website nor past the time', () => {
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
