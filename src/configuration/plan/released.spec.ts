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

describe('the resources that an apply without prune releases', () => {
  it('are all that the owner no longer declares, with the alerts that endpoints got automatically', () => {
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

  it('include no declared resource, and no alert without a key on a declared endpoint', () => {
    expect(paths('contact', 'fra', 'shop', 'front', 'page', 'window')).toEqual(['shop/front/alert']);
  });
});
