import { DiscoveryService } from '@nestjs/core';
import type { EgressRule } from '../platform/net/egress/egress-policy';
import type { Notification } from './notification';
import type { NotificationText } from './notification-text';

/** The built-in types. Any module may add others. */
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
 * The kind of receiver. It decides rate limits, how deliveries are merged, and how long they are retried. Pagers and
 * webhooks get an idempotency key and are never merged. The others are read by people.
 */
export type ChannelAudience = 'webhook' | 'pager' | 'chat' | 'mail' | 'sms';

/**
 * The outcome of one attempt. `delivered` follows the provider's own rule. `retry` may work later. `rejected` can't
 * work without a change. Texts are public: they contain no URL, no token, and only the short error text of the
 * provider's body.
 */
export type SendOutcome =
  | {
      result: 'delivered';
      status: number | null;
      /**
       * A problem to fix although the message was delivered: one of several recipients was refused, or the chat moved.
       */
      warning?: string;
    }
  | { result: 'retry'; status: number | null; error: string; retryAfterMs: number | null; mayHaveArrived: boolean }
  | { result: 'rejected'; status: number | null; error: string; gone: boolean };

/** The limits of one attempt, for every channel. */
export interface AttemptLimits {
  /** The IP addresses that the organization of the alert may connect to. */
  egress: EgressRule;
  /** Aborts after 15 s or at shutdown. */
  signal: AbortSignal;
}

/** Everything that one attempt needs. The registry creates it. */
export interface SendRequest<Config> extends AttemptLimits {
  notification: Notification;
  /** The notification as plain text. Escape it for the vendor's markup. */
  text: NotificationText;
  config: Config;
  /** The config's credentials and confidential values. `ProviderClient` removes them from errors. */
  hidden: readonly string[];
}

/**
 * A way to send notifications. Each implementation has its own file with `@Channel('type')`, and is listed once in a
 * module's providers. `send` makes one attempt and never throws for the provider's failure. An error that it throws is
 * a bug and counts as `retry`.
 */
export interface Channel<Config extends object = object> {
  readonly audience: ChannelAudience;
  /** Whether an acknowledgement can be sent under the incident's key, as for a pager that then stops paging. */
  readonly acknowledges?: boolean;
  /**
   * The config class. Every property has a rule from `config/config-fields.ts` and `@ApiProperty`. `Secret` properties
   * are encrypted at rest and write-only. `Confidential` properties are shown to write and admin keys and masked for
   * read keys.
   */
  readonly configClass: new () => Config;
  /**
   * Checks rules that span properties, and adds defaults that must be stored, such as a generated signing secret. Runs
   * after validation. `stored` is the alert's current config if it has the same type, so that generated values are
   * kept.
   */
  complete?(config: Config, stored: Config | null): Config | ConfigProblem[];
  /** Returns the account and address that share one rate limit and one circuit breaker. Only their hash is stored. */
  destination(config: Config): readonly string[];
  send(request: SendRequest<Config>): Promise<SendOutcome>;
}

/** A config property that breaks a rule of `complete`. */
export interface ConfigProblem {
  /** The property, such as `to`. */
  key: string;
  code: 'required' | 'invalid_config' | 'invalid_format' | 'unsupported_scheme' | 'credentials_in_url';
  message: string;
}

/**
 * Declares a provider as the channel of one type: `@Channel('slack')`. Types are in lower case and unique in the
 * application.
 */
export const Channel = DiscoveryService.createDecorator<string>();
