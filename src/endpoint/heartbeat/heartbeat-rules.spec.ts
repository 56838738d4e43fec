import { typeProblems } from './heartbeat-rules';
import { defaultGrace, intervalOf } from './heartbeat-schedule';

const DAILY = { every: 86_400 };
const found = (sent: object, before: string | null = null) =>
  typeProblems(sent, 'HEARTBEAT', before).map(({ pointer, code }) => `${pointer} ${code}`);

describe('the fields that a client sends for a heartbeat', () => {
  it.each([
    ['a period', { heartbeat: DAILY }, []],
    ['cron with its zone', { heartbeat: { cron: '30 2 * * SUN#2', timezone: 'Europe/Berlin' } }, []],
    ['what a view shows', { heartbeat: DAILY, url: 'heartbeat:', interval: null, tls: null, headers: null }, []],
    ['nothing', {}, ['/heartbeat required']],
    ['neither', { heartbeat: {} }, ['/heartbeat/every required']],
    ['both', { heartbeat: { ...DAILY, cron: '0 2 * * *', timezone: 'UTC' } }, ['/heartbeat/cron invalid_format']],
    ['no zone', { heartbeat: { cron: '0 2 * * *' } }, ['/heartbeat/timezone required']],
    ['a zone alone', { heartbeat: { ...DAILY, timezone: 'UTC' } }, ['/heartbeat/timezone invalid_format']],
    [
      'nonsense in both',
      { heartbeat: { cron: 'x', timezone: 'Mars/Base' } },
      ['/heartbeat/cron invalid_format', '/heartbeat/timezone unknown_zone'],
    ],
    ['a day that never comes', { heartbeat: { cron: '0 2 31 2 *', timezone: 'UTC' } }, ['/heartbeat/cron never_due']],
    [
      'invalid URLs',
      { heartbeat: { ...DAILY, ping_id: 'x', push_token: 'a b' } },
      ['/heartbeat/ping_id invalid_format', '/heartbeat/push_token invalid_format'],
    ],
    ['masks', { heartbeat: { ...DAILY, ping_id: '********', push_token: '********' } }, []],
    [
      'fields of checks, all at once',
      { heartbeat: DAILY, url: 'https://example.com', interval: 60, assertions: [] },
      ['/interval unknown_field', '/assertions unknown_field', '/url invalid_format'],
    ],
  ])('%s', (_, sent, problems) => {
    expect(found(sent)).toEqual(problems);
  });

  it('can leave out an existing schedule, but never empty it', () => {
    expect(found({ name: 'Backup' }, 'HEARTBEAT')).toEqual([]);
    expect(found({ heartbeat: null }, 'HEARTBEAT')).toEqual(['/heartbeat required']);
  });

  it.each([
    ['HEARTBEAT', 'HTTPS'],
    ['HTTPS', 'HEARTBEAT'],
  ])('cannot change the type to %s from %s', (type, before) => {
    expect(typeProblems({}, type, before)).toMatchObject([{ pointer: '/type', code: 'immutable' }]);
  });

  it('are refused for other types, and so is null where it has no meaning', () => {
    const sent = { heartbeat: DAILY, interval: null, tls: null, body: null };
    expect(typeProblems(sent, 'HTTPS', null).map(({ pointer }) => pointer)).toEqual(['/interval', '/heartbeat']);
    expect(typeProblems({ heartbeat: null }, 'HTTPS', 'HTTPS')).toEqual([]);
  });
});

describe('the meaning of a schedule for the rest of the service', () => {
  const every = (seconds: number) => ({ every: seconds, cron: null, timezone: null });
  const cron = (text: string) => ({ every: null, cron: text, timezone: 'Europe/Berlin' });
  it.each([
    [every(60), 60, 60],
    [every(7200), 7200, 720],
    [every(604_800), 86_400, 3600],
    [cron('*/15 * * * *'), 900, 90],
    [cron('0 2 1 * *'), 86_400, 3600],
  ])('%j counts as a check every %d s, and is late after %d s', (timing, interval, grace) => {
    expect([intervalOf(timing), defaultGrace(timing)]).toEqual([interval, grace]);
  });
});
