import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedDelivery } from '../delivery';
import { attemptContents, planDestination } from './batch-plan';
import { foldReady, type TellableIncident } from './fold';
import { limitRate, tokensAt } from './rate-limit';

const PAGE = readFileSync(join(__dirname, '../../../docs/concepts/incidents.md'), 'utf8');
const START = new Date('2026-11-20T12:00:00.000Z').getTime();
const UP_AFTER_S = 600;
const ENDPOINTS = [1, 2, 4, 10, 40, 400];
const WITHIN_S = [0, 10, 60];
const at = (second: number) => new Date(START + second * 1000);

/** Endpoints at one address that fail within this many seconds, and recover in the same order ten minutes later. */
function outage(count: number, withinS: number): LockedDelivery[] {
  const begin = (index: number): number => (count === 1 ? 0 : Math.round((withinS * index) / (count - 1)));
  const deliveryOf = (index: number, kind: 'triggered' | 'resolved'): LockedDelivery => ({
    id: `${kind} ${index}`,
    kind,
    queueId: `alert ${index}`,
    episodeNo: 1,
    mayHaveArrived: false,
    ended: false,
    triggerOutcome: 'notified',
    redeliver: false,
    inFlight: false,
    endpointId: `endpoint ${index}`,
    incidentId: 'one',
    attempts: 0,
    rejections: 0,
    createdAt: at(begin(index) + (kind === 'resolved' ? UP_AFTER_S : 0)),
  });
  const indexes = Array.from({ length: count }, (_, index) => index);
  return [
    ...indexes.map((index) => deliveryOf(index, 'triggered')),
    ...indexes.map((index) => deliveryOf(index, 'resolved')),
  ];
}

/**
 * Returns how many messages a chat gets. Plans every second like `DeliveryClaim`, and sends each message immediately.
 */
function messagesOf(deliveries: readonly LockedDelivery[], isFolded: boolean): number {
  const told = new Set<string>();
  const [bucket, last] = [
    { tokens: 0, at: null as Date | null },
    { digest: null as Date | null, left: null as Date | null },
  ];
  let messages = 0;
  for (let second = 0; told.size < deliveries.length && second < 2 * UP_AFTER_S; second++) {
    const now = at(second);
    const known = deliveries.filter(({ createdAt }) => createdAt <= now);
    const pending = known.filter(({ id }) => !told.has(id));
    if (pending.length === 0) continue;
    // A resolve is sent once no other delivery of its alert is ahead of it.
    const waiting = new Set(pending.filter(({ kind }) => kind === 'triggered').map(({ queueId }) => queueId));
    const heads = pending.filter(({ kind, queueId }) => kind === 'triggered' || !waiting.has(queueId));
    const { ready } = planDestination(heads, pending, new Map(), { audience: 'chat' }, now);
    const [down, up] = ['triggered', 'resolved'].map((kind) => known.filter((one) => one.kind === kind).length);
    const incident: TellableIncident = {
      id: '00000000-0000-7000-8000-000000000001',
      number: 1,
      address: null,
      endpointCount: down ?? 0,
      openCount: (down ?? 0) - (up ?? 0),
      outages: 1,
      downtimeMs: 0,
      endedAt: down === up ? now : null,
      leftAt: last.left,
      busyUntil: null,
    };
    const incidents = new Map(isFolded && incident.endpointCount > 1 ? [['one', incident]] : []);
    const { groups } = foldReady(ready, incidents, now);
    const tokens = tokensAt(bucket, 'chat', now);
    const input = { audience: 'chat' as const, tokens, lastDigestAt: last.digest, now, ready: groups.length, free: 4 };
    const decision = limitRate(input);
    const attempts = attemptContents(groups, decision);
    for (const { end } of attempts.flatMap((one) => one.deliveries)) told.add(end.id);
    if (attempts.length > 0) last.left = now;
    if (decision.digest) last.digest = now;
    [bucket.tokens, bucket.at] = [decision.tokensLeft, now];
    messages += attempts.length;
  }
  return messages;
}

describe('the number of messages in a chat when endpoints fail together', () => {
  it('matches the table in docs/concepts/incidents.md', () => {
    const rows = ENDPOINTS.map((count) => [
      String(count),
      ...WITHIN_S.map((within) => {
        const deliveries = outage(count, within);
        return `${messagesOf(deliveries, false)} → ${messagesOf(deliveries, true)}`;
      }),
    ]);
    const documented = [...PAGE.matchAll(/^\| (\d+) +\|([^\n]+)\|$/gm)].map(([, count = '', cells = '']) => [
      count,
      ...cells.split('|').map((cell) => cell.trim()),
    ]);
    expect(documented).toEqual(rows);
  });
});
