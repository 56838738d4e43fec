import { decideSession } from './session-rules';

const NOW = 1_790_000_000_000;
const held = (session: string | null, silentMs: number | null = 0) => ({
  session,
  seenMs: silentMs === null ? null : NOW - silentMs,
});
const asking = (session: string, { standby = false, isOld = false } = {}) => ({ session, standby, isOld });

describe('the active process of a token', () => {
  it.each([
    ['the first of all', held(null, null), asking('a'), 'takes'],
    ['the active one', held('a'), asking('a', { isOld: true }), 'same'],
    ['the active one, on standby by mistake', held('a'), asking('a', { standby: true }), 'same'],
    ['a new one', held('a'), asking('b'), 'takes'],
    ['one that was replaced and does not know it', held('b'), asking('a', { isOld: true }), 'replaced'],
    ['one that waits', held('b'), asking('a', { standby: true, isOld: true }), 'replaced'],
    ['one that has waited, the other silent for 45 s', held('b', 45_000), asking('a', { standby: true }), 'replaced'],
    ['one that has waited, the other silent for longer', held('b', 45_001), asking('a', { standby: true }), 'takes'],
    ['one that was replaced by one that is silent', held('b', 60_000), asking('a', { isOld: true }), 'takes'],
    ['one that waits for one that was never seen', held('b', null), asking('a', { standby: true }), 'takes'],
  ] as const)('is decided correctly for %s', (_, before, poll, decision) => {
    expect(decideSession(before, poll, NOW)).toBe(decision);
  });
});
