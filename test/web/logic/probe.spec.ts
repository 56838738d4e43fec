import {
  bufferedText,
  clockText,
  isBefore,
  keptBy,
  locationOf,
  probeState,
  quotaText,
  seenText,
  troublesOf,
  worstFirst,
} from '../../../web/src/logic/probe';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const online = {
  status: 'online' as const,
  version: '0.2.0',
  clock_offset_ms: 12,
  lag_ms: 0,
  endpoint_count: 3,
  region: '',
  name: 'fra',
};

describe('a probe, in words', () => {
  it('is named by endpoints by its key, a shared one as such', () => {
    expect([locationOf({ key: 'fra', shared: false }), locationOf({ key: 'fra', shared: true })]).toEqual([
      'fra',
      'shared/fra',
    ]);
  });

  it.each([
    ['0.2.0', '0.10.0', true],
    ['0.10.0', '0.2.0', false],
    ['1.0.0', '1.0.0', false],
    ['1.0.0-rc.1', '1.0.1', true],
    ['of today', '1.0.0', false],
  ])('has version %s before %s: %s', (a, b, expected) => {
    expect(isBefore(a, b)).toBe(expected);
  });

  it.each([
    [{ status: 'new' as const }, 'unknown', 'Not seen yet'],
    [{}, 'up', 'Online'],
    [{ clock_offset_ms: -90_000 }, 'degraded', 'Online, with problems'],
    [{ version: '0.1.0' }, 'degraded', 'Online, with problems'],
    [{ lag_ms: 120_000 }, 'degraded', 'Online, with problems'],
    [{ status: 'offline' as const, version: '0.1.0' }, 'down', 'Offline'],
    [{ status: 'unsupported' as const }, 'down', 'Unsupported'],
    [{ status: 'disabled' as const }, 'paused', 'Disabled'],
  ])('with %j is shown as %s, “%s”', (more, status, word) => {
    expect(probeState({ ...online, ...more }, '0.2.0')).toEqual({ status, word });
  });

  it("has no problem with a version while the service's version is not known", () => {
    expect(troublesOf({ ...online, version: '0.1.0' }, null)).toEqual([]);
  });

  it('comes after those that are worse, and of equal ones the one that most endpoints name is first', () => {
    const named = (name: string, more: object) => ({ ...online, name, ...more });
    const list = [
      named('b', {}),
      named('off', { status: 'disabled' }),
      named('a', { endpoint_count: 1 }),
      named('new', { status: 'new' }),
      named('lost', { status: 'offline', endpoint_count: 1 }),
      named('lost by many', { status: 'offline', endpoint_count: 90 }),
      named('late', { clock_offset_ms: 100_000 }),
      named('abroad', { region: 'us' }),
    ];
    expect(worstFirst(list, '0.2.0').map(({ name }) => name)).toEqual([
      'lost by many',
      'lost',
      'late',
      'new',
      'a',
      'b',
      'abroad',
      'off',
    ]);
  });

  it('has its clock, its stored results, and when it was seen', () => {
    expect([null, 12, 240_000, -172_800_000].map(clockText)).toEqual(['–', 'correct', '4 min ahead', '2 d behind']);
    const held = [
      { buffered: null, lag_ms: null },
      { buffered: 0, lag_ms: 0 },
      { buffered: 3, lag_ms: 200 },
      { buffered: 1200, lag_ms: 240_000 },
    ];
    expect(held.map(bufferedText)).toEqual(['–', 'none', '3', '1,200, oldest 4 min']);
    const seen = [null, '2026-11-26T11:59:58Z', '2026-11-26T11:57:00Z'];
    expect(seen.map((at) => seenText(at, NOW))).toEqual(['never', 'now', '3 min ago']);
  });

  it('shows when most of the quota is used, and why a probe cannot be deleted', () => {
    const quotas = [
      undefined,
      { used: null, limit: 20 },
      { used: 15, limit: 20 },
      { used: 16, limit: 20 },
      { used: 1, limit: 1 },
      { used: 3, limit: null },
    ];
    expect(quotas.map(quotaText)).toEqual([
      null,
      null,
      null,
      '16 of 20 probes are in use.',
      '1 of 1 probe is in use.',
      null,
    ]);
    expect([0, 1, 2].map((endpoint_count) => keptBy({ endpoint_count }))).toEqual([
      null,
      '1 endpoint uses it. Remove it from its locations first.',
      '2 endpoints use it. Remove it from their locations first.',
    ]);
  });
});
