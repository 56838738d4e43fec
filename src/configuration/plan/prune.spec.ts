import { NOTHING, type ForeignRows, pruned } from './prune';
import type { Matches } from './matches';
import type { PresentState } from './state/present-state';

const at = { createdAt: new Date('2026-01-02T00:00:00Z') };
const row = (id: string, more: object = {}) => ({ id, externalKey: id, name: id, owner: 'me', ...at, ...more });

/** A website with two endpoints, an alert on the first through a contact, a window, and a page. */
const state = (changes: Partial<Record<keyof PresentState, object[]>> = {}): PresentState =>
  ({
    contacts: [row('contact')],
    probes: [row('fra', { key: 'fra' })],
    websites: [row('shop')],
    endpoints: [row('front', { websiteId: 'shop' }), row('cart', { websiteId: 'shop' })],
    alerts: [row('alert', { endpointId: 'front', contactId: 'contact', type: 'slack' })],
    windows: [row('window')],
    pages: [row('page', { website_id: null, slug: 'page' })],
    ...changes,
  }) as unknown as PresentState;

const declares = (...ids: string[]): Matches =>
  ({
    contacts: [],
    probes: [],
    websites: ids.map((id) => ({ id })),
    endpoints: [],
    alerts: [],
    windows: [],
    pages: [],
  }) as unknown as Matches;
const gone = (of: PresentState, matches: Matches, others: Partial<ForeignRows> = {}) => {
  const { deletions, notes } = pruned('me', of, matches, { ...NOTHING, ...others }, DECLARES_NOTHING);
  return {
    paths: deletions.map(({ path }) => path),
    kept: notes.filter(({ message }) => / is kept:/.test(message)).map(({ key }) => key),
  };
};
const DECLARES_NOTHING = { contactOfAlert: new Map(), parentsOf: new Map(), locationsOf: new Map() };
const uses = [{ contactId: 'contact', alertId: 'alert', endpointId: 'front' }];
const ALL = ['shop/front/alert', 'shop/front', 'shop/cart', 'shop', 'page', 'window', 'fra', 'contact'];

describe('a prune', () => {
  it.each<[string, PresentState, string[], Partial<ForeignRows>, string[], (string | null)[]]>([
    ['everything that is no longer declared, children first', state(), [], { alertsOfContacts: uses }, ALL, []],
    [
      'nothing of what is declared',
      state(),
      ['contact', 'fra', 'shop', 'front', 'cart', 'alert', 'window', 'page'],
      {},
      [],
      [],
    ],
    [
      'nothing of another owner',
      state({ windows: [row('window', { owner: 'you' })] }),
      [],
      {},
      ALL.filter((path) => path !== 'window'),
      [],
    ],
    [
      'nothing that lost its key',
      state({ windows: [row('window', { externalKey: null })] }),
      [],
      {},
      ALL.filter((path) => path !== 'window'),
      [],
    ],
    [
      'no endpoint with an alert of someone else, nor its website',
      state(),
      [],
      { onEndpoints: new Map([['cart', 1]]) },
      ALL.filter((path) => path !== 'shop' && path !== 'shop/cart'),
      ['shop/cart', 'shop'],
    ],
    [
      'no website with an endpoint of someone else',
      state(),
      [],
      { inWebsites: new Map([['shop', 1]]) },
      ALL.filter((path) => path !== 'shop'),
      ['shop'],
    ],
    [
      'no contact that an alert will use',
      state(),
      [],
      { alertsOfContacts: [{ contactId: 'contact', alertId: 'other', endpointId: 'elsewhere' }] },
      ALL.filter((path) => path !== 'contact'),
      ['contact'],
    ],
    [
      'no probe that an endpoint of someone else names, but a probe of deleted endpoints',
      state({ probes: [row('fra', { key: 'fra' }), row('office', { key: 'office' })] }),
      [],
      {
        namingProbes: [
          { probeId: 'fra', endpointId: 'elsewhere' },
          { probeId: 'office', endpointId: 'cart' },
        ],
      },
      ALL.map((path) => (path === 'fra' ? 'office' : path)),
      ['fra'],
    ],
  ])('deletes %s', (_, of, declared, others, paths, kept) => {
    expect(gone(of, declares(...declared), others)).toEqual({ paths, kept });
  });

  it('reports what depends on a deleted endpoint, but not what will depend on something else', () => {
    const on = (id: string, owner: string | null) => ({ parentId: 'front', id, owner, path: `k/${id}` });
    const dependents = [on('a', 'you'), on('b', null), on('moved', 'me'), { ...on('cart', 'me'), path: 'shop/cart' }];
    const { notes } = pruned(
      'me',
      state(),
      declares('shop'),
      { ...NOTHING, dependents },
      {
        ...DECLARES_NOTHING,
        parentsOf: new Map([['moved', ['elsewhere']]]),
      },
    );
    expect(notes).toContainEqual({
      key: 'shop/front',
      message:
        '2 endpoints will no longer depend on it: k/a (declared by you), k/b. Documents that still declare the dependency will be rejected.',
    });
  });

  it.each<[what: string, locations: string[], kept: string[]]>([
    ['will no longer name it', ['local'], []],
    ['will name it', ['local', 'fra'], ['fra']],
  ])('deletes or keeps a probe if a declared endpoint %s', (_, locations, kept) => {
    const naming = { ...NOTHING, namingProbes: [{ probeId: 'fra', endpointId: 'front' }] };
    const locationsOf = new Map([['front', locations]]);
    const { notes } = pruned('me', state(), declares('shop', 'front'), naming, { ...DECLARES_NOTHING, locationsOf });
    expect(notes.filter(({ message }) => / is kept:/.test(message)).map(({ key }) => key)).toEqual(kept);
  });

  it('reports whose history is deleted', () => {
    const { notes } = pruned('me', state(), declares('shop', 'cart'), NOTHING, DECLARES_NOTHING);
    expect(notes).toContainEqual({
      key: 'shop',
      message: 'The history of 1 endpoint will be deleted: checks, outages and events since 2026-01-02.',
    });
  });
});
