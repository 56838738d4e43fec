import type { ChannelAudience, Notification } from '../../channel/channel';
import { digestNotification, limitRate, type RateLimitInput, tokensAt } from './rate-limit';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const input = (more: Partial<RateLimitInput>): RateLimitInput => ({
  audience: 'chat',
  tokens: 5,
  lastDigestAt: null,
  now: NOW,
  ready: 1,
  slots: 4,
  ...more,
});

const notice = (n: number, more: Partial<Notification> = {}): Notification => ({
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
  failureCount: 3,
  successCount: 0,
  startedAt: later(n - 60).toISOString(),
  createdAt: later(n).toISOString(),
  durationSeconds: null,
  check: null,
  digest: null,
  ...more,
});

describe('the bucket of a destination', () => {
  it.each<[ChannelAudience, number]>([
    ['chat', 5],
    ['sms', 3],
    ['mail', 5],
    ['pager', 60],
    ['webhook', 200],
  ])('of %s is full before its first message', (audience, burst) => {
    expect(tokensAt({ tokens: 0, at: null }, audience, NOW)).toBe(burst);
  });

  it.each<[ChannelAudience, number, number]>([
    ['chat', 10, 1],
    ['chat', 25, 2.5],
    ['chat', 3600, 5],
    ['sms', 300, 1],
    ['sms', 900, 3],
    ['mail', 60, 1],
    ['pager', 60, 60],
    ['webhook', 1, 50],
  ])('of %s holds after %i s: %d', (audience, seconds, tokens) => {
    expect(tokensAt({ tokens: 0, at: NOW }, audience, later(seconds))).toBeCloseTo(tokens, 6);
  });

  it('loses nothing when the time goes back', () => {
    expect(tokensAt({ tokens: 2, at: later(60) }, 'chat', NOW)).toBe(2);
  });
});

describe('shaping', () => {
  it.each<[string, Partial<RateLimitInput>, Partial<ReturnType<typeof limitRate>>]>([
    ['a single message leaves at once', {}, { singles: 1, digest: false, tokensLeft: 4, waitUntil: null }],
    ['what the bucket holds leaves as it is', { ready: 4 }, { singles: 4, digest: false, tokensLeft: 1 }],
    ['what lacks a slot only waits for one', { ready: 5 }, { singles: 4, digest: false, waitUntil: null }],
    [
      'a chat’s storm leaves as a few messages and a digest',
      { ready: 500 },
      { singles: 3, digest: true, tokensLeft: 1, waitUntil: null },
    ],
    [
      'with a last token there is only the digest',
      { ready: 500, tokens: 1 },
      { singles: 0, digest: true, tokensLeft: 0 },
    ],
    ['with none it waits for a token', { ready: 2, tokens: 0.5 }, { singles: 0, digest: false, waitUntil: later(5) }],
    [
      'until the next digest nothing overtakes it',
      { ready: 500, tokens: 2, lastDigestAt: later(-20) },
      { singles: 0, digest: false, tokensLeft: 2, waitUntil: later(40) },
    ],
    [
      'but a few latecomers leave as soon as the bucket holds them',
      { ready: 2, tokens: 1, lastDigestAt: later(-20) },
      { singles: 0, digest: false, waitUntil: later(10) },
    ],
    ['a minute after the last digest comes the next', { ready: 500, lastDigestAt: later(-60) }, { digest: true }],
    ['a phone gets a digest as well', { audience: 'sms', ready: 9, tokens: 3 }, { singles: 2, digest: true }],
    ['a mailbox gets a digest as well', { audience: 'mail', ready: 9 }, { singles: 3, digest: true }],
    [
      'a pager gets all, one after the other',
      { audience: 'pager', ready: 10_000, tokens: 1.5, slots: 4 },
      { singles: 1, digest: false, tokensLeft: 0.5, waitUntil: later(0.25) },
    ],
    [
      'a webhook gets all, one after the other',
      { audience: 'webhook', ready: 10_000, tokens: 0, slots: 4 },
      { singles: 0, digest: false, waitUntil: later(0.02) },
    ],
    ['nothing ready needs nothing', { ready: 0 }, { singles: 0, digest: false, tokensLeft: 5, waitUntil: null }],
  ])('%s', (_, more, expected) => {
    expect(limitRate(input(more))).toMatchObject(expected);
  });

  it('a storm of an hour costs a chat at most ten messages a minute and about one a minute later on', () => {
    let bucket = { tokens: 0, at: null as Date | null };
    let lastDigestAt: Date | null = null;
    let waiting = 0;
    const sentAt: number[] = [];
    for (let second = 0; second < 3600; second++) {
      const now = later(second);
      waiting += 20;
      const tokens = tokensAt(bucket, 'chat', now);
      const { singles, digest, tokensLeft } = limitRate(input({ tokens, lastDigestAt, now, ready: waiting }));
      bucket = { tokens: tokensLeft, at: now };
      if (digest) lastDigestAt = now;
      waiting = digest ? 0 : waiting - singles;
      for (let i = 0; i < singles + (digest ? 1 : 0); i++) sentAt.push(second);
    }
    expect(sentAt.filter((second) => second < 60).length).toBeLessThanOrEqual(10);
    expect(sentAt.filter((second) => second >= 60).length).toBeLessThanOrEqual(59 * 4);
    expect(waiting).toBeLessThanOrEqual(20 * 60);
  });
});

describe('a digest', () => {
  it('names the first twenty, counts all, and goes out under the id of the newest', () => {
    const named = Array.from({ length: 25 }, (_, n) => notice(n)) as [Notification, ...Notification[]];
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
    ['up again after 3 min', { kind: 'resolved', durationSeconds: 180 }],
    ['up again', { kind: 'resolved' }],
    ['the alert was disabled', { kind: 'resolved', reason: 'disabled', durationSeconds: 180 }],
  ])('says of a member: %s', (message, more) => {
    expect(
      digestNotification([notice(1, more)], { triggered: 1, resolved: 1 }, false).digest?.members[0],
    ).toMatchObject({
      message,
      website: 'Shop',
    });
  });
});
