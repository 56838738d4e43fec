import type { ChannelAudience } from '../../../src/channel/channel';
import type { Notification, NotificationKind } from '../../../src/channel/notification';
import { isHuman } from '../../../src/delivery/delivery';

const TRIGGERED: Notification = {
  kind: 'triggered',
  id: 'ev_01jd4trigger0000000000000a',
  incidentKey: 'al_01jd4alert00000000000000000-7',
  triggerId: null,
  repeat: false,
  alert: { id: 'al_01jd4alert00000000000000000', description: 'Call the shop team.\nRunbook: page 12' },
  endpoint: {
    id: 'ep_01jd4endpoint0000000000000',
    name: 'Checkout API',
    url: 'https://shop.example.com/api/checkout?token=in-the-query',
    type: 'HTTPS',
  },
  website: { id: 'ws_01jd4website00000000000000', name: 'Shop', url: 'https://shop.example.com' },
  condition: 'down',
  isDegraded: false,
  reason: 'threshold',
  error: { code: 'connection_refused', message: 'connection refused' },
  failureCount: 3,
  successCount: 0,
  startedAt: '2026-11-20T12:01:33.000Z',
  createdAt: '2026-11-20T12:03:33.250Z',
  durationSeconds: null,
  check: { checkedAt: '2026-11-20T12:03:33.000Z', durationMs: 12.5, statusCode: null, address: '192.0.2.10' },
  digest: null,
};

const INCIDENT = { incidentId: 'inc_01jd4incident00000000000000', incidentNumber: 12, outage: 1 };

const OF_KIND: Readonly<Record<NotificationKind, Partial<Notification>>> = {
  triggered: INCIDENT,
  resolved: {
    ...INCIDENT,
    id: 'ev_01jd4resolve0000000000000b',
    triggerId: TRIGGERED.id,
    error: null,
    failureCount: 0,
    successCount: 2,
    createdAt: '2026-11-20T12:13:36.000Z',
    durationSeconds: 723,
    check: { checkedAt: '2026-11-20T12:13:35.900Z', durationMs: 81.2, statusCode: 200, address: '192.0.2.10' },
  },
  recovered: {
    ...INCIDENT,
    id: 'ev_01jd4resolve0000000000000b',
    triggerId: TRIGGERED.id,
    createdAt: '2026-11-20T12:13:36.000Z',
    durationSeconds: 723,
  },
  reminder: {
    ...INCIDENT,
    id: 'dl_01jd4reminder00000000000000',
    triggerId: TRIGGERED.id,
    reason: null,
    createdAt: '2026-11-20T14:11:33.000Z',
    ordinal: 3,
    durationSeconds: 7800,
  },
  test: {
    id: 'dl_01jd4test000000000000000000',
    reason: null,
    error: null,
    failureCount: 0,
    startedAt: null,
    check: null,
  },
  digest: {
    digest: {
      triggered: 24,
      resolved: 2,
      members: Array.from({ length: 20 }, (_, index) => ({
        kind: index < 18 ? 'triggered' : 'resolved',
        isDegraded: false,
        endpoint: `Node ${index + 1}`,
        website: 'Shop',
        message: index < 18 ? 'connection refused' : 'back up after 3 min',
      })),
    },
  },
  flapping: {},
  acknowledged: { error: null, acknowledgement: { by: 'Ann', note: 'the switch is being replaced' } },
  contact_failing: {
    id: 'dl_01jd4failing00000000000000',
    incidentKey: 'ct_01jd4contact0000000000000000-failing-2026-11-13T09:12:00.000Z',
    contact: { id: 'ct_01jd4contact0000000000000000', name: 'Operations' },
    alert: { id: '', description: '' },
    endpoint: { id: '', name: '', url: '', type: '' },
    website: { id: '', name: '', url: '' },
    reason: null,
    error: null,
    failureCount: 0,
    startedAt: '2026-11-13T09:12:00.000Z',
    createdAt: '2026-11-20T12:15:00.000Z',
    durationSeconds: 615_780,
    check: null,
    failing: { type: 'slack', attempts: 41, error: 'Slack answered 403: invalid_token' },
  },
  expiry: {
    id: 'dl_01jd4expiry000000000000000',
    incidentKey: 'al_01jd4alert00000000000000000-certificate-2026-11-30T10:00:00.000Z',
    reason: null,
    error: null,
    failureCount: 0,
    startedAt: null,
    check: null,
    certificate: {
      subject: 'CN=shop.example.com',
      issuer: 'CN=R11, O=Let’s Encrypt, C=US',
      expiresAt: '2026-11-30T10:00:00.000Z',
      daysLeft: 9,
    },
  },
};

