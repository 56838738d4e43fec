import { readPingPath, readPushPath } from './ping-address';

const ID = '7b1f4a52-6f0e-4c6b-9a55-2f5a3d9c1e04';
const KEY = 'pQ3v7dZkT2mXc9LhYw0BnA';
const byId = { by: 'id', pingId: ID };
const byKey = { by: 'key', pingKey: KEY, key: 'backup' };
const success = { kind: 'success', exitCode: null, refusal: null };

describe('the URL of a ping', () => {
  it.each([
    [`/ping/${ID}`, byId, success],
    [`/${ID}`, byId, success],
    [`/${ID.toUpperCase()}/`, byId, success],
    [`/ping/${ID}/start`, byId, { ...success, kind: 'start' }],
    [`/ping/${ID}/log`, byId, { ...success, kind: 'log' }],
    [`/ping/${ID}/fail/`, byId, { ...success, kind: 'fail' }],
    [`/ping/${ID}/0`, byId, { kind: 'success', exitCode: 0, refusal: null }],
    [`/ping/${ID}/255`, byId, { kind: 'fail', exitCode: 255, refusal: null }],
    [`/ping/${ID}/256`, byId, { ...success, refusal: 'invalid url format' }],
    [`/ping/${ID}/START`, byId, { ...success, refusal: 'invalid url format' }],
    [`/ping/${ID}/foo`, byId, { ...success, refusal: 'not found' }],
    [`/ping/${ID}/fail/deeper`, byId, { ...success, refusal: 'not found' }],
    [`/ping/${KEY}/backup`, byKey, success],
    [`/ping/${KEY}/backup/3`, byKey, { kind: 'fail', exitCode: 3, refusal: null }],
    [`/ping/${KEY}/Backup`, { ...byKey, key: 'Backup' }, { ...success, refusal: 'invalid url format' }],
  ])('%s is understood', (path, target, signal) => {
    expect(readPingPath(path)).toEqual({ target, ...signal });
  });

  it.each(['/', '/status/shop', '/api/v1/endpoints', '/health/live', '/7b1f4a52', '/assets/index.js'])(
    "%s isn't valid",
    (path) => {
      expect(readPingPath(path)).toBeNull();
    },
  );

  it.each(['/ping', '/ping/', '/ping/7b1f4a52', `/ping/${KEY}`, '/ping/short/backup'])(
    '%s can never be valid',
    (path) => {
      expect(readPingPath(path)).toBe('unknown');
    },
  );

  it('of Uptime Kuma contains a token, and every status except up means down', () => {
    const target = { by: 'token', token: 'hV8mQ2xT5rNc0bWq' };
    expect(readPushPath('/api/push/hV8mQ2xT5rNc0bWq', 'up')).toEqual({ target, ...success });
    expect(readPushPath('/api/push/hV8mQ2xT5rNc0bWq', 'DOWN')).toEqual({ target, ...success, kind: 'fail' });
    expect(readPushPath('/api/push/short', 'up')).toBeNull();
  });
});
