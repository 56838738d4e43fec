import type { Notification } from '../../channel/notification';
import { digestNotification } from './digest';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const notification = (n: number, more: Partial<Notification> = {}): Notification =>
  ({
    kind: 'triggered',
    id: `ev_${n}`,
    incidentKey: `al_${n}-1`,
    triggerId: null,
    repeat: false,
    alert: { id: `al_${n}`, description: '' },
    endpoint: { id: `ep_${n}`, name: `Endpoint ${n}`, url: 'https://shop.example', type: 'HTTPS' },
    website: { id: 'ws_1', name: 'Shop', url: 'https://shop.example' },
    reason: 'threshold',
    error: { code: 'connection_refused', message: 'connection refused' },
    condition: 'down',
    isDegraded: false,
    failureCount: 3,
    successCount: 0,
    startedAt: later(n - 60).toISOString(),
    createdAt: later(n).toISOString(),
    durationSeconds: null,
    check: null,
    digest: null,
    ...more,
  }) as Notification;

describe('digestNotification', () => {
  it('names the first twenty members, counts all members, and has the ID of the newest', () => {
    const named = Array.from({ length: 25 }, (_, n) => notification(n)) as [Notification, ...Notification[]];
    const digest = digestNotification(named, { triggered: 700, resolved: 30 }, true);
    expect(digest).toMatchObject({ kind: 'digest', id: 'ev_24', repeat: true, triggerId: null });
    expect(digest.digest).toMatchObject({ triggered: 700, resolved: 30 });
    expect(digest.digest?.members.map(({ endpoint }) => endpoint)).toEqual(
      Array.from({ length: 20 }, (_, n) => `Endpoint ${n}`),
    );
  });

  it.each<[string, Partial<Notification>]>([
    ['connection refused', {}],
    ['3 failed checks in a row', { error: null }],
    ['keeps going up and down', { kind: 'flapping' }],
    ['was down for 3 min', { kind: 'recovered', durationSeconds: 180 }],
    ['back up after 3 min', { kind: 'resolved', durationSeconds: 180 }],
    ['back up', { kind: 'resolved' }],
    ['2 degraded checks in a row', { isDegraded: true, error: null, failureCount: 2 }],
    ['was degraded for 3 min', { kind: 'recovered', isDegraded: true, durationSeconds: 180 }],
    ['no longer degraded after 3 min', { kind: 'resolved', isDegraded: true, durationSeconds: 180 }],
    ['still down for 2 h 10 min', { kind: 'reminder', durationSeconds: 7800 }],
    ['still degraded for 3 min', { kind: 'reminder', isDegraded: true, durationSeconds: 180 }],
    ['the alert was disabled', { kind: 'resolved', reason: 'disabled', durationSeconds: 180 }],
  ])('describes a member as "%s"', (message, more) => {
    expect(
      digestNotification([notification(1, more)], { triggered: 1, resolved: 1 }, false).digest?.members[0],
    ).toMatchObject({
      message,
      website: 'Shop',
    });
  });
});
