import { matchPath } from '../../../web/src/logic/route-match';

describe('matching a route', () => {
  it.each([
    ['', '', ''],
    ['', 'alerts', null],
    ['alerts', 'alerts', ''],
    ['alerts', '', null],
    ['alerts', 'alerts/al_1', null],
    ['alerts/:id', 'alerts/al_1', 'al_1'],
    ['alerts/:id', 'alerts', null],
    ['endpoints/:id/edit', 'endpoints/ep_1/edit', 'ep_1'],
    ['endpoints/:id/edit', 'endpoints/ep_1', null],
    ['endpoints/:id/edit', 'endpoints/ep_1/delete', null],
    ['settings/:tab?', 'settings', ''],
    ['settings/:tab?', 'settings/keys', 'keys'],
    ['settings/:tab?', 'settings/keys/more', null],
  ])('matches the pattern %p with the path %p as %p', (pattern, path, parameter) => {
    const segments = path.split('/').filter((segment) => segment !== '');
    expect(matchPath(pattern, segments)).toBe(parameter);
  });
});
