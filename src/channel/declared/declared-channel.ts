import { Injectable } from '@nestjs/common';
import type { Channel, ChannelAudience, SendOutcome, SendRequest } from '../channel';
import type { NotificationLink, NotificationText } from '../notification-text';
import { ProviderClient, type ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { cut } from '../../platform/text/text-limits';
import { Clock } from '../../platform/time/clock';
import type { JsonValue } from '../template/json-value';
import { messageValues, type MessageValues, pagingAction, pagingKey } from '../template/message-values';
import { type Encoding, renderBody } from '../template/render-template';
import { errorText } from '../template/success-rule';

/** The most that a service accepts. Texts are cut before they are sent. */
export interface MessageLimits {
  title?: number;
  /** The sentence on one line. */
  message?: number;
  /** All lines. */
  text: number;
  /** The unit of the limit for `text`. Default: `characters`. */
  unit?: 'characters' | 'bytes';
}

/**
 * The values for the placeholders of a declaration. Texts are escaped and within the limits. `config` contains the
 * settings, so they are filled in like any other value.
 */
export interface DeclaredValues extends MessageValues {
  config: object;
  kind: string;
  /** The key of the problem, which is the same from trigger to resolve. */
  key: string;
  paging: 'trigger' | 'resolve' | 'acknowledge';
  /** When the problem started, or when the message was created. ISO 8601. */
  started_at: string;
  /** The time of the message in whole seconds since 1970. */
  unix_time: number;
  started_unix_time: number;
}

/** One request. `body` is a template. */
export interface DeclaredRequest {
  method?: 'POST' | 'PUT';
  url: string;
  headers?: Readonly<Record<string, string>>;
  encoding?: Encoding;
  body: JsonValue;
  /** More values for the placeholders. */
  values?: Readonly<Record<string, unknown>>;
  /** Strings that errors must not contain, such as credentials in base64. */
  hidden?: readonly string[];
}

/**
 * A channel that is declared rather than programmed: a config class, an audience, limits, and one request with a
 * template for its body. Properties without a value are left out of the body.
 */
@Injectable()
export abstract class DeclaredChannel<Config extends object> implements Channel<Config> {
  abstract readonly audience: ChannelAudience;
  abstract readonly configClass: new () => Config;
  /** The name of the service in error texts. */
  protected abstract readonly service: string;
  protected abstract readonly limits: MessageLimits;
  /** The values of settings that are not set. */
  protected readonly defaults: Partial<Config> = {};

  constructor(
    protected readonly provider: ProviderClient,
    protected readonly clock: Clock,
  ) {}

  abstract destination(config: Config): string[];

  /** Returns the request for a message. `config` contains the defaults. */
  protected abstract request(config: Config, values: DeclaredValues): DeclaredRequest;

  /** Escapes text for the markup of the service. */
  protected escape(text: string): string {
    return text;
  }

  /** Returns a link at the end of the text. Links are never cut. */
  protected link({ label, url }: NotificationLink): string {
    return `${label}: ${url}`;
  }

  /** Applies the service's rule for success. */
  protected read({ status, json }: ProviderResponse): Reading {
    return { delivered: status >= 200 && status < 300, detail: errorText(json) };
  }

  send(request: SendRequest<Config>): Promise<SendOutcome> {
    const config = { ...this.defaults, ...request.config };
    const values = this.valuesOf(request, config);
    const { body, encoding = 'json', headers, values: more, ...outgoing } = this.request(config, values);
    const rendered = renderBody(body, { ...values, ...more }, encoding, { withoutEmpty: true });
    return this.provider.send(
      request,
      {
        ...outgoing,
        provider: this.service,
        headers: { 'content-type': rendered.contentType, ...headers },
        body: rendered.body,
      },
      (response) => this.read(response),
    );
  }

  private valuesOf({ notification, text }: SendRequest<Config>, config: Config): DeclaredValues {
    const values = messageValues(notification, text);
    const { title = 200, message = 1000 } = this.limits;
    const startedAt = notification.startedAt ?? notification.createdAt;
    return {
      ...values,
      title: this.line(values.title, title),
      message: this.line(values.message, message),
      text: this.allLines(text),
      config,
      kind: notification.kind,
      key: pagingKey(notification),
      paging: pagingAction(notification),
      started_at: startedAt,
      unix_time: Math.floor(Date.parse(notification.createdAt) / 1000),
      started_unix_time: Math.floor(Date.parse(startedAt) / 1000),
    };
  }

  private line(text: string, max: number): string {
    return fitted(
      (room) => this.escape(cut(text, room)),
      max,
      (escaped) => escaped.length,
    );
  }

  private allLines(text: NotificationText): string {
    const { text: max, unit } = this.limits;
    const links = text.links.map((link) => this.link(link)).join('\n');
    const above = `${text.sentence}\n${text.details}`.trimEnd();
    const build = (room: number): string =>
      [this.escape(cut(above, room)), links].filter((part) => part !== '').join('\n');
    return fitted(build, max, (built) => (unit === 'bytes' ? Buffer.byteLength(built) : built.length));
  }
}

/** Returns the longest text of `build` that fits, for a text that grows when it is escaped. */
function fitted(build: (room: number) => string, max: number, sizeOf: (text: string) => number): string {
  let room = max;
  for (;;) {
    const built = build(room);
    const excess = sizeOf(built) - max;
    if (excess <= 0 || room <= 1) return built;
    room = Math.max(1, room - Math.max(1, Math.ceil(excess / 4)));
  }
}

/** Returns a URL without slashes at its end. */
export const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '');
