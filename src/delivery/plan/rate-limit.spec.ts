import type { ChannelAudience } from '../../channel/channel';
import { limitRate, type RateLimitInput, tokensAt } from './rate-limit';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const input = (more: Partial<RateLimitInput>): RateLimitInput => ({
  audience: 'chat',
  tokens: 5,
  lastDigestAt: null,
  now: NOW,
  ready: 1,
  free: 4,
  ...more,
});

describe('tokensAt', () => {
  it.each<[ChannelAudience, number]>([
    ['chat', 5],
    ['sms', 3],
    ['mail', 5],
    ['pager', 60],
    ['webhook', 200],
  ])('gives a %s a full bucket of %i before its first notification', (audience, burst) => {
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
  ])('refills an empty bucket of a %s after %i s to %d tokens', (audience, seconds, tokens) => {
    expect(tokensAt({ tokens: 0, at: NOW }, audience, later(seconds))).toBeCloseTo(tokens, 6);
  });

  it('keeps the tokens if the clock was set back', () => {
    expect(tokensAt({ tokens: 2, at: later(60) }, 'chat', NOW)).toBe(2);
  });
});

describe('limitRate', () => {
  it.each<[string, Partial<RateLimitInput>, Partial<ReturnType<typeof limitRate>>]>([
    ['lets a single notification leave at once', {}, { singles: 1, digest: false, tokensLeft: 4, waitUntil: null }],
    [
      'lets as many leave one by one as the bucket has tokens',
      { ready: 4 },
      { singles: 4, digest: false, tokensLeft: 1 },
    ],
    [
      'sets no time for what only waits for a free attempt',
      { ready: 5 },
      { singles: 4, digest: false, waitUntil: null },
    ],
    [
      'sends a storm to a chat as a few notifications and a digest',
      { ready: 500 },
      { singles: 3, digest: true, tokensLeft: 1, waitUntil: null },
    ],
    [
      'sends only the digest with the last token',
      { ready: 500, tokens: 1 },
      { singles: 0, digest: true, tokensLeft: 0 },
    ],
    [
      'waits for a token when the bucket is empty',
      { ready: 2, tokens: 0.5 },
      { singles: 0, digest: false, waitUntil: later(5) },
    ],
    [
      'lets nothing overtake the next digest',
      { ready: 500, tokens: 2, lastDigestAt: later(-20) },
      { singles: 0, digest: false, tokensLeft: 2, waitUntil: later(40) },
    ],
    [
      'lets a few latecomers leave before the digest once the bucket has tokens for all',
      { ready: 2, tokens: 1, lastDigestAt: later(-20) },
      { singles: 0, digest: false, waitUntil: later(10) },
    ],
    ['allows a digest a minute after the last one', { ready: 500, lastDigestAt: later(-60) }, { digest: true }],
    ['sends a phone a digest as well', { audience: 'sms', ready: 9, tokens: 3 }, { singles: 2, digest: true }],
    ['sends a mailbox a digest as well', { audience: 'mail', ready: 9 }, { singles: 3, digest: true }],
    [
      'sends a pager everything, one by one',
      { audience: 'pager', ready: 10_000, tokens: 1.5, free: 4 },
      { singles: 1, digest: false, tokensLeft: 0.5, waitUntil: later(0.25) },
    ],
    [
      'sends a webhook everything, one by one',
      { audience: 'webhook', ready: 10_000, tokens: 0, free: 4 },
      { singles: 0, digest: false, waitUntil: later(0.02) },
    ],
    [
      'takes no token when nothing is ready',
      { ready: 0 },
      { singles: 0, digest: false, tokensLeft: 5, waitUntil: null },
    ],
  ])('%s', (_, more, expected) => {
    expect(limitRate(input(more))).toMatchObject(expected);
  });

  it('limits a storm of an hour at a chat to ten notifications in the first minute and four per minute afterwards', () => {
    let bucket = { tokens: 0, at: null as Date | null };
    let lastDigestAt: Date | null = null;
    let pending = 0;
    const sentAt: number[] = [];
    for (let second = 0; second < 3600; second++) {
      const now = later(second);
      pending += 20;
      const tokens = tokensAt(bucket, 'chat', now);
      const { singles, digest, tokensLeft } = limitRate(input({ tokens, lastDigestAt, now, ready: pending }));
      bucket = { tokens: tokensLeft, at: now };
      if (digest) lastDigestAt = now;
      pending = digest ? 0 : pending - singles;
      for (let i = 0; i < singles + (digest ? 1 : 0); i++) sentAt.push(second);
    }
    expect(sentAt.filter((second) => second < 60).length).toBeLessThanOrEqual(10);
    expect(sentAt.filter((second) => second >= 60).length).toBeLessThanOrEqual(59 * 4);
    expect(pending).toBeLessThanOrEqual(20 * 60);
  });
});
