import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ChannelConfigs } from '../../../src/channel/config/channel-configs';
import { ChannelModule } from '../../../src/channel/channel.module';
import { ChannelRegistry } from '../../../src/channel/channel.registry';
import type { NestModule } from '../../../src/extension/extension';
import { Config } from '../../../src/platform/config/config';
import { ConfigModule } from '../../../src/platform/config/config.module';
import { TrustedRoots } from '../../../src/platform/net/dial/trusted-roots';
import { EgressPolicy, type EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { Clock } from '../../../src/platform/time/clock';
import { TimeModule } from '../../../src/platform/time/time.module';

/** The time at which every attempt in a test is made. */
export const NOW = new Date('2026-11-20T12:05:00.000Z');

/** The channels, wired as in the application, with a frozen clock. */
export interface ChannelBench {
  registry: ChannelRegistry;
  configs: ChannelConfigs;
  /** The Default organization's egress rule, which allows loopback. */
  trusted: EgressRule;
  /** The egress rule for every other organization, which refuses loopback. */
  untrusted: EgressRule;
  close(): Promise<void>;
}

/** Options for a bench. */
export interface BenchOptions {
  settings?: Partial<Config>;
  /** Additional trusted root certificates, in PEM format. */
  certificates?: readonly string[];
  /** Extensions that add channels. */
  modules?: readonly NestModule[];
}

@Module({})
class BenchModule {
  static with({ settings = {}, modules = [] }: BenchOptions): DynamicModule {
    const config = Object.assign(new Config(), settings);
    return { module: BenchModule, imports: [ConfigModule.forRoot(config), TimeModule, ChannelModule, ...modules] };
  }
}

/** Starts only the channels, without a database or server. */
export async function openChannelBench(options: BenchOptions = {}): Promise<ChannelBench> {
  const context = await NestFactory.createApplicationContext(BenchModule.with(options), { logger: false });
  context.get(Clock).now = () => NOW;
  // Replaces the roots in place. Code that uses them sees the additional ones on the next connection.
  Object.assign(context.get(TrustedRoots, { strict: false }), new TrustedRoots(options.certificates));
  const policy = context.get(EgressPolicy, { strict: false });
  return {
    registry: context.get(ChannelRegistry),
    configs: context.get(ChannelConfigs),
    trusted: policy.forOrganization({ id: null, isDefault: true }),
    untrusted: policy.forOrganization({ id: null, isDefault: false }),
    close: () => context.close(),
  };
}
