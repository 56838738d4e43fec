import { Injectable, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Channel, type SendOutcome, type SendRequest, SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { ChannelModule } from '../../../src/channel/channel.module';
import { ChannelRegistry } from '../../../src/channel/channel.registry';
import { Config } from '../../../src/platform/config/config';
import { ConfigModule } from '../../../src/platform/config/config.module';
import { OPERATORS_EGRESS } from '../../../src/platform/net/egress/egress-policy';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import { TimeModule } from '../../../src/platform/time/time.module';

class NoConfig {}

class PigeonChannel implements Channel {
  readonly audience = 'chat';
  readonly configClass = NoConfig;

  destination(): string[] {
    return ['pigeon'];
  }

  async send({ config }: SendRequest<{ returns?: SendOutcome | 'nothing, ever' }>): Promise<SendOutcome> {
    const { returns = { result: 'delivered', status: null } } = config;
    return returns === 'nothing, ever' ? new Promise(() => {}) : returns;
  }
}

@Channel('pigeon')
@Injectable()
class Pigeon extends PigeonChannel {}

@Channel('slack')
@Injectable()
class SecondSlack extends PigeonChannel {}

@Module({ providers: [Pigeon] })
class ForeignModule {}

@Module({ providers: [SecondSlack] })
class ClashingModule {}

@Module({ imports: [DiscoveryModule], providers: [ChannelRegistry, Pigeon] })
class IncompleteModule {}

const start = async (...modules: (new () => object)[]): Promise<ChannelRegistry> => {
  const imports = [ConfigModule.forRoot(new Config()), TimeModule, ...modules];
  const app = await Test.createTestingModule({ imports }).compile();
  await app.init();
  const registry = app.get(ChannelRegistry, { strict: false });
  await app.close();
  return registry;
};

describe('the registry of channels', () => {
  it('finds a channel in any module of the application', async () => {
    const registry = await start(ChannelModule, ForeignModule);
    expect(registry.types()).toEqual([...SPEC_CHANNEL_TYPES, 'pigeon']);
    expect(registry.get('pigeon')).toBeInstanceOf(Pigeon);
    expect(registry.has('dove')).toBe(false);
    expect(() => registry.get('dove')).toThrow('There is no channel of type "dove"');
  });

  it('does not start with two channels of one type', async () => {
    await expect(start(ChannelModule, ClashingModule)).rejects.toThrow(
      'Channel "slack" is registered twice: by SlackChannel and by SecondSlack',
    );
  });

  it('does not start without a built-in channel type', async () => {
    await expect(start(IncompleteModule)).rejects.toThrow(
      `No channel is registered for: ${SPEC_CHANNEL_TYPES.join(', ')}`,
    );
  });

  describe('for a channel of another package', () => {
    const send = async (config: object, signal = new AbortController().signal): Promise<SendOutcome> =>
      (await start(ChannelModule, ForeignModule)).send('pigeon', notificationOf('triggered'), config, {
        egress: OPERATORS_EGRESS,
        signal,
      });

    it.each<SendOutcome>([
      { result: 'delivered', status: null },
      { result: 'delivered', status: 200, warning: 'The loft has moved.' },
      { result: 'retry', status: 503, error: 'The loft is closed.', retryAfterMs: 5000, mayHaveArrived: false },
      { result: 'rejected', status: 410, error: 'The loft is gone.', gone: true },
    ])('accepts its outcome: $result', async (returns) => {
      expect(await send({ returns })).toEqual(returns);
    });

    it.each([
      ['nothing', undefined],
      ['an unknown result', { result: 'maybe' }],
      ['a failure without a message', { result: 'rejected', status: null, gone: false }],
      ['a status that is text', { result: 'delivered', status: 'OK' }],
      [
        'no statement of whether the message arrived',
        { result: 'retry', status: null, error: 'Closed.', retryAfterMs: null },
      ],
    ])('refuses an invalid outcome and names the channel type: %s', async (_what, returns) => {
      await expect(send({ returns: returns ?? null })).rejects.toThrow('the pigeon channel returned no SendOutcome');
    });

    it('waits no longer for one that heeds no signal', async () => {
      await expect(send({ returns: 'nothing, ever' }, AbortSignal.abort())).rejects.toThrow(
        'the pigeon channel did not settle within 3 s after its signal',
      );
    });
  });
});