/** Returns a notification of the given kind about a fixed incident, as the alert module would build it. */
export const notificationOf = (kind: NotificationKind, changes: Partial<Notification> = {}): Notification =>
  ({
    ...TRIGGERED,
    ...OF_KIND[kind],
    kind,
    ...changes,
  }) as Notification;

/** Returns a digest of one incident that includes its other endpoints. */
export const fold = (): Notification =>
  notificationOf('digest', {
    digest: {
      triggered: 39,
      resolved: 0,
      incident: {
        id: INCIDENT.incidentId,
        number: 12,
        isMore: true,
        isReminder: false,
        address: '192.0.2.10',
        down: 39,
        up: 0,
        endpoints: 40,
        open: 40,
        durationSeconds: null,
      },
      members: Array.from({ length: 20 }, (_, index) => ({
        kind: 'triggered',
        isDegraded: false,
        endpoint: `Node ${index + 2}`,
        website: 'Shop',
        message: 'connection refused',
      })),
    },
  });

/** Hostile text: every vendor's markup, mentions, links, line breaks, control characters, and direction marks. */
export const HOSTILE =
  '<script>alert(1)</script> <!channel> @everyone <@U012AB3CD> [click](http://evil.example) *b* _i_ `c`' +
  '\r\nBcc: victim@evil.example\r\n\r\n.\r\nMAIL FROM:<x@evil.example>\u0000\u0007\u001b[31m\u202e\ud800';

/** Returns a triggered notification in which every external string is hostile. */
export const hostileNotification = (): Notification =>
  notificationOf('triggered', {
    alert: { id: 'al_01jd4alert00000000000000000', description: HOSTILE },
    endpoint: { ...TRIGGERED.endpoint, name: HOSTILE, url: `https://shop.example.com/${HOSTILE}` },
    website: { ...TRIGGERED.website, name: HOSTILE },
    error: { code: 'assertion_failed', message: HOSTILE },
  });

/**
 * Returns a triggered notification whose strings have the maximum length, in characters that take two UTF-16 units
 * each.
 */
export const longNotification = (): Notification =>
  notificationOf('triggered', {
    alert: { id: 'al_01jd4alert00000000000000000', description: '🔥'.repeat(1000) },
    endpoint: { ...TRIGGERED.endpoint, name: '🔥'.repeat(255), url: `https://shop.example.com/${'a'.repeat(2000)}` },
    website: { ...TRIGGERED.website, name: '🔥'.repeat(255) },
    error: { code: 'assertion_failed', message: '🔥'.repeat(300) },
    locations: Array.from({ length: 10 }, (_, index) => ({
      location: `shared/${'a'.repeat(63)}${index}`,
      outcome: index < 9 ? 'down' : 'unknown',
      error: { code: 'assertion_failed', message: '🔥'.repeat(300) },
    })),
  });

/** Returns a triggered notification about an endpoint with several locations, one of which isn't responding. */
export const fromLocations = (): Notification =>
  notificationOf('triggered', {
    locations: [
      { location: 'fra', outcome: 'down', error: { code: 'connection_refused', message: 'connection refused' } },
      { location: 'office', outcome: 'down', error: { code: 'connection_timeout', message: 'no answer within 10 s' } },
      { location: 'local', outcome: 'up', error: null },
      {
        location: 'shared/use1',
        outcome: 'unknown',
        error: { code: 'monitor_offline', message: 'No result has been received from this location.' },
      },
    ],
  });

/** Returns a contact's test notification, which has no alert, endpoint, or website. */
export const contactTest = (): Notification =>
  notificationOf('test', {
    incidentKey: 'ct_01jd4contact0000000000000000-test-dl_01jd4test000000000000000000',
    contact: { id: 'ct_01jd4contact0000000000000000', name: 'Operations' },
    alert: { id: '', description: '' },
    endpoint: { id: '', name: '', url: '', type: '' },
    website: { id: '', name: '', url: '' },
  });

/** Adds the links that a service with a `PUBLIC_URL` would add for this audience. */
export function linked(notification: Notification, audience: ChannelAudience): Notification {
  const acts = isHuman(audience) && ['triggered', 'reminder', 'digest'].includes(notification.kind);
  const incident = notification.digest?.incident;
  const { contact, endpoint } = notification;
  const page = incident ? `incidents/${incident.id}` : contact ? `contacts/${contact.id}` : `endpoints/${endpoint.id}`;
  return {
    ...notification,
    links: {
      page: `https://uptime.example.com/#/${page}`,
      acknowledge: acts ? `https://uptime.example.com/ack/${'Ab_1-9xY'.repeat(7)}` : null,
    },
  };
}
