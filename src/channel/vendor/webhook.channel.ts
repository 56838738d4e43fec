import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Clock } from '../../platform/time/clock';
import { ProviderClient } from '../provider-client';
import type { ValueRule } from '../config/config-validation';
import type { JsonValue } from '../template/json-value';
import { type Encoding, ENCODINGS, renderBody } from '../template/render-template';
import { readByRule, WebhookSuccess } from '../template/success-rule';
import { formProblems, MAX_DEPTH, MAX_TEMPLATE, templateProblems } from '../template/template-problems';
import { renderUrl, urlTemplateProblems } from '../template/url-template';
import { webhookBody } from './webhook-payload';
import { WEBHOOK_PLACEHOLDERS, webhookValues } from './webhook-placeholders';
import { isWebhookSecret, newWebhookSecret, signatureHeaders } from './webhook-signature';
import { Channel, type ChannelAudience, type ConfigProblem, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';

/** The kinds of receivers. They determine merging, reminders, and rate limits. */
const AUDIENCES = ['machine', 'people', 'pager'] as const;
const AUDIENCE_OF: Readonly<Record<(typeof AUDIENCES)[number], ChannelAudience>> = {
  machine: 'webhook',
  people: 'chat',
  pager: 'pager',
};

/** Accepts a template. `form` needs an object, which `complete` checks. */
const bodyTemplate: ValueRule = (value) => templateProblems(value, WEBHOOK_PLACEHOLDERS);
/** Shows forms that a value is a template. `format` would be refused by strict validators, which don't know it. */
const FORM: object = { 'x-format': 'template' };

const METHODS = ['POST', 'PUT', 'PATCH'] as const;
const MAX_HEADERS = 50;
/** Matches headers that belong to the connection, the host, or the signature. */
const FORBIDDEN_HEADER =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*|webhook-(?:id|timestamp|signature))$/i;

const headerName = field.text({
  max: 256,
  pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
  form: 'an HTTP header name',
});

export class WebhookHeader {
  @ApiProperty({ description: 'The name of the header.', example: 'X-Team', maxLength: 256 })
  @field.Required((value) => {
    const problems = headerName(value);
    if (problems.length > 0 || !FORBIDDEN_HEADER.test(String(value))) return problems;
    return [{ pointer: '', code: 'forbidden_header', message: 'is a header that the service sets itself' }];
  })
  key!: string;

  @ApiProperty({
    description: 'The value of the header. Masked for read keys.',
    example: 'operations',
    maxLength: 4096,
  })
  @field.Required(field.text({ max: 4096, pattern: /^[\x20-\x7e\u00a0-\u00ff]*$/, form: 'printable Latin-1 text' }))
  @field.Confidential()
  value!: string;
}

