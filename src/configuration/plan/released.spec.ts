import type { Matches } from './matches';
import { released } from './released';
import type { PresentState } from './state/present-state';

const row = (id: string, more: object = {}) => ({ id, externalKey: id, name: id, owner: 'me', ...more });
const state = {
  contacts: [row('contact'), row('yours', { owner: 'you' })],
  probes: [row('fra', { key: 'fra' })],
  websites: [row('shop')],
  endpoints: [row('front', { websiteId: 'shop' }), row('by hand', { websiteId: 'shop', owner: null })],
  alerts: [
    row('alert', { endpointId: 'front', type: 'slack' }),
    row('default', { endpointId: 'front', type: 'slack', externalKey: null }),
  ],
  windows: [row('window')],
  pages: [row('page', { slug: 'page' })],
} as unknown as PresentState;
const declares = (...ids: string[]) => ({ websites: ids.map((id) => ({ id })) }) as unknown as Matches;
const paths = (...ids: string[]) => released('me', state, declares(...ids)).map(({ path }) => path);

describe('what an apply without prune lets go', () => {
  it('is all that the owner declared and no longer does, with the alerts that endpoints got by themselves', () => {
    expect(paths()).toEqual([
      'contact',
      'fra',
      'shop',
      'shop/front',
      'shop/front/alert',
      'shop/front/slack',
      'page',
      'window',
    ]);
  });

  it('is nothing of what is declared, nor an alert without a key on an endpoint that is', () => {
    expect(paths('contact', 'fra', 'shop', 'front', 'page', 'window')).toEqual(['shop/front/alert']);
  });
});
