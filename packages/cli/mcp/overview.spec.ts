import { reasonsOf } from './overview';

const NOW = new Date('2026-01-01T00:00:00Z');
const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000).toISOString();
const WELL: Parameters<typeof reasonsOf>[0] = {
  id: 'ep_1',
  name: 'Front',
  url: 'https://shop.example.com',
  type: 'HTTPS',
  website: { id: 'ws_1', name: 'Shop' },
  status: 'up',
  degraded: false,
  maintenance: null,
  acknowledgement: null,
  status_since: null,
  last_checked_at: null,
  last_error: null,
  uptime_24h: 1,
  certificate_expires_at: inDays(60),
  alert_open: false,
};

describe('the overview of problems', () => {
  it.each([
    ['no endpoint that is up', {}, []],
    ['an endpoint that is down, with its alert', { status: 'down', alert_open: true }, ['down', 'alert_open']],
    ['a degraded endpoint', { degraded: true }, ['degraded']],
    ['an endpoint with an unknown status', { status: 'unknown' }, ['unknown']],
    ['a certificate that expires in 13 days', { certificate_expires_at: inDays(13) }, ['certificate_expires_soon']],
    ['an expired certificate', { certificate_expires_at: inDays(-1) }, ['certificate_expires_soon']],
    ['no certificate that expires in 15 days', { certificate_expires_at: inDays(15) }, []],
    ['nothing for an endpoint without a certificate', { certificate_expires_at: null }, []],
    ['no paused endpoint', { status: 'paused', certificate_expires_at: inDays(1) }, []],
  ])('contains %s', (_, fields, expected) => {
    expect(reasonsOf({ ...WELL, ...fields }, NOW)).toEqual(expected);
  });
});
