import type { MaintenanceScope, MaintenanceWindow } from '../../../web/src/api/types';
import {
  cronOf,
  effectsText,
  muteOf,
  recurrenceText,
  scopeText,
  startedNow,
  tagsIn,
  weeklyOf,
} from '../../../web/src/logic/maintenance';
import { draftOf, newDraft, previewOf, requestOf, timesOf } from '../../../web/src/logic/maintenance-draft';
import { fieldOf, instantOf, OWN_ZONE, zonedTime, zones } from '../../../web/src/logic/zoned-time';

const NOW = Date.parse('2026-11-23T12:34:56.000Z');

const window = (more: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  id: 'mw_1',
  name: 'Patch night',
  description: '',
  scope: { all: true },
  starts_at: null,
  ends_at: null,
  cron: '0 2 * * 0',
  timezone: 'Europe/Berlin',
  duration: 7200,
  mute: true,
  exclude_from_uptime: true,
  public: true,
  key: null,
  owner: null,
  status: 'scheduled',
  active_until: null,
  next: [],
  created_by: null,
  created_at: '2026-11-23T12:00:00.000Z',
  updated_at: '2026-11-23T12:00:00.000Z',
  ...more,
});

describe('the cron expression of a maintenance window', () => {
  it.each([
    ['0 2 * * 0', [0], '02:00'],
    ['30 23 * * 1,2,3,4,5', [1, 2, 3, 4, 5], '23:30'],
    ['5 4 * * *', [0, 1, 2, 3, 4, 5, 6], '04:05'],
  ])('is written and read as days and a time: %s', (cron, days, time) => {
    expect(cronOf({ days, time })).toBe(cron);
    expect(weeklyOf(cron)).toEqual({ days, time });
  });

  it.each([
    ['0 2 * * SUN,wed', [0, 3], '02:00'],
    ['0 2 * * 7', [0], '02:00'],
    ['0 2 * * 3,3,1', [1, 3], '02:00'],
  ])('is read in other spellings: %s', (cron, days, time) => expect(weeklyOf(cron)).toEqual({ days, time }));

  it.each(['0 2 * * SUN#2', '0 2 1 * *', '*/5 2 * * *', '0 2 * * 1-5', '60 2 * * 1', '0 24 * * 1', '0 2 * * xyz', ''])(
    'is left to experts if it contains more, or nothing: %p',
    (cron) => expect(weeklyOf(cron)).toBeNull(),
  );
});

describe('a maintenance window in words', () => {
  it.each([
    [{}, 'Every Sunday at 02:00, Europe/Berlin, for 2 h'],
    [{ cron: '0 4 * * *', duration: 1800 }, 'Every day at 04:00, Europe/Berlin, for 30 min'],
    [{ cron: '0 2 * * SUN#2' }, 'Cron 0 2 * * SUN#2, Europe/Berlin, for 2 h'],
    [{ cron: null }, null],
  ])('describes when %j comes again', (more, text) => expect(recurrenceText(window(more))).toBe(text));

  const nameOf = (id: string) => ({ ws_1: 'Shop', ep_1: 'Checkout' })[id] ?? id;
  it.each<[MaintenanceScope, string]>([
    [{ all: true }, 'Everything'],
    [{ website_ids: ['ws_1'], endpoint_ids: ['ep_1'], tags: ['prod'] }, 'Shop, Checkout, tag prod'],
    [{ endpoint_ids: ['a', 'b', 'c', 'd'], tags: ['x', 'y'] }, '4 endpoints, tag x, tag y'],
  ])('describes what %j covers', (scope, text) => expect(scopeText(scope, nameOf)).toBe(text));

  it('describes its effect on alerts and uptime', () => {
    expect(effectsText(window())).toBe('no alerts, checks do not count, on status pages');
    expect(effectsText({ mute: false, exclude_from_uptime: false })).toBe('alerts as usual, checks count');
  });
});

describe('a mute', () => {
  it('is a window that starts now, counts, and is not public', () => {
    expect(muteOf({ tags: ['prod'] }, 'tag prod', 3600, NOW)).toEqual({
      name: 'Muted: tag prod',
      scope: { tags: ['prod'] },
      starts_at: '2026-11-23T12:34:56.000Z',
      ends_at: '2026-11-23T13:34:56.000Z',
      mute: true,
      exclude_from_uptime: false,
      public: false,
    });
  });

  it('has a name that the service accepts, no matter how much it covers', () =>
    expect(muteOf({ all: true }, 'x'.repeat(400), 60, NOW).name).toHaveLength(255));
});

it('starts a scheduled window now, for its planned duration', () => {
  const later = { starts_at: '2026-12-01T02:00:00.000Z', ends_at: '2026-12-01T04:30:00.000Z' };
  expect(startedNow(later, NOW)).toEqual({
    starts_at: '2026-11-23T12:34:56.000Z',
    ends_at: '2026-11-23T15:04:56.000Z',
  });
});

