import { commandsFor, type World } from '../../../web/src/logic/palette';

const shop = { id: 'ws_shop', name: 'Example shop' };
const item = (id: string, name: string, status: World['items'][number]['status'] = 'up') => ({
  id,
  name,
  type: 'HTTPS' as const,
  status,
  website: shop,
});
const WORLD: World = {
  items: [item('ep_1', 'Checkout'), item('ep_2', 'Shop search', 'paused'), item('ep_3', 'Web shop')],
  websites: [{ ...shop, enabled: true, endpoint_count: 3 }],
  pages: [
    ['Overview', '/'],
    ['Alerts', '/alerts'],
    ['Incidents', '/incidents'],
  ],
  incidents: [{ id: 'inc_1', number: 12, title: null, summary: '3 endpoints at 192.0.2.1 are down' }],
  mayWrite: true,
  mayMute: true,
};
const titles = (typed: string, world = WORLD) => commandsFor(typed, world).map(({ title }) => title);
const first = (typed: string) => commandsFor(typed, WORLD)[0]?.act;

describe('the command palette', () => {
  it('jumps to names that start with the text, then to those with a word that does, then to those that contain it', () => {
    expect(titles('shop')).toEqual(['Shop search', 'Example shop', 'Web shop']);
    expect(titles('heck')).toEqual(['Checkout']);
    expect(first('checkout')).toEqual({ does: 'open', path: '/endpoints/ep_1' });
    expect(first('exa')).toEqual({ does: 'open', path: '/websites/ws_shop' });
    expect(first('al')).toEqual({ does: 'open', path: '/alerts' });
    expect(titles('search shop')).toEqual(['Shop search']);
    expect(first('inc')).toEqual({ does: 'open', path: '/incidents' });
    expect(first('192.0.2.1')).toEqual({ does: 'open', path: '/incidents/inc_1' });
  });

  it('pauses active endpoints and resumes paused ones', () => {
    expect(titles('pause shop')).toEqual(['Pause Example shop', 'Pause Web shop']);
    expect(first('pause checkout')).toEqual({
      does: 'enable',
      of: 'endpoint',
      id: 'ep_1',
      name: 'Checkout',
      enabled: false,
    });
    expect(titles('resume ')).toEqual(['Resume Shop search']);
  });

  it('checks an endpoint', () => {
    expect(first('check  Web SHOP')).toEqual({ does: 'check', id: 'ep_3', name: 'Web shop' });
  });

  it.each([
    ['mute all 1 h', 'Mute Everything for 1 h', 3600],
    ['mute everything', 'Mute Everything for 1 h', 3600],
    ['mute 30 min', 'Mute Everything for 30 min', 1800],
    ['mute checkout 2h', 'Mute Checkout for 2 h', 7200],
    ['mute example shop 1 day', 'Mute Example shop for 1 d', 86_400],
  ])('mutes: %s', (typed, title, seconds) => {
    const [command] = commandsFor(typed, WORLD);
    expect([command?.title, command?.act]).toEqual([title, expect.objectContaining({ does: 'mute', seconds })]);
  });

  it('suggests the next words, at first and while one is typed', () => {
    expect(titles('')).toEqual([
      'Check an endpoint now',
      'Pause an endpoint or a website',
      'Resume an endpoint or a website',
      'Mute all, a website, or an endpoint',
      'Overview',
      'Alerts',
      'Incidents',
      '3 endpoints at 192.0.2.1 are down',
      'Example shop',
      'Checkout',
      'Shop search',
      'Web shop',
    ]);
    expect(first('pau')).toEqual({ does: 'type', text: 'pause ' });
    expect(titles('check')).toEqual(['Checkout', 'Check an endpoint now']);
  });

  it('shows twelve lines of two thousand, and no changes to read-only users', () => {
    const many = { ...WORLD, items: Array.from({ length: 2000 }, (_, n) => item(`ep_${n}`, `Shop ${n}`)) };
    expect(titles('shop', many)).toHaveLength(12);
    expect(titles('pause shop', { ...WORLD, mayWrite: false })).toEqual([]);
    expect(titles('mut', { ...WORLD, mayWrite: false, mayMute: false })).toEqual([]);
    expect(titles('mute shop', { ...WORLD, mayWrite: false })).toEqual(titles('mute shop'));
  });

  it('checks no heartbeat, but opens and pauses it', () => {
    const world: World = { ...WORLD, items: [{ ...item('ep_4', 'Backup'), type: 'HEARTBEAT' }] };
    expect(titles('check backup', world)).toEqual([]);
    expect([titles('backup', world), titles('pause backup', world)]).toEqual([['Backup'], ['Pause Backup']]);
  });
});
