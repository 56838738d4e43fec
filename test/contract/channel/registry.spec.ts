import { Injectable, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Channel, type SendOutcome, SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { ChannelModule } from '../../../src/channel/channel.module';
import { ChannelRegistry } from '../../../src/channel/channel.registry';
import { Config } from '../../../src/platform/config/config';
import { ConfigModule } from '../../../src/platform/config/config.module';
import { TimeModule } from '../../../src/platform/time/time.module';

class NoConfig {}

class PigeonChannel implements Channel {
  readonly audience = 'chat';
  readonly configClass = NoConfig;

  destination(): string[] {
    return ['pigeon'];
  }

  async send(): Promise<SendOutcome> {
    return { result: 'delivered', status: null };
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
});
