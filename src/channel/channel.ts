import { DiscoveryService } from '@nestjs/core';
import type { FieldProblemCode } from '../platform/problem/problem';
import type { EgressRule } from '../platform/net/egress/egress-policy';
import type { Notification } from './notification';
import type { NotificationText } from './notification-text';

/** The built-in types, in the order of every list. Any module may add others. The first nine are the oldest. */
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
  'ntfy',
  'gotify',
  'pushover',
  'pushbullet',
  'bark',
  'mattermost',
  'google_chat',
  'rocketchat',
  'matrix',
  'zulip',
  'signal',
  'feishu',
  'dingtalk',
  'wecom',
  'line',
  'apprise',
  'home_assistant',
  'alertmanager',
  'splunk_oncall',
  'ilert',
] as const;

/**
 * The kind of receiver. It determines rate limits, how deliveries are merged, and how long they are retried. Pagers and
 * webhooks receive an idempotency key, and their messages are never merged. The others are read by people.
 */
export type ChannelAudience = 'webhook' | 'pager' | 'chat' | 'mail' | 'sms';

/**
 * The outcome of one attempt. `delivered` follows the provider's own rule. `retry` means that another attempt may
 * succeed. `rejected` means that no attempt can succeed without a change. Texts are public: they contain no URL, no
 * token, and only the short error text from the provider's response.
 */
export type SendOutcome =
  | {
      result: 'delivered';
      status: number | null;
      /**
       * A problem to fix although the message was delivered. For example, one of several recipients was refused, or the
       * chat moved.
       */
      warning?: string;
    }
  | { result: 'retry'; status: number | null; error: string; retryAfterMs: number | null; mayHaveArrived: boolean }
  | { result: 'rejected'; status: number | null; error: string; gone: boolean };

/** The limits of one attempt, which apply to every channel. */
export interface AttemptLimits {
  /** The IP addresses that the alert's organization may connect to. */
  egress: EgressRule;
  /** Aborted after 15 s or at shutdown. */
  signal: AbortSignal;
}

/** A request as it would be sent. For an email, `method` is `SMTP`. */
export interface RecordedRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Everything that one attempt needs. The registry creates it. */
export interface SendRequest<Config> extends AttemptLimits {
  notification: Notification;
  /** The notification as plain text. Escape it for the provider's markup. */
  text: NotificationText;
  config: Config;
  /** The credentials and confidential values in the config. `ProviderClient` removes them from errors. */
  hidden: readonly string[];
  /** For a preview: receives each request, and nothing is sent. `ProviderClient` calls it. */
  record?: (request: RecordedRequest) => void;
}

/**
 * A way to send notifications. Each implementation has its own file with `@Channel('type')`, and is listed once in a
 * module's providers. `send` makes one attempt and never throws when the provider fails. If it throws, that is a bug
 * and counts as `retry`.
 */
export interface Channel<Config extends object = object> {
  readonly audience: ChannelAudience;
  /**
   * True if an acknowledgement can be sent under the incident's key, for example to a pager, which then stops paging.
   */
  readonly acknowledges?: boolean;
  /**
   * The config class. Every property has a rule from `config/config-fields.ts` and an `@ApiProperty`. `Secret`
   * properties are encrypted at rest and write-only. `Confidential` properties are shown to write and admin keys and
   * masked for read keys.
   */
  readonly configClass: new () => Config;
  /**
   * Checks rules that involve several properties, and adds defaults that must be stored, such as a generated signing
   * secret. Runs after validation. `stored` is the alert's current config if it has the same type, so that generated
   * values are kept.
   */
  complete?(config: Config, stored: Config | null): Config | ConfigProblem[];
  /**
   * Returns the format that the user chose for the messages, if there is one. If it changes, a delivery that may have
   * arrived keeps the old one, so that all its attempts are the same.
   */
  formatOf?(config: Config): string | null;
  /** Returns the audience of a config, if the config decides it. */
  audienceOf?(config: Config): ChannelAudience;
  /**
   * Returns the account and address that share one rate limit and one circuit breaker. Only a hash of them is stored.
   */
  destination(config: Config): readonly string[];
  /**
   * Returns what is missing on the server or in the config, so that no message can be sent, as a sentence. `null` if
   * nothing is missing. Values in the config may be masked.
   */
  missing?(config: Config): string | null;
  send(request: SendRequest<Config>): Promise<SendOutcome>;
}

/** A config property that breaks a rule of `complete`. */
export interface ConfigProblem {
  /** The property, such as `to`. */
  key: string;
  code: FieldProblemCode;
  message: string;
}

/**
 * Declares a provider as the channel for one type: `@Channel('slack')`. Types are lowercase and unique in the
 * application.
 */
export const Channel = DiscoveryService.createDecorator<string>();