export class WebhookConfig {
  @ApiPropertyOptional({
    description: 'The URL that receives each notification as a JSON request.',
    example: 'https://hooks.example.com/uptime',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Optional(field.httpUrl())
  @field.ConfidentialAddress()
  @field.Dialed()
  @field.Addressee()
  url?: string;

  @ApiPropertyOptional({
    description: 'Former name of `url`, still accepted. Send only one of them.',
    example: 'https://hooks.example.com/uptime',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Optional(field.httpUrl())
  @field.ConfidentialAddress()
  @field.Dialed()
  @field.Addressee()
  @field.AliasOf('url')
  webhook_url?: string;

  @ApiPropertyOptional({ description: 'The request method.', example: 'POST', default: 'POST', enum: METHODS })
  @field.Optional(field.oneOf(METHODS))
  method?: (typeof METHODS)[number];

  @ApiPropertyOptional({
    description: 'Additional request headers, at most 50.',
    example: [{ key: 'X-Team', value: 'operations' }],
    type: [WebhookHeader],
    maxItems: MAX_HEADERS,
  })
  @field.Optional(
    field.list(
      field.object(() => WebhookHeader),
      MAX_HEADERS,
      0,
    ),
  )
  @field.Nested(() => WebhookHeader)
  headers?: WebhookHeader[];

  @ApiPropertyOptional({
    title: 'Signing secret',
    description:
      'The secret that signs the requests (Standard Webhooks): `whsec_` followed by 24 to 64 bytes in base64. If ' +
      'you leave it empty, the service generates a secret and returns it in full only in the response to that ' +
      'request. To replace a secret, send both with a space between them; every request then carries both signatures.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    format: 'password',
    maxLength: 200,
  })
  @field.Optional(
    field.text({ max: 200, accepts: isWebhookSecret, form: 'whsec_ followed by 24 to 64 bytes in base64' }),
  )
  @field.SigningSecret()
  secret?: string;

  @ApiPropertyOptional({
    title: 'Body',
    description:
      `Instead of the signed JSON: a custom body, with placeholders such as \`{{title}}\`: at most ${MAX_TEMPLATE / 1024} KiB and ${MAX_DEPTH} levels of nesting. ` +
      'A text that is exactly one placeholder keeps the type of its value. ' +
      'The object `{"$switch": "type", "alert.triggered": 5, "default": 3}` stands for the branch that matches. ' +
      'With a body, the request is signed only if `secret` is set. Every key can read the body, so send credentials in a header.',
    example: { text: '{{text}}', priority: { $switch: 'state', down: 5, default: 3 } },
    ...FORM,
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
      { type: 'string', maxLength: MAX_TEMPLATE },
    ],
  })
  @field.Optional(bodyTemplate)
  body?: JsonValue;

  @ApiPropertyOptional({
    description: 'How the body is sent. `form` sends the properties of an object as form fields.',
    example: 'json',
    default: 'json',
    enum: ENCODINGS,
  })
  @field.Optional(field.oneOf(ENCODINGS))
  encoding?: Encoding;

  @ApiPropertyOptional({
    description:
      'The kind of receiver. `people` get several events in one message. `pager` gets no reminders, and one ' +
      '`incident_key` for an outage from trigger to resolve.',
    example: 'machine',
    default: 'machine',
    enum: AUDIENCES,
  })
  @field.Optional(field.oneOf(AUDIENCES))
  audience?: (typeof AUDIENCES)[number];

  @ApiPropertyOptional({
    title: 'Success',
    description: 'Instead of every status from 200 to 299: when a message counts as delivered.',
    example: { status: [200], json: { path: 'code', equals: 0 } },
    type: WebhookSuccess,
  })
  @field.Optional(field.object(() => WebhookSuccess))
  @field.Nested(() => WebhookSuccess)
  success?: WebhookSuccess;
}

/**
 * Sends JSON to any HTTP receiver, signed according to Standard Webhooks. The webhook-id is the event's ID, which is
 * the same for all attempts.
 */
@Channel('webhook')
@Injectable()
export class WebhookChannel implements Channel<WebhookConfig> {
  readonly audience = 'webhook';
  readonly configClass = WebhookConfig;

  constructor(
    private readonly provider: ProviderClient,
    private readonly clock: Clock,
  ) {}

  complete(config: WebhookConfig, stored: WebhookConfig | null): WebhookConfig | ConfigProblem[] {
    if (config.url === undefined && config.webhook_url === undefined)
      return [{ key: 'url', code: 'required', message: 'is required' }];
    if (config.url !== undefined && config.webhook_url !== undefined)
      return [{ key: 'webhook_url', code: 'invalid_config', message: 'is an alias of url; send only one of them' }];
    if (config.body !== undefined) {
      const problems = bodyProblems(config, config.body);
      const secret = config.secret ?? (stored?.body === undefined ? undefined : stored.secret);
      return problems.length > 0 ? problems : { ...config, ...(secret === undefined ? {} : { secret }) };
    }
    if (config.encoding === 'form')
      return [{ key: 'encoding', code: 'invalid_config', message: 'needs a body: the signed JSON is not a form' }];
    return { ...config, secret: config.secret ?? stored?.secret ?? newWebhookSecret() };
  }

  destination(config: WebhookConfig): string[] {
    return [urlOf(config)];
  }

  formatOf({ body, encoding = 'json' }: WebhookConfig): string | null {
    return body === undefined ? null : JSON.stringify([encoding, body]);
  }

  audienceOf({ audience = 'machine' }: WebhookConfig): ChannelAudience {
    return AUDIENCE_OF[audience];
  }

  send(request: SendRequest<WebhookConfig>): Promise<SendOutcome> {
    const { config } = request;
    const { contentType, body, url } = messageOf(request);
    return this.provider.send(
      request,
      {
        provider: 'The webhook',
        method: config.method ?? 'POST',
        url,
        headers: {
          ...(contentType === undefined ? {} : { 'content-type': contentType }),
          ...Object.fromEntries((config.headers ?? []).map(({ key, value }) => [key.toLowerCase(), value])),
          ...this.identifying(request, body),
        },
        body,
      },
      (response) => readByRule(config.success, response),
    );
  }

  /** Returns the headers that identify and sign a request. A custom body has them only with a secret. */
  private identifying(
    { notification: { id }, config: { secret, body: template } }: SendRequest<WebhookConfig>,
    body: string,
  ): Record<string, string> {
    const timestampSeconds = Math.floor(this.clock.now().getTime() / 1000);
    if (secret !== undefined) return signatureHeaders({ id, timestampSeconds, body, secret });
    return template === undefined ? { 'webhook-id': id, 'webhook-timestamp': String(timestampSeconds) } : {};
  }
}

/** Returns the URL and body of a message: the signed JSON, or the template with the values of the notification. */
function messageOf({ notification, text, config }: SendRequest<WebhookConfig>): {
  url: string;
  contentType?: string;
  body: string;
} {
  const url = urlOf(config);
  if (config.body === undefined) return { url, body: JSON.stringify(webhookBody(notification)) };
  const values = webhookValues(notification, text);
  return { url: renderUrl(url, values), ...renderBody(config.body, values, config.encoding ?? 'json') };
}

/** Returns the problems of a body together with the other properties: its URL, and the encoding. */
function bodyProblems(config: WebhookConfig, body: JsonValue): ConfigProblem[] {
  const ofUrl = urlTemplateProblems(urlOf(config), WEBHOOK_PLACEHOLDERS).map(({ code, message }) => ({
    key: config.url === undefined ? 'webhook_url' : 'url',
    code,
    message,
  }));
  const ofForm = config.encoding === 'form' ? formProblems(body) : [];
  return [...ofUrl, ...ofForm.map(({ pointer, code, message }) => ({ key: `body${pointer}`, code, message }))];
}

const urlOf = (config: WebhookConfig): string => config.url ?? config.webhook_url ?? '';
