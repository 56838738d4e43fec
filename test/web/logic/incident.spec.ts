import type { Incident } from '../../../web/src/api/types';
import {
  againText,
  byDay,
  calmText,
  causeText,
  changeText,
  downText,
  isParentProposed,
  lengthText,
  reopenedText,
  namesText,
  statusesOf,
  stateText,
  stillDownText,
  titleOf,
} from '../../../web/src/logic/incident';

const STARTED = '2026-11-25T10:00:00.000Z';
const at = (seconds: number) => new Date(Date.parse(STARTED) + seconds * 1000).toISOString();
const SUMMARY = '40 endpoints at 192.0.2.1 are down: connection refused';

const incident = (changes: Partial<Incident> = {}) =>
  ({
    number: 12,
    kind: 'detected',
    severity: 'down',
    state: 'open',
    title: null,
    summary: SUMMARY,
    cause: { kind: 'address', value: '192.0.2.1' },
    started_at: STARTED,
    ended_at: null,
    endpoint_count: 40,
    open_count: 38,
    ...changes,
  }) as Incident;
const MANUAL = { kind: 'manual', severity: null, summary: null, cause: null, title: 'Deliveries are late' } as const;

describe('an incident in words', () => {
  it.each([
    ['the name that a person gave it', { title: 'Load balancer' }, 'Load balancer'],
    ['the sentence of the service if it has no name', {}, SUMMARY],
    ['its number if it has neither', { summary: null }, 'Incident #12'],
  ])('has as its title %s', (_what, changes, title) => {
    expect(titleOf(incident(changes))).toBe(title);
  });

  it.each([
    ['nothing if its title is the sentence of the service', {}, ''],
    ['the sentence of the service if it has a name', { title: 'Load balancer' }, SUMMARY],
    ['that people merged it', { cause: { kind: 'people', value: null } }, 'Grouped manually'],
    ['that it is manual', MANUAL, 'Created manually'],
  ] as [string, Partial<Incident>, string][])('has below its title %s', (_what, changes, text) => {
    expect(causeText(incident(changes))).toBe(text);
  });

  it.each([
    ['how many of its endpoints are down', {}, '38 of 40 down'],
    ['how many are degraded', { severity: 'degraded' }, '38 of 40 degraded'],
    ['how many it had once it is over', { state: 'ended' }, '40 endpoints'],
    ['nothing for a single endpoint, which its title names', { endpoint_count: 1 }, ''],
    ['nothing if no check counts', { kind: 'manual' }, ''],
  ] as [string, Partial<Incident>, string][])('counts %s', (_what, changes, text) => {
    expect(downText(incident(changes))).toBe(text);
  });

  it.each([
    ['that it is down', {}, 'Down for 23 min'],
    ['that it is degraded', { severity: 'degraded' }, 'Degraded for 23 min'],
    ['that a manual incident is open', { kind: 'manual' }, 'Open for 23 min'],
    ['that it is over', { state: 'ended', ended_at: at(300) }, 'Ended after 5 min'],
    ['that it was merged into another', { state: 'merged' }, 'Merged into another'],
  ] as [string, Partial<Incident>, string][])('announces %s, in minutes that do not tick', (_what, changes, text) => {
    expect(stateText(incident(changes), Date.parse(at(23 * 60 + 41)))).toBe(text);
  });

  it('that reopened lasts as long as its outages, and its current one is in large type', () => {
    const reopened = incident({
      outage_count: 2,
      reopen_count: 1,
      downtime_seconds: 307,
      last_outage_started_at: at(497),
      started_at: STARTED,
    });
    const nowMs = Date.parse(at(497 + 96));
    expect(stateText(reopened, nowMs)).toBe('Down for 1 min');
    expect(againText(reopened, nowMs)).toBe('second outage, 6 min 43 s so far');
    expect(reopenedText(reopened)).toBe('reopened once');
    const over = { ...reopened, state: 'ended' as const, ended_at: at(593), downtime_seconds: 403 };
    expect(stateText(over, nowMs + 3_600_000)).toBe('Ended after 6 min');
    expect(againText(over, nowMs)).toBe('2 outages');
  });

  it('lasts at least zero if the browser’s clock is behind', () => {
    expect(lengthText(incident(), Date.parse(at(-5)))).toBe('0 s');
  });

  it.each([
    [[], ''],
    [['Checkout'], 'Checkout'],
    [['Checkout', 'Login'], 'Checkout and Login'],
    [['Checkout', 'Login', 'Search', 'Docs', 'Shop'], 'Checkout, Login and 3 more'],
  ])('names %j as “%s”', (names, text) => {
    expect(namesText(names)).toBe(text);
  });

  it('shows how long ago the last one was if nothing is down, and nothing if there was none', () => {
    expect(calmText({ ended_at: STARTED }, Date.parse(at(7260)))).toBe(
      'Nothing is down. The last incident was 2 h 1 min ago.',
    );
    expect(calmText(undefined, 0)).toBe('Nothing is down.');
  });

  it('lists incidents by the day they started, today and yesterday by that name', () => {
    const noon = new Date(2026, 10, 25, 12).getTime();
    const begun = (hours: number) => ({ started_at: new Date(noon - hours * 3_600_000).toISOString() });
    const days = byDay([begun(1), begun(2), begun(24), begun(72)], noon);
    expect(days.map(({ title, incidents }) => [title, incidents.length])).toEqual([
      ['Today', 2],
      ['Yesterday', 1],
      [expect.stringContaining('2026'), 1],
    ]);
  });

  it('announces changes to a screen reader, with number and title', () => {
    expect(changeText({ ...incident(), change: 'ended' })).toBe(`Incident #12 has ended: ${SUMMARY}.`);
  });
});

describe('the actions on an incident', () => {
  it('offers a state while it is open, a postmortem once it is over, and nothing if it was merged', () => {
    expect(statusesOf('open')).toEqual(['investigating', 'identified', 'monitoring', 'resolved']);
    expect(statusesOf('ended')).toEqual(['postmortem']);
    expect(statusesOf('merged')).toEqual([]);
  });

  const member = (endpoint_name: string, ended_at: string | null = null) => ({ endpoint_name, ended_at });
  it.each([
    [
      [member('Checkout'), member('Login', at(60))],
      1,
      'Checkout is still down. The incident ends automatically when it recovers.',
    ],
    [
      [member('Checkout'), member('Login')],
      2,
      'Checkout and Login are still down. The incident ends automatically when they recover.',
    ],
    [
      ['A', 'B', 'C', 'D', 'E', 'F'].map((name) => member(name)),
      140,
      'A, B, C, D, E and 135 more are still down. The incident ends automatically when they recover.',
    ],
  ])('names the endpoints that are down if it is not over', (members, open, text) => {
    expect(stillDownText(members, open)).toBe(text);
  });

  it('proposes a parent if three or more failed at one address, and only then', () => {
    const proposed = (kind: 'address' | 'website', endpoint_count: number) =>
      isParentProposed({ cause: { kind, value: null }, endpoint_count });
    expect([proposed('address', 3), proposed('address', 2), proposed('website', 9)]).toEqual([true, false, false]);
  });
});
