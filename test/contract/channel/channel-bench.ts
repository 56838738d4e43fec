import { Test, type TestingModule } from '@nestjs/testing';
import { ChannelConfigs } from '../../../src/channel/config/channel-configs';
import { ChannelModule } from '../../../src/channel/channel.module';
import { ChannelRegistry } from '../../../src/channel/channel.registry';
import { Config } from '../../../src/platform/config/config';
import { ConfigModule } from '../../../src/platform/config/config.module';
import { EgressPolicy, type EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { TrustedRoots } from '../../../src/platform/net/dial/trusted-roots';
import { Clock } from '../../../src/platform/time/clock';
import { TimeModule } from '../../../src/platform/time/time.module';

/** When every attempt of a test is made. */
export const NOW = new Date('2026-11-20T12:05:00.000Z');

class StoppedClock extends Clock {
  override now(): Date {
    return NOW;
  }
}

/** The channels as the application wires them, with a stopped clock. */
export interface ChannelBench {
  registry: ChannelRegistry;
  configs: ChannelConfigs;
  /** Loopback is allowed: the rule of the Default organization. */
  trusted: EgressRule;
  /** Loopback is refused: the rule of every other organization. */
  untrusted: EgressRule;
  close(): Promise<void>;
}

export async function openChannelBench(
  settings: Partial<Config> = {},
  trustedCertificates: readonly string[] = [],
): Promise<ChannelBench> {
  const module: TestingModule = await Test.createTestingModule({
    imports: [ConfigModule.forRoot(Object.assign(new Config(), settings)), TimeModule, ChannelModule],
  })
    .overrideProvider(Clock)
    .useValue(new StoppedClock())
    .overrideProvider(TrustedRoots)
    .useValue(new TrustedRoots(trustedCertificates))
    .compile();
  await module.init();
  const policy = module.get(EgressPolicy, { strict: false });
  return {
    registry: module.get(ChannelRegistry),
    configs: module.get(ChannelConfigs),
    trusted: policy.forOrganization({ id: null, isDefault: true }),
    untrusted: policy.forOrganization({ id: null, isDefault: false }),
    close: () => module.close(),
  };
}
