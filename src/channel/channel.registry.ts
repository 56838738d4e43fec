import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { StartError } from '../platform/config/start-error';
import { soonAfter } from '../platform/net/deadline';
import { isOutcome } from './send-outcome';
import { type AttemptLimits, Channel, type SendOutcome, SPEC_CHANNEL_TYPES } from './channel';
import type { Notification } from './notification';
import { hiddenValues } from './config/config-masking';
import { notificationText } from './notification-text';

/** A hash of what shares a rate limit: at most 64 characters, stable over restarts and releases, without secrets. */
const destinationKey = (type: string, ...parts: readonly string[]): string =>
  `${type.slice(0, 20)}:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)}`;

/** How long a channel may take to settle once its signal has aborted: well within the lease of its attempt. */
const SETTLE_MS = 3000;

/** What a channel did that none may do, in words that hold nothing of its config. */
export class ChannelBug extends Error {}

/**
 * Every channel of the application, found by its `@Channel('type')` in whatever module lists it.
 * Start-up fails when a type exists twice or a built-in type is missing.
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

  /** Throws for an unknown type: call `has` first where the type comes from a client. */
  get(type: string): Channel {
    const channel = this.channels.get(type);
    if (!channel) throw new Error(`There is no channel of type "${type}"`);
    return channel;
  }

  has(type: string): boolean {
    return this.channels.has(type);
  }

  /** A type that is no longer installed is treated as one for people, as it is for all deliveries. */
  isPager(type: string): boolean {
    return this.channels.get(type)?.audience === 'pager';
  }

  /** The built-in types in their order, then the others by name. */
  types(): string[] {
    const others = [...this.channels.keys()].filter((type) => !isSpecType(type)).sort();
    return [...SPEC_CHANNEL_TYPES.filter((type) => this.channels.has(type)), ...others];
  }

  /**
   * One attempt to send a notification through the channel of this type. Throws a `ChannelBug` that names the type when it
   * does not settle soon after its signal has aborted, or settles with what is no outcome.
   */
  async send(
    type: string,
    notification: Notification,
    config: object,
    { egress, signal }: AttemptLimits,
  ): Promise<SendOutcome> {
    const channel = this.get(type);
    const hidden = hiddenValues(channel.configClass, config);
    const request = { notification, text: notificationText(notification), config, hidden, egress, signal };
    const outcome = await soonAfter(signal, SETTLE_MS, channel.send(request));
    if (outcome === 'late')
      throw new ChannelBug(`the ${type} channel did not settle within ${SETTLE_MS / 1000} s after its signal`);
    if (!isOutcome(outcome)) throw new ChannelBug(`the ${type} channel returned no SendOutcome`);
    return outcome;
  }

  /** What deliveries with this config share a rate limit and a circuit breaker by; holds no secret. */
  destination(type: string, config: object): string {
    return destinationKey(type, ...this.get(type).destination(config));
  }

  private add(type: string, channel: Channel): void {
    const other = this.channels.get(type);
    if (other === channel) return;
    if (other)
      throw new StartError(
        `Channel "${type}" is registered twice: by ${other.constructor.name} and by ${channel.constructor.name}. Give one of them another type.`,
      );
    this.channels.set(type, channel);
  }
}

const isSpecType = (type: string): boolean => SPEC_CHANNEL_TYPES.some((known) => known === type);