it('finds tags in typed text, once each and in lower case', () =>
  expect(tagsIn(' Prod,  team:web\nprod,')).toEqual(['prod', 'team:web']));

describe('the form of a maintenance window', () => {
  const once = { cron: null, timezone: null, duration: null };
  const stored = window({ ...once, starts_at: '2026-11-23T12:34:56.789Z', ends_at: '2026-11-23T13:34:56.789Z' });

  it('proposes an hour from the next full one, and sends no more than a creation needs', () => {
    expect(requestOf({ ...newDraft(NOW, true), name: ' Deploy ' }, null)).toEqual({
      name: 'Deploy',
      scope: { all: true },
      starts_at: '2026-11-23T13:00:00.000Z',
      ends_at: '2026-11-23T14:00:00.000Z',
      mute: true,
      exclude_from_uptime: true,
      public: true,
    });
  });

  it('sends days of the week as cron, zone, and seconds, and removes the times of a one-off window', () => {
    const draft = { ...draftOf(stored), kind: 'weekly' as const, starts_at: '', ends_at: '', minutes: '90' };
    expect(requestOf(draft, stored)).toMatchObject({
      cron: '0 2 * * 0',
      timezone: OWN_ZONE,
      duration: 5400,
      starts_at: null,
      ends_at: null,
    });
  });

  it('sends the times of a stored window unchanged, to the millisecond, while they are not edited', () => {
    const { starts_at, ends_at } = stored;
    expect(requestOf(draftOf(stored), stored)).toMatchObject({ starts_at, ends_at, cron: null, timezone: null });
  });

  it('sends a changed time in place of the stored one', () => {
    const draft = { ...draftOf(stored), ends_at: fieldOf('2026-11-23T20:15:00.000Z') };
    expect(timesOf(draft, stored)).toEqual({ starts_at: stored.starts_at, ends_at: '2026-11-23T20:15:00.000Z' });
  });

  it.each([
    ['a new window', newDraft(NOW, true), null, ['starts_at', 'ends_at'], false],
    ['a window in the future', draftOf(stored), stored, ['starts_at', 'ends_at'], false, -60_000],
    ['a window that has started', draftOf(stored), stored, ['starts_at', 'ends_at'], true, 60_000],
    [
      'a recurring window that has started',
      draftOf(window({ starts_at: stored.starts_at })),
      window({ starts_at: stored.starts_at }),
      ['cron', 'timezone', 'duration'],
      false,
      60_000,
    ],
  ])(
    'requests the next times of %s without a start that would be refused',
    (_, draft, of, sent, isKnown, later = 0) => {
      const { times, known } = previewOf(draft, of, NOW + later);
      expect([Object.keys(times), known !== null]).toEqual([sent, isKnown]);
    },
  );

  it('sends the chosen part of a scope', () => {
    const scope = { all: false, website_ids: ['ws_1'], endpoint_ids: [], tags: 'prod, Web' };
    expect(requestOf({ ...newDraft(NOW, true), scope }, null)['scope']).toEqual({
      website_ids: ['ws_1'],
      tags: ['prod', 'web'],
    });
  });

  it.each([
    ['0 2 * * 0', 'weekly'],
    ['0 2 * * SUN#2', 'cron'],
    [null, 'once'],
  ])('shows a window with the cron %p as one that comes %s, and sends the same cron again', (cron, kind) => {
    const of = cron === null ? stored : window({ cron });
    expect(draftOf(of).kind).toBe(kind);
    expect(requestOf(draftOf(of), of)['cron']).toBe(cron);
  });
});

describe('times in zones', () => {
  it.each([
    ['Europe/Berlin', '2027-03-28T01:00:00.000Z', /Mar 28, 2027, 03:00 GMT\+2/],
    ['Asia/Kathmandu', '2027-03-28T01:00:00.000Z', /Mar 28, 2027, 06:45 GMT\+5:45/],
    ['UTC', '2027-10-31T00:30:00.000Z', /Oct 31, 2027, 00:30 UTC/],
  ])('shows an instant on the clocks of %s', (zone, iso, text) => expect(zonedTime(iso, zone)).toMatch(text));

  it('offers the own zone first, UTC, and each zone once', () => {
    const list = zones();
    expect(list[0]).toBe(OWN_ZONE);
    expect(list).toContain('UTC');
    expect(list).toEqual(expect.arrayContaining(['Australia/Lord_Howe', 'Asia/Kathmandu', 'Europe/Kyiv']));
    expect(new Set(list).size).toBe(list.length);
  });

  it('turns an instant into the value of a field and back', () => {
    expect(instantOf(fieldOf('2026-07-01T10:30:00.000Z'), null)).toBe('2026-07-01T10:30:00.000Z');
    expect([fieldOf(null), instantOf('', null), instantOf('rubbish', null)]).toEqual(['', null, 'rubbish']);
  });
});
