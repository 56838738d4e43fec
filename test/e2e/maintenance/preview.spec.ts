import { startApp, type TestApp } from '../../harness/app/app';

interface Occurrence {
  starts_at: string;
  ends_at: string;
}

describe('the preview of a maintenance window', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());

  const nightly = (timezone: string, cron = '30 2 * * *', duration = 3600) => ({
    name: 'Patches',
    scope: { all: true },
    cron,
    timezone,
    duration,
  });
  const preview = (body: object, query = '') =>
    app.write.post<Occurrence[] & { errors: object[] }>(`/maintenance-windows/preview${query}`, body);
  const starts = async (body: object, from: string, limit = 2): Promise<string[]> => {
    const response = await preview(body, `?from=${from}&limit=${limit}`);
    expect(response.status).toBe(200);
    return response.body.map(({ starts_at }) => starts_at);
  };

  it.each([
    ['Europe/Berlin', '2027-03-27', ['2027-03-27T01:30', '2027-03-28T01:00', '2027-03-29T00:30']],
    ['Europe/Berlin', '2027-10-30', ['2027-10-30T00:30', '2027-10-31T00:30', '2027-11-01T01:30']],
    ['America/New_York', '2027-03-13', ['2027-03-13T07:30', '2027-03-14T07:00', '2027-03-15T06:30']],
    ['America/New_York', '2027-11-06', ['2027-11-06T06:30', '2027-11-07T07:30', '2027-11-08T07:30']],
    ['Australia/Lord_Howe', '2027-10-02', ['2027-10-02T15:30', '2027-10-03T15:30', '2027-10-04T15:30']],
    ['Asia/Kathmandu', '2027-03-28', ['2027-03-28T20:45', '2027-03-29T20:45', '2027-03-30T20:45']],
    ['UTC', '2027-03-28', ['2027-03-28T02:30', '2027-03-29T02:30', '2027-03-30T02:30']],
  ])('gives the instants of 02:30 in %s from %s on', async (zone, from, expected) => {
    expect(await starts(nightly(zone), from, 3)).toEqual(expected.map((at) => `${at}:00.000Z`));
  });

  it('of a list does not start at 02:30 twice in October, and starts in March', async () => {
    const twice = nightly('Europe/Berlin', '30 2,15 * * *');
    expect(await starts(twice, '2027-10-30T23:00:00Z')).toEqual([
      '2027-10-31T00:30:00.000Z',
      '2027-10-31T14:30:00.000Z',
    ]);
    expect(await starts(twice, '2027-03-28T00:00:00Z')).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-28T13:30:00.000Z',
    ]);
  });

  it('knows the last day of a month and the second Sunday', async () => {
    expect(await starts(nightly('UTC', '0 4 L * *'), '2027-02-01', 1)).toEqual(['2027-02-28T04:00:00.000Z']);
    expect(await starts(nightly('UTC', '0 4 * * SUN#2'), '2027-02-01', 1)).toEqual(['2027-02-14T04:00:00.000Z']);
  });

  it('continues across midnight', async () => {
    const response = await preview(nightly('UTC', '0 23 * * *', 7200), '?from=2027-01-02T00:30:00Z&limit=1');
    expect(response.body).toEqual([{ starts_at: '2027-01-01T23:00:00.000Z', ends_at: '2027-01-02T01:00:00.000Z' }]);
  });

  it('of a one-off window is the window, and nothing is stored', async () => {
    const [starts_at, ends_at] = ['2127-01-01T00:00:00.000Z', '2127-01-02T00:00:00.000Z'];
    const response = await preview({ name: 'Move', scope: { tags: ['prod'] }, starts_at, ends_at });
    expect(response).toMatchObject({ status: 200, body: [{ starts_at, ends_at }] });
    expect((await app.read.get('/maintenance-windows')).body).toEqual([]);
  });

  it.each([
    ['an invalid time zone', { timezone: 'Europe/Gotham' }, '/timezone', 'unknown_zone'],
    ['an offset for a zone', { timezone: '+01:00' }, '/timezone', 'unknown_zone'],
    ['six fields', { cron: '0 30 2 * * *' }, '/cron', 'invalid_format'],
    ['a cron nickname', { cron: '@daily' }, '/cron', 'invalid_format'],
    ['30 February', { cron: '0 0 30 2 *' }, '/cron', 'never_due'],
    ['a window that leaves no pause', { cron: '*/15 * * * *', duration: 900 }, '/duration', 'overlaps_itself'],
    ['a daily window of one day', { duration: 86_400 }, '/duration', 'overlaps_itself'],
    ['less than a minute', { duration: 59 }, '/duration', 'out_of_range'],
    ['more than a week', { duration: 604_801 }, '/duration', 'out_of_range'],
    ['no zone', { timezone: undefined }, '/timezone', 'required'],
    ['no duration', { duration: null }, '/duration', 'required'],
    ['no cron', { cron: undefined }, '/cron', 'required'],
    ['invalid bounds', { starts_at: '2127-01-02', ends_at: '2127-01-02' }, '/ends_at', 'out_of_range'],
    ['no scope', { scope: {} }, '/scope', 'required'],
    ['everything and a part', { scope: { all: true, tags: ['a'] } }, '/scope/all', 'invalid_format'],
    ['a tag with a space', { scope: { tags: ['a b'] } }, '/scope/tags', 'invalid_format'],
  ])('is refused for %s', async (_, fields, pointer, code) => {
    const response = await preview({ ...nightly('UTC'), ...fields });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([expect.objectContaining({ pointer, code })]);
  });

  it.each([
    [
      'no times',
      {},
      [
        ['/starts_at', 'required'],
        ['/ends_at', 'required'],
      ],
    ],
    ['no end', { starts_at: '2127-01-01' }, [['/ends_at', 'required']]],
    ['an end before the start', { starts_at: '2127-01-02', ends_at: '2127-01-01' }, [['/ends_at', 'out_of_range']]],
    ['ninety-one days', { starts_at: '2127-01-01', ends_at: '2127-04-02' }, [['/ends_at', 'out_of_range']]],
    ['a start in a past year', { starts_at: '2025-01-01', ends_at: '2025-01-02' }, [['/starts_at', 'in_past']]],
    ['an invalid start', { starts_at: 'soon', ends_at: '2127-01-02' }, [['/starts_at', 'invalid_format']]],
  ])('of a one-off window is refused for %s', async (_, times, errors) => {
    const response = await preview({ name: 'Move', scope: { all: true }, ...times });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual(errors.map(([pointer, code]) => expect.objectContaining({ pointer, code })));
  });

  it.each([
    ['0 0 29 2 *', '2027-01-01', 100, '2436-02-29'],
    ['0 0 * 2 MON#5', '2027-01-01', 3, '2112-02-29'],
    ['59 23 31 12 SAT#5', '2027-01-01', 100, '2103-12-31'],
    ['*/2 * * * *', '1970-01-01', 100, '1970-01-01'],
    ['0 0 1 1 *', '9900-01-01', 100, '9998-01-01'],
  ])('of %p from %s on has the last of %d occurrences on %s', async (cron, from, limit, last) => {
    const found = await starts(nightly('UTC', cron, 60), from, limit);
    expect(found.at(-1)?.slice(0, 10)).toBe(last);
  });

  it.each(['from=1969-12-31', 'from=yesterday', 'limit=0', 'limit=101', 'until=2027-01-01'])(
    'refuses the query %p',
    async (query) => {
      expect(await preview(nightly('UTC'), `?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_query' },
      });
    },
  );
});
