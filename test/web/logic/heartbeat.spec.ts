import type { Heartbeat } from '../../../web/src/api/types';
import { ms } from '../../../web/src/logic/format';
import { heartbeatBody, heartbeatDraftOf, newHeartbeat } from '../../../web/src/logic/heartbeat-draft';
import { checkable, cutText, expectationText, pingText, pingUrl, scheduleText } from '../../../web/src/logic/heartbeat';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const iso = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();
const clock = (minutes: number): string =>
  new Date(NOW + minutes * 60_000).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
const NIGHTLY: Heartbeat = {
  every: null,
  cron: '0 3 * * *',
  timezone: 'Europe/Berlin',
  grace: 3600,
  max_runtime: null,
  ping_id: '2b3cdd46-2f3b-4b29-bd5d-3f7b9a3a1f4e',
  push_token: 'hV8mQ2xT5rNc0bWq7KzYd1Pf',
  ping_url: null,
  push_url: null,
  last_ping_at: null,
  next_expected_at: null,
  late_at: null,
  running_since: null,
};

describe('The next expected ping of a heartbeat', () => {
  it.each<[string, Partial<Heartbeat>]>([
    ['No ping yet', {}],
    ['No ping expected', { last_ping_at: iso(-90) }],
    [`Expected ${clock(-12)}, 12 min ago`, { last_ping_at: iso(-90), next_expected_at: iso(-12) }],
    [`Expected ${clock(12)}, in 12 min`, { last_ping_at: iso(-90), next_expected_at: iso(12) }],
    [
      `Running since ${clock(-3)}, for 3 min`,
      { last_ping_at: iso(-3), next_expected_at: iso(-2), running_since: iso(-3) },
    ],
  ])('is shown as %p', (text, changes) => expect(expectationText({ ...NIGHTLY, ...changes }, NOW)).toBe(text));

  it('has its day if that is another one', () =>
    expect(expectationText({ ...NIGHTLY, last_ping_at: iso(-90), next_expected_at: iso(2880) }, NOW)).toMatch(
      /^Expected .*28.*, \d\d:\d\d, in 2 d$/,
    ));

  it.each([
    [NIGHTLY, '0 3 * * * (Europe/Berlin)'],
    [{ every: 86_400, cron: null, timezone: null }, 'every 1 day'],
  ])('comes by a schedule %#', (schedule, text) => expect(scheduleText(schedule)).toBe(text));
});

describe('A ping', () => {
  it.each([
    ['success', null, 'Success'],
    ['success', 0, 'Success, exit code 0'],
    ['fail', 3, 'Failed, exit code 3'],
    ['start', null, 'Started'],
    ['log', null, 'Note'],
  ] as const)('of kind %s with code %p is %p', (kind, exit_code, text) =>
    expect(pingText({ kind, exit_code })).toBe(text),
  );

  it.each([
    [null, 0, null],
    ['done', 4, null],
    ['über', 5, null],
    ['done', 20_000, 'The first of 20,000 bytes'],
    [null, 20, '20 bytes, not stored'],
  ])('with %p of %p bytes shows %p', (body, body_bytes, text) => expect(cutText({ body, body_bytes })).toBe(text));

  it('goes to the URL that the service knows, otherwise to the URL of the page', () => {
    expect(pingUrl({ ping_url: 'https://up.test/ping/x', ping_id: 'x' }, 'http://localhost')).toBe(
      'https://up.test/ping/x',
    );
    expect(pingUrl({ ping_url: null, ping_id: 'x' }, 'http://localhost')).toBe('http://localhost/ping/x');
  });

  it.each([
    [61_000, '1 min 1 s'],
    [2_147_482.9, '35 min 47 s'],
    [2_147_483.647, '≥ 35 min 47 s'],
  ])('after a run of %p ms shows %p', (value, text) => expect(ms(value)).toBe(text));
});

describe('The draft of a heartbeat', () => {
  it('is every day if nothing is changed', () =>
    expect(heartbeatBody(newHeartbeat('Europe/Berlin'))).toEqual({ every: 86_400 }));

  it.each<[string, Partial<Heartbeat>, Partial<Heartbeat>]>([
    ['cron', {}, { cron: '0 3 * * *', timezone: 'Europe/Berlin', grace: 3600 }],
    [
      'a period',
      { every: 5400, cron: null, timezone: null, grace: 0, max_runtime: 90 },
      { every: 5400, grace: 0, max_runtime: 90 },
    ],
  ])('of one by %s is sent unchanged, without its URLs', (_, changes, body) =>
    expect(heartbeatBody(heartbeatDraftOf({ ...NIGHTLY, ...changes }, 'UTC'))).toEqual(body),
  );

  it('without a period is refused by the service, not guessed', () =>
    expect(heartbeatBody({ ...newHeartbeat('UTC'), every: { amount: '', unit: 'days' } })).toEqual({ every: 0 }));
});

describe('A check of several endpoints', () => {
  it('leaves out heartbeats, and reports this', () => {
    const list = [{ type: 'HTTPS' }, { type: 'HEARTBEAT' }];
    expect(checkable(list)).toEqual({
      checked: [{ type: 'HTTPS' }],
      leftOut: '1 heartbeat left out: heartbeats have no checks to run.',
    });
    expect(checkable([{ type: 'TCP' }]).leftOut).toBeNull();
  });
});
