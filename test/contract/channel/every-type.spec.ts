import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { exampleOf, PREVIEWED_KINDS } from '../../../src/channel/kind/examples';
import { receivesKind } from '../../../src/delivery/receives-kind';
import { type ChannelBench, NOW, openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import type { ProviderFake } from '../../../packages/testing/channel/provider-double';
import { DECLARED_FAKES } from '../../../packages/testing/providers/declared';
import { fakeDiscord } from '../../../packages/testing/providers/discord';
import { fakeEmail } from '../../../packages/testing/providers/email';
import { fakeOpsgenie } from '../../../packages/testing/providers/opsgenie';
import { fakePagerDuty } from '../../../packages/testing/providers/pagerduty';
import { fakeSlack } from '../../../packages/testing/providers/slack';
import { fakeTeams } from '../../../packages/testing/providers/teams';
import { fakeTelegram } from '../../../packages/testing/providers/telegram';
import { fakeTwilio } from '../../../packages/testing/providers/twilio';
import { webhookSink } from '../../../packages/testing/providers/webhook-sink';
import { MASK } from '../../../src/platform/secrets/mask';

const FAKES: Readonly<Record<string, () => Promise<ProviderFake>>> = {
  email: fakeEmail,
  webhook: () => webhookSink({ now: () => NOW }),
  slack: fakeSlack,
  discord: fakeDiscord,
  teams: fakeTeams,
  telegram: fakeTelegram,
  pagerduty: fakePagerDuty,
  opsgenie: fakeOpsgenie,
  twilio: fakeTwilio,
  ...Object.fromEntries(Object.entries(DECLARED_FAKES).map(([type, { open }]) => [type, open])),
};

describe('every type of channel', () => {
  let bench: ChannelBench;
  beforeAll(async () => {
    bench = await openChannelBench();
  });
  afterAll(() => bench.close());

  it('has a fake of its service', () => {
    expect(Object.keys(FAKES)).toEqual([...SPEC_CHANNEL_TYPES]);
  });

  it.each([...SPEC_CHANNEL_TYPES])('delivers a trigger, a recovery, and a test to its service: %s', async (type) => {
    const fake = await (FAKES[type] ?? fakeSlack)();
    fake.acceptAll();
    const limits = { egress: bench.trusted, signal: new AbortController().signal };
    for (const kind of ['triggered', 'resolved', 'test'] as const)
      expect(await bench.registry.send(type, notificationOf(kind), fake.config(), limits)).toMatchObject({
        result: 'delivered',
      });
    expect(fake.messages()).toHaveLength(3);
    expect(() => fake.verify()).not.toThrow();
    await fake.stop();
  });

  it.each([...SPEC_CHANNEL_TYPES])(
    'previews the message of each kind that it receives, and sends nothing: %s',
    async (type) => {
      const fake = await (FAKES[type] ?? fakeSlack)();
      const config = bench.configs.forPreview(type, fake.config(), 'write');
      expect(config).not.toBeInstanceOf(Array);
      const receiver = bench.registry.receiver(type, bench.registry.destination(type, config));
      for (const kind of PREVIEWED_KINDS.filter((one) => receivesKind(one, receiver))) {
        const requests = await bench.registry.preview(type, exampleOf(kind, 'https://uptime.example.com'), config);
        expect([type, kind, requests.length]).toEqual([type, kind, 1]);
        const shown = JSON.stringify(requests);
        for (const secret of bench.configs.hiddenValues(type, fake.config()))
          if (JSON.stringify(config).includes(MASK) && !JSON.stringify(config).includes(secret))
            expect(shown).not.toContain(secret);
      }
      expect(fake.messages()).toEqual([]);
      await fake.stop();
    },
  );
});
