import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Clock } from '../../platform/time/clock';
import {
  Channel,
  type ChannelAudience,
  type ConfigProblem,
  type Notification,
  type SendContext,
  type SendOutcome,
} from '../channel';
import { nestedObject } from '../config/config-validation';
import { hiddenValues } from '../config/config-masking';
import { Confidential, Dialed, NestedConfig, SigningSecret } from '../config/config-decorators';
import { httpUrl, list, oneOf, OptionalRule, Rule, text, type ValueRule } from '../config/config-rules';
import { destinationKey } from '../destination-key';
import { notificationText } from '../notification-text';
import { ProviderClient } from '../provider-client';
import { oneLine, someLines } from '../text-limits';
import { isWebhookSecret, newWebhookSecret, signatureHeaders } from './webhook-signature';

const METHODS = ['POST', 'PUT', 'PATCH'] as const;
const MAX_HEADERS = 50;
const MAX_LINES = 500;
/** Headers that frame the message, name its receiver or carry our signature. */
const FORBIDDEN_HEADER =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|proxy-.*|webhook-(?:id|timestamp|signature))$/i;

const headerName: ValueRule = (value) => {
  const findings = text({ max: 256, pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, form: 'an HTTP header name' })(value);
  if (findings.length > 0 || typeof value !== 'string' || !FORBIDDEN_HEADER.test(value)) return findings;
  return [{ pointer: '', code: 'forbidden_header', message: 'is a header that the service sets itself' }];
};

export class WebhookHeader {
  @ApiProperty({ description: 'Header name.', example: 'X-Team', maxLength: 256 })
  @Rule(headerName)
  key!: string;

  @ApiProperty({ description: 'Header value; masked for read keys.', example: 'operations', maxLength: 4096 })
  @Rule(text({ max: 4096, pattern: /^[\x20-\x7e\u00a0-\u00ff]*$/, form: 'printable Latin-1 text' }))
  @Confidential()
  value!: string;
}

export class WebhookConfig {
  @ApiPropertyOptional({
    description: 'URL that receives the notifications. Required, unless sent as `webhook_url`.',
    example: 'https://hooks.example.com/uptime',
    format: 'uri',
    maxLength: 2048,
  })
  @OptionalRule(httpUrl())
  @Confidential()
  @Dialed()
  url?: string;

  @ApiPropertyOptional({
    description: 'Another name of `url`.',
    example: 'https://hooks.example.com/uptime',
    format: 'uri',
    maxLength: 2048,
  })
  @OptionalRule(httpUrl())
  @Confidential()
  @Dialed()
  webhook_url?: string;

  @ApiPropertyOptional({ description: 'Request method.', example: 'POST', default: 'POST', enum: METHODS })
  @OptionalRule(oneOf(METHODS))
  method?: (typeof METHODS)[number];

  @ApiPropertyOptional({
    description: 'Further request headers, at most 50.',
    example: [{ key: 'X-Team', value: 'operations' }],
    type: [WebhookHeader],
    maxItems: MAX_HEADERS,
  })
  @OptionalRule(
    list(
      nestedObject(() => WebhookHeader),
      MAX_HEADERS,
      0,
    ),
  )
  @NestedConfig(() => WebhookHeader)
  headers?: WebhookHeader[];

  @ApiPropertyOptional({
    description:
      'Secret that signs the requests (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64. Generated when absent ' +
      'and returned in full only by the request that generates it. While a secret is being replaced, two with a space ' +
      'between them: every request then carries both signatures.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    format: 'password',
    maxLength: 200,
  })
  @OptionalRule((value) => {
    const findings = text({ max: 200 })(value);
    if (findings.length > 0 || typeof value !== 'string' || isWebhookSecret(value)) return findings;
    return [{ pointer: '', code: 'invalid_format', message: 'must be whsec_ followed by 24 to 64 bytes in base64' }];
  })
  @SigningSecret()
  secret?: string;
}

/** Any HTTP receiver: JSON, signed as Standard Webhooks. The webhook-id is the event's id, equal over all attempts. */
@Channel('webhook')
@Injectable()
export class WebhookChannel implements Channel<WebhookConfig> {
  readonly audience: ChannelAudience = 'webhook';
  readonly configClass = WebhookConfig;

  constructor(
    private readonly provider: ProviderClient,
    private readonly clock: Clock,
  ) {}

  complete(config: WebhookConfig, stored: WebhookConfig | null): WebhookConfig | ConfigProblem[] {
    if (config.url === undefined && config.webhook_url === undefined)
      return [{ key: 'url', code: 'required', message: 'is required' }];
    if (config.url !== undefined && config.webhook_url !== undefined)
      return [{ key: 'webhook_url', code: 'invalid_config', message: 'is another name of url; send one of them' }];
    return { ...config, secret: config.secret ?? stored?.secret ?? newWebhookSecret() };
  }

  destination(config: WebhookConfig): string {
    return destinationKey('webhook', urlOf(config));
  }

  async send(notice: Notification, config: WebhookConfig, context: SendContext): Promise<SendOutcome> {
    const body = JSON.stringify(webhookBody(notice));
    const timestampSeconds = Math.floor(this.clock.now().getTime() / 1000);
    return this.provider.send(
      {
        provider: 'The webhook',
        method: config.method ?? 'POST',
        url: urlOf(config),
        headers: {
          ...Object.fromEntries((config.headers ?? []).map(({ key, value }) => [key.toLowerCase(), value])),
          ...(config.secret === undefined
            ? { 'webhook-id': notice.id, 'webhook-timestamp': String(timestampSeconds) }
            : signatureHeaders({ id: notice.id, timestampSeconds, body, secret: config.secret })),
        },
        body,
        hidden: hiddenValues(WebhookConfig, config),
      },
      context,
      ({ status }) => ({ delivered: status >= 200 && status < 300 }),
    );
  }
}

const urlOf = (config: WebhookConfig): string => config.url ?? config.webhook_url ?? '';

/** The signed body. It depends on the notice alone, so that every attempt sends the same bytes. */
export function webhookBody(notice: Notification): object {
  const { alert, endpoint, website, check, error, digest } = notice;
  return {
    type: `alert.${notice.kind}`,
    timestamp: notice.createdAt,
    data: {
      event: {
        id: notice.id,
        type: notice.kind,
        message: notificationText({ ...notice, repeat: false }).sentence,
        incident_key: notice.incidentKey,
        trigger_event_id: notice.triggerId,
        reason: notice.reason,
        error: error && { code: error.code, message: oneLine(error.message) },
        failure_count: notice.failureCount,
        success_count: notice.successCount,
        started_at: notice.startedAt,
        duration_seconds: notice.durationSeconds,
        created_at: notice.createdAt,
      },
      alert: { id: alert.id, description: someLines(alert.description, MAX_LINES) },
      endpoint: { id: endpoint.id, name: oneLine(endpoint.name), url: oneLine(endpoint.url), type: endpoint.type },
      website: { id: website.id, name: oneLine(website.name), url: oneLine(website.url) },
      check: check && {
        checked_at: check.checkedAt,
        duration_ms: check.durationMs,
        status_code: check.statusCode,
        address: check.address,
      },
      ...(digest === null ? {} : { digest }),
    },
  };
}
