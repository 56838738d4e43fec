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

describe('what needs attention', () => {
  it.each([
    ['nothing of what is well', {}, []],
    ['what is down, with its alert', { status: 'down', alert_open: true }, ['down', 'alert_open']],
    ['what is degraded', { degraded: true }, ['degraded']],
    ['what cannot be told', { status: 'unknown' }, ['unknown']],
    ['a certificate of thirteen days', { certificate_expires_at: inDays(13) }, ['certificate_expires_soon']],
    ['a certificate that has ended', { certificate_expires_at: inDays(-1) }, ['certificate_expires_soon']],
    ['no certificate of fifteen days', { certificate_expires_at: inDays(15) }, []],
    ['nothing without a certificate', { certificate_expires_at: null }, []],
    ['nothing that is paused', { status: 'paused', certificate_expires_at: inDays(1) }, []],
  ])('is %s', (_, fields, expected) => {
    expect(reasonsOf({ ...WELL, ...fields }, NOW)).toEqual(expected);
  });
});
