import { fakeDiscord } from '../../../packages/testing/providers/discord';
import { fakeOpsgenie, type OpsgenieFake } from '../../../packages/testing/providers/opsgenie';
import { fakePagerDuty, type PagerDutyFake } from '../../../packages/testing/providers/pagerduty';
import { fakeTelegram } from '../../../packages/testing/providers/telegram';
import { realRequest, type RawRequest, send, withFields, withPath } from './strictness';

describe('the fake of PagerDuty', () => {
  let pager: PagerDutyFake;
  let trigger: RawRequest;
  beforeAll(async () => {
    pager = await fakePagerDuty();
    trigger = await realRequest('pagerduty', pager);
  });
  beforeEach(() => pager.acceptAll());
  afterEach(() => pager.verify());
  afterAll(() => pager.stop());

  const event = (dedup_key: string, event_action: string) =>
    send(pager, withFields({ dedup_key, event_action })(trigger));

  it('adds a repeated trigger to the open incident of its key', async () => {
    await event('a', 'trigger');
    await event('a', 'trigger');
    expect(pager.incidents()).toEqual([{ key: 'a', state: 'open', triggers: 2 }]);
  });

  it('acknowledges and resolves the incident of a key, and opens another one for its next trigger', async () => {
    await event('a', 'trigger');
    await event('a', 'acknowledge');
    expect(pager.incidents()).toEqual([{ key: 'a', state: 'acknowledged', triggers: 1 }]);
    await event('a', 'resolve');
    await event('a', 'trigger');
    expect(pager.incidents().map(({ state }) => state)).toEqual(['resolved', 'open']);
  });

  it('drops a resolve of a key that has no open incident', async () => {
    expect((await event('a', 'resolve')).status).toBe(202);
    expect(pager.incidents()).toEqual([]);
  });

  it('opens nothing for an event that it did not accept', async () => {
    pager.fail(503);
    await event('a', 'trigger');
    pager.respond({ status: 429 });
    await event('b', 'trigger');
    expect(pager.incidents()).toEqual([]);
  });

  it('returns the key of an accepted event, and creates one for a trigger without a key', async () => {
    const keyOf = ({ body }: { body: string }) => (JSON.parse(body) as { dedup_key: string }).dedup_key;
    expect(keyOf(await event('a', 'trigger'))).toBe('a');
    const made = keyOf(await send(pager, withFields({ dedup_key: undefined })(trigger)));
    expect(made).not.toBe('');
    expect(pager.incidents().map(({ key }) => key)).toEqual(['a', made]);
  });

  it('forgets its incidents and its accepted events with "verify"', async () => {
    await event('a', 'trigger');
    pager.verify();
    expect(pager.incidents()).toEqual([]);
    expect((await event('a', 'trigger')).status).toBe(599);
    expect(() => pager.verify()).toThrow('unexpected requests');
  });
});

describe('the fake of Opsgenie', () => {
  let pager: OpsgenieFake;
  let create: RawRequest;
  beforeAll(async () => {
    pager = await fakeOpsgenie();
    create = await realRequest('opsgenie', pager);
  });
  beforeEach(() => pager.acceptAll());
  afterEach(() => pager.verify());
  afterAll(() => pager.stop());

  const act = (alias: string, action: 'close' | 'acknowledge') => {
    const path = `/v2/alerts/${encodeURIComponent(alias)}/${action}?identifierType=alias`;
    return send(pager, { ...create, path, body: '{}' });
  };

  it('keeps one open alert for an alias until it is closed, also when the alias has to be encoded', async () => {
    const again = withFields({ alias: 'shop/checkout 1' })(create);
    await send(pager, again);
    await send(pager, again);
    await act('shop/checkout 1', 'acknowledge');
    expect(pager.incidents()).toEqual([{ key: 'shop/checkout 1', state: 'acknowledged', triggers: 2 }]);
    await act('shop/checkout 1', 'close');
    expect(pager.incidents()).toEqual([{ key: 'shop/checkout 1', state: 'resolved', triggers: 2 }]);
  });

  it('accepts the close of an unknown alias, which then does nothing', async () => {
    expect((await act('unknown', 'close')).status).toBe(202);
    expect(pager.incidents()).toEqual([]);
  });
});

it('the fake of Telegram refuses the old id of a group that became a supergroup, and knows the new one until "verify"', async () => {
  const telegram = await fakeTelegram();
  const real = await realRequest('telegram', telegram);
  telegram.acceptAll();
  telegram.becomeSupergroup(-1009);
  const old = await send(telegram, real);
  const moved = await send(telegram, withFields({ chat_id: -1009 })(real));
  telegram.verify();
  telegram.acceptAll();
  const after = await send(telegram, real);
  await telegram.stop();
  expect([old.status, moved.status, after.status]).toEqual([400, 200, 200]);
  expect(JSON.parse(old.body)).toMatchObject({ parameters: { migrate_to_chat_id: -1009 } });
});

it('the fake of Discord responds with the saved message only if the request asks it to wait', async () => {
  const discord = await fakeDiscord();
  const real = await realRequest('discord', discord);
  discord.acceptAll();
  const waited = await send(discord, real);
  const [path = ''] = real.path.split('?');
  const accepted = await send(discord, withPath(path)(real));
  discord.verify();
  await discord.stop();
  expect(JSON.parse(waited.body)).toHaveProperty('id');
  expect([waited.status, accepted]).toEqual([200, { status: 204, body: '' }]);
});
