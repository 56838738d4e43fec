import { randomBytes } from 'node:crypto';
import type { ChannelAudience } from '../../channel/channel';
import type { Notification, NotificationKind } from '../../channel/notification';
import { Config } from '../../platform/config/config';
import { formatId, newUuid } from '../../platform/ids/id';
import type { ServerSecrets } from '../../platform/secrets/server-secrets';
import { readClaim } from './acknowledge-token';
import { MessageLinks } from './message-links';

const KEY = randomBytes(32);
const BASE = 'https://uptime.example.com/monitor';
const [ALERT, ENDPOINT] = [newUuid(), newUuid()];
const CREATED = new Date('2026-11-20T12:00:00.000Z');

const linksWith = (publicUrl: string | null): MessageLinks =>
  new MessageLinks(Object.assign(new Config(), { publicUrl }), {
    get: () => KEY,
  } as Partial<ServerSecrets> as ServerSecrets);

const notificationOf = (kind: NotificationKind, changes: Partial<Notification> = {}): Notification =>
  ({
    kind,
    id: 'ev_1',
    incidentKey: `${formatId('alert', ALERT)}-7`,
    triggerId: null,
    repeat: false,
    alert: { id: formatId('alert', ALERT), description: '' },
    endpoint: { id: formatId('endpoint', ENDPOINT), name: 'Checkout', url: 'https://shop.example.com', type: 'HTTPS' },
    website: { id: 'ws_1', name: 'Shop', url: 'https://shop.example.com' },
    condition: 'down',
    isDegraded: false,
    reason: 'threshold',
    error: null,
    failureCount: 1,
    successCount: 0,
    startedAt: null,
    createdAt: CREATED.toISOString(),
    durationSeconds: null,
    check: null,
    digest: null,
    ...changes,
  }) as Notification;

const pageOf = (notification: Notification) => linksWith(BASE).addTo(notification, 'chat').links?.page;
const acknowledgeOf = (notification: Notification, audience: ChannelAudience = 'chat') =>
  linksWith(BASE).addTo(notification, audience).links?.acknowledge;

describe('the links of a message', () => {
  it('are left out without PUBLIC_URL', () => {
    const notification = notificationOf('triggered');
    expect(linksWith(null).addTo(notification, 'chat')).toBe(notification);
  });

  it.each(['triggered', 'resolved', 'reminder', 'recovered', 'flapping', 'acknowledged'] as const)(
    'link from "%s" to the endpoint',
    (kind) => {
      expect(pageOf(notificationOf(kind))).toBe(`${BASE}/#/endpoints/${formatId('endpoint', ENDPOINT)}`);
    },
  );

  const fold = (down: number): Notification => {
    const incident = { id: 'inc_1', number: 1, isMore: true, isReminder: false, address: null, down, up: 1 };
    const told = { ...incident, endpoints: 9, open: 1, durationSeconds: null };
    return notificationOf('digest', { digest: { triggered: down, resolved: 1, members: [], incident: told } });
  };

  it('link from a fold to its incident, which users can acknowledge while something is down', () => {
    expect(pageOf(fold(2))).toBe(`${BASE}/#/incidents/inc_1`);
    expect(acknowledgeOf(fold(2))).toContain(`${BASE}/ack/`);
    expect(acknowledgeOf(fold(0))).toBeNull();
  });

  it('link from a digest to the overview', () => {
    expect(pageOf(notificationOf('digest'))).toBe(`${BASE}/`);
  });

  it('link from a test to the alert, to the endpoint of an alert that is not saved, or to the contact', () => {
    const unsaved = { id: formatId('alert', ENDPOINT), description: '' };
    const contact = { id: formatId('contact', newUuid()), name: 'Operations' };
    expect(pageOf(notificationOf('test'))).toBe(`${BASE}/#/alerts/${formatId('alert', ALERT)}`);
    expect(pageOf(notificationOf('test', { alert: unsaved }))).toBe(
      `${BASE}/#/endpoints/${formatId('endpoint', ENDPOINT)}`,
    );
    expect(pageOf(notificationOf('test', { contact }))).toBe(`${BASE}/#/contacts/${contact.id}`);
  });

  it.each(['triggered', 'reminder'] as const)('let users acknowledge the episode of "%s" for seven days', (kind) => {
    for (const audience of ['chat', 'mail', 'sms'] as const) {
      const [base, token] = (acknowledgeOf(notificationOf(kind), audience) ?? '').split('/ack/');
      expect(base).toBe(BASE);
      expect(readClaim(KEY, token ?? '', CREATED)).toEqual({
        alertId: ALERT,
        episodeNo: 7,
        expiresAt: new Date('2026-11-27T12:00:00.000Z'),
      });
    }
  });

  it('let no webhook and no pager acknowledge anything', () => {
    for (const audience of ['webhook', 'pager'] as const)
      expect(acknowledgeOf(notificationOf('triggered'), audience)).toBeNull();
  });

  it.each(['resolved', 'recovered', 'flapping', 'digest', 'test', 'acknowledged'] as const)(
    'acknowledge nothing from "%s"',
    (kind) => {
      expect(acknowledgeOf(notificationOf(kind))).toBeNull();
    },
  );
});
