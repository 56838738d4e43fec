import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Channel, SPEC_CHANNEL_TYPES } from './channel';

/**
 * Every channel of the application, found by its `@Channel('type')` in whatever module lists it.
 * Start-up fails when a type exists twice or one of the interface's types is missing.
 */
@Injectable()
export class ChannelRegistry implements OnModuleInit {
  private readonly channels = new Map<string, Channel>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders({ metadataKey: Channel.KEY })) {
      const type = this.discovery.getMetadataByDecorator(Channel, wrapper);
      if (type !== undefined) this.add(type, wrapper.instance as Channel);
    }
    const missing = SPEC_CHANNEL_TYPES.filter((type) => !this.channels.has(type));
    if (missing.length > 0) throw new Error(`No channel is registered for: ${missing.join(', ')}`);
  }

  /** Throws for an unknown type: ask `has` first where the type comes from outside. */
  get(type: string): Channel {
    const channel = this.channels.get(type);
    if (!channel) throw new Error(`There is no channel of type "${type}"`);
    return channel;
  }

  has(type: string): boolean {
    return this.channels.has(type);
  }

  /** The interface's types in its order, then the others by name. */
  types(): string[] {
    const others = [...this.channels.keys()].filter((type) => !isSpecType(type)).sort();
    return [...SPEC_CHANNEL_TYPES.filter((type) => this.channels.has(type)), ...others];
  }

  private add(type: string, channel: Channel): void {
    const other = this.channels.get(type);
    if (other === channel) return;
    if (other)
      throw new Error(
        `Channel "${type}" is registered twice: by ${other.constructor.name} and by ${channel.constructor.name}`,
      );
    this.channels.set(type, channel);
  }
}

const isSpecType = (type: string): boolean => SPEC_CHANNEL_TYPES.some((known) => known === type);
