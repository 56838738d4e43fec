import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { StartError } from '../platform/config/start-error';
import type { EgressRule } from '../platform/net/egress/egress-policy';
import { soonAfter } from '../platform/net/deadline';
import { isOutcome } from './send-outcome';
import {
  type AttemptLimits,
  Channel,
  type ChannelAudience,
  type RecordedRequest,
  type SendOutcome,
  SPEC_CHANNEL_TYPES,
} from './channel';
import type { Notification } from './notification';
import { hiddenValues } from './config/config-masking';
import { notificationText } from './notification-text';

/**
 * Returns a hash that identifies a shared rate limit. It has at most 64 characters, is stable across restarts and
 * releases, and contains no secrets.
 */
const destinationKey = (type: string, audience: ChannelAudience | null, ...parts: readonly string[]): string =>
  `${type.slice(0, 20)}${audience === null ? '' : `/${audience}`}:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)}`;

/** Matches the key of a destination whose config decides about the audience. */
const WITH_AUDIENCE = /^[^:]*\/(webhook|pager|chat|mail|sms):/;

/** How long a channel may take to settle after its signal is aborted. This is well within the lease of its attempt. */
const SETTLE_MS = 3000;

/** The rule for a preview: a channel that opens its own connections reaches nothing. */
const NOWHERE: EgressRule = {
  refusal: () => 'a preview sends nothing',
  organization: null,
  allowsPrivate: false,
  allowsInternalNames: false,
};

/** Thrown when a channel breaks its contract. The message contains nothing from the channel's config. */
export class ChannelBug extends Error {}

/**
 * All channels of the application, found by `@Channel('type')` in any module. Startup fails if a type exists twice or a
 * built-in type is missing.
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

  /** Throws an error for an unknown type. If the type comes from a client, call `has` first. */
  get(type: string): Channel {
    const channel = this.channels.get(type);
    if (!channel) throw new Error(`There is no channel of type "${type}"`);
    return channel;
  }

  has(type: string): boolean {
    return this.channels.has(type);
  }

  /** Treats a type that is no longer installed as a channel for people, as all deliveries do. */
  isPager(type: string): boolean {
    return this.channels.get(type)?.audience === 'pager';
  }

  /** Returns the built-in types in their order, then the others by name. */
  types(): string[] {
    const others = [...this.channels.keys()].filter((type) => !isSpecType(type)).sort();
    return [...SPEC_CHANNEL_TYPES.filter((type) => this.channels.has(type)), ...others];
  }

  /**
   * Makes one attempt to send a notification through the channel of this type. Throws: a `ChannelBug` with the type if
   * the channel does not settle soon after its signal is aborted, or returns an invalid outcome.
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

  /** See `Channel.missing`. A type that isn't installed can't send anything. */
  missing(type: string, config: object): string | null {
    const channel = this.channels.get(type);
    return channel ? (channel.missing?.(config) ?? null) : `This installation has no channel of type "${type}".`;
  }

  /**
   * Returns the key of the rate limit and circuit breaker that all deliveries to this destination share. It contains no
   * secret.
   */
  destination(type: string, config: object): string {
    const channel = this.get(type);
    const audience = this.audienceOf(type, config);
    return destinationKey(type, audience === channel.audience ? null : audience, ...channel.destination(config));
  }

  /** Returns a digest of the format that the user chose for the messages, or `null` if the channel decides it. */
  format(type: string, config: object): string | null {
    const format = this.get(type).formatOf?.(config) ?? null;
    return format === null ? null : createHash('sha256').update(format).digest('base64url').slice(0, 16);
  }

  /** Returns the audience of a config. */
  audienceOf(type: string, config: object): ChannelAudience {
    const channel = this.get(type);
    return channel.audienceOf?.(config) ?? channel.audience;
  }

  /** Returns who receives the messages of a destination. An unknown type counts as a chat. */
  receiver(type: string, destination: string): Pick<Channel, 'audience' | 'acknowledges'> {
    const channel = this.channels.get(type);
    const audience = WITH_AUDIENCE.exec(destination)?.[1] as ChannelAudience | undefined;
    if (!channel) return { audience: 'chat' };
    return audience === undefined ? channel : { audience, acknowledges: audience === 'pager' };
  }

  /** Returns the requests that a message would make. Sends nothing, even if the channel does not use the client. */
  async preview(type: string, notification: Notification, config: object): Promise<RecordedRequest[]> {
    const requests: RecordedRequest[] = [];
    await this.get(type).send({
      notification,
      text: notificationText(notification),
      config,
      hidden: [],
      egress: NOWHERE,
      signal: AbortSignal.abort(),
      record: (request) => requests.push(request),
    });
    return requests;
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
