import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Clock } from '../../platform/time/clock';
import { ProviderClient } from '../provider-client';
import { webhookBody } from './webhook-payload';
import { isWebhookSecret, newWebhookSecret, signatureHeaders } from './webhook-signature';
import { Channel, type ConfigProblem, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';

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
    return { ...config, secret: config.secret ?? stored?.secret ?? newWebhookSecret() };
  }

  destination(config: WebhookConfig): string[] {
    return [urlOf(config)];
  }

  send(request: SendRequest<WebhookConfig>): Promise<SendOutcome> {
    const { notification, config } = request;
    const body = JSON.stringify(webhookBody(notification));
    const timestampSeconds = Math.floor(this.clock.now().getTime() / 1000);
    return this.provider.send(
      request,
      {
        provider: 'The webhook',
        method: config.method ?? 'POST',
        url: urlOf(config),
        headers: {
          ...Object.fromEntries((config.headers ?? []).map(({ key, value }) => [key.toLowerCase(), value])),
          ...(config.secret === undefined
            ? { 'webhook-id': notification.id, 'webhook-timestamp': String(timestampSeconds) }
            : signatureHeaders({ id: notification.id, timestampSeconds, body, secret: config.secret })),
        },
        body,
      },
      ({ status }) => ({ delivered: status >= 200 && status < 300 }),
    );
  }
}

const urlOf = (config: WebhookConfig): string => config.url ?? config.webhook_url ?? '';
