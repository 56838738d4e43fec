import { DiscoveryService } from '@nestjs/core';
import type { EgressRule } from '../platform/net/egress/egress-policy';
import type { Notification } from './notification';
import type { NotificationText } from './notification-text';

/** The built-in types. Others may be added by any module. */
export const SPEC_CHANNEL_TYPES = [
  'email',
  'webhook',
  'slack',
  'discord',
  'teams',
  'telegram',
  'pagerduty',
  'opsgenie',
  'twilio',
] as const;

/**
 * Who receives: decides rate limits, how deliveries are merged and how long they are retried. Pagers and webhooks take a key
 * and are never merged; the others are read by people.
 */
export type ChannelAudience = 'webhook' | 'pager' | 'chat' | 'mail' | 'sms';

/**
 * What became of one attempt. `delivered` by the provider's own rule; `retry` may work later; `rejected` will not without a change.
 * Texts are public: no URL, no token, no body of the provider beyond its short error text.
 */
export type SendOutcome =
  | {
      result: 'delivered';
      status: number | null;
      /** Delivered, yet something should be corrected: one of several recipients was refused, the chat moved. */
      warning?: string;
    }
  | { result: 'retry'; status: number | null; error: string; retryAfterMs: number | null; mayHaveArrived: boolean }
  | { result: 'rejected'; status: number | null; error: string; gone: boolean };

/** The limits of one attempt, whatever the channel. */
export interface AttemptLimits {
  /** Which addresses the organization of the alert may be connected to. */
  egress: EgressRule;
  /** Aborts after the attempt's 15 s or at shutdown. */
  signal: AbortSignal;
}

/** Everything one attempt needs. Made by the registry. */
export interface SendRequest<Config> extends AttemptLimits {
  notification: Notification;
  /** The notification in words: plain text, to be escaped for the vendor's markup. */
  text: NotificationText;
  config: Config;
  /** The config's credentials and confidential values: no error may repeat them. `ProviderClient` takes them out. */
  hidden: readonly string[];
}

/**
 * One way to notify. Implementations live one per file, carry `@Channel('type')` and are listed once in a module's
 * providers. `send` makes one attempt and never throws for the provider's failure; a throw is a bug and counts as `retry`.
 */
export interface Channel<Config extends object = object> {
  readonly audience: ChannelAudience;
  /** The service can be told that somebody has an incident in hand, under the incident's key: a pager that stops paging. */
  readonly acknowledges?: boolean;
  /**
   * A class with a rule of `config/config-fields.ts` and `@ApiProperty` on every key. Keys marked `Secret` are encrypted at
   * rest and write-only; keys marked `Confidential` are shown to write and admin keys and masked for read keys.
   */
  readonly configClass: new () => Config;
  /**
   * Rules that span keys, and defaults that must be stored (a generated signing secret). Runs after validation.
   * `stored` is the alert's present config of the same type, if any: what was generated once is kept.
   */
  complete?(config: Config, stored: Config | null): Config | ConfigProblem[];
  /** Account and address: what shares one rate limit and one circuit breaker. Only their hash is stored. */
  destination(config: Config): readonly string[];
  send(request: SendRequest<Config>): Promise<SendOutcome>;
}

/** A key of a config that breaks a rule of `complete`. */
export interface ConfigProblem {
  /** Key of the config, e.g. `to`. */
  key: string;
  code: 'required' | 'invalid_config' | 'invalid_format' | 'unsupported_scheme' | 'credentials_in_url';
  message: string;
}

/** Marks a provider as the channel of one type: `@Channel('slack')`. Lower case, unique over the whole application. */
export const Channel = DiscoveryService.createDecorator<string>();
