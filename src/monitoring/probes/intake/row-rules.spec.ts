import { type AssignedState, judgeRow } from './row-rules';
import type { ReadResult } from './sent-results';

const NOW = 1_790_000_000_000;
const [ENDPOINT, OTHER, ASK] = ['endpoint', 'other', 'ask'];
const MINUTE = 60_000;

const row = (changes: Partial<ReadResult> = {}): ReadResult => ({
  endpointId: ENDPOINT,
  revision: 3,
  slotMs: NOW,
  ask: null,
  checkedMs: NOW,
  attempts: 1,
  firstError: null,
  result: {
    outcome: 'up',
    durationMs: 1,
    phases: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null },
    statusCode: null,
    address: null,
    certificate: null,
    records: null,
    redirects: [],
    error: null,
    warning: null,
  },
  ...changes,
});
const assigned = (changes: Partial<AssignedState> = {}): AssignedState => ({
  active: true,
  revision: 3,
  intervalMs: MINUTE,
  lastSlotMs: NOW - MINUTE,
  ...changes,
});

describe('the decision about a row', () => {
  it.each([
    ['its next slot', row(), assigned(), 'record'],
    ['its first slot', row({ slotMs: NOW - 10 * MINUTE }), assigned({ lastSlotMs: null }), 'record'],
    ['a slot of a grid that was moved', row({ slotMs: NOW - MINUTE / 2 }), assigned(), 'record'],
    ['an unreadable row', null, assigned(), 'invalid'],
    ['an endpoint of another organization', row(), null, 'not_assigned'],
    ['a paused endpoint', row(), assigned({ active: false }), 'not_assigned'],
    ['an earlier revision', row({ revision: 2 }), assigned(), 'stale_revision'],
    ['a revision that does not exist', row({ revision: 4 }), assigned(), 'stale_revision'],
    ['a slot 5 s ahead', row({ slotMs: NOW + 5000 }), assigned(), 'record'],
    ['a slot that is more ahead', row({ slotMs: NOW + 5020 }), assigned(), 'in_future'],
    ['a check ahead', row({ checkedMs: NOW + 5001 }), assigned(), 'in_future'],
    ['a check of an hour ago', row({ checkedMs: NOW - 60 * MINUTE }), assigned(), 'record'],
    ['a check of yesterday', row({ checkedMs: NOW - 1440 * MINUTE }), assigned(), 'too_old'],
    ['the newest slot again', row({ slotMs: NOW - MINUTE }), assigned(), 'duplicate'],
    ['a slot before it', row({ slotMs: NOW - 5 * MINUTE }), assigned(), 'duplicate'],
    ['an old one, which is a duplicate as well', row({ slotMs: 0, checkedMs: 0 }), assigned(), 'too_old'],
    ['a slot between slots', row({ slotMs: NOW - MINUTE + 20 }), assigned(), 'not_a_slot'],
    ['a slot that is not on the raster', row({ slotMs: NOW + 1 }), assigned(), 'not_a_slot'],
    ['a slot with a fraction', row({ slotMs: NOW + 0.5 }), assigned(), 'not_a_slot'],
  ])('is right for %s', (_, sent, state, judgement) => {
    expect(judgeRow(sent, state, null, NOW)).toBe(judgement);
  });

  const answer = (changes: Partial<ReadResult> = {}) => row({ slotMs: null, ask: ASK, ...changes });
  const tryOut = answer({ endpointId: null, revision: null });

  it.each([
    ['an ask', answer(), assigned(), { endpointId: ENDPOINT }, 'record'],
    ['an ask that it was not given', answer(), assigned(), null, 'not_a_slot'],
    ['an ask about another endpoint', answer(), assigned(), { endpointId: OTHER }, 'not_a_slot'],
    [
      'an ask about a resource that is paused since then',
      answer(),
      assigned({ active: false }),
      { endpointId: ENDPOINT },
      'not_assigned',
    ],
    [
      'an ask about a resource that was changed',
      answer({ revision: 2 }),
      assigned(),
      { endpointId: ENDPOINT },
      'stale_revision',
    ],
    ['a try-out', tryOut, null, { endpointId: null }, 'record'],
    ['a try-out that it was not given', tryOut, null, null, 'not_a_slot'],
    ['a try-out as an answer about an endpoint', tryOut, null, { endpointId: ENDPOINT }, 'not_a_slot'],
    ['an endpoint as an answer to a try-out', answer(), assigned(), { endpointId: null }, 'not_a_slot'],
    ['a try-out ahead', { ...tryOut, checkedMs: NOW + 6000 }, null, { endpointId: null }, 'in_future'],
  ])('is right for an on-demand result: %s', (_, sent, state, ask, judgement) => {
    expect(judgeRow(sent, state, ask, NOW)).toBe(judgement);
  });
});
