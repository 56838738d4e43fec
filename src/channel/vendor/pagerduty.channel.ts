import { Injectable } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ProviderClient } from '../provider-client';
import { MESSAGE_KINDS } from '../kind/message-kinds';
import { cut, oneLine } from '../../platform/text/text-limits';
import { Channel, type ConfigProblem, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';
import { isTaken, type Promised } from '../receipt';

const API_URLS = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' } as const;
const PROMISED: Promised = { hosts: /(?:^|\.)pagerduty\.com$/, isKept: ({ status }) => status === 202 };
const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;
const MAX_SUMMARY = 1024;
const MAX_SOURCE = 255;
const MAX_KEY = 255;
const CLIENT = 'Uptime monitor';

const routingKey = field.text({ max: 64, pattern: /^[A-Za-z0-9_-]+$/, form: 'an integration key of Events API v2' });

export class PagerDutyConfig {
  @ApiPropertyOptional({
    description: 'The integration key of an Events API v2 integration.',
    example: '0123456789abcdef0123456789abcdef',
    format: 'password',
    maxLength: 64,
  })
  @field.Optional(routingKey)
  @field.Secret()
  routing_key?: string;

  @ApiPropertyOptional({
    description: 'Former name of `routing_key`, still accepted. Send only one of them.',
    example: '0123456789abcdef0123456789abcdef',
    format: 'password',
    maxLength: 64,
  })
  @field.Optional(routingKey)
  @field.Secret()
  @field.AliasOf('routing_key')
  integration_key?: string;

  @ApiPropertyOptional({
    description: 'The severity of the incident. If unset, an endpoint that is only degraded has `warning`.',
    example: 'critical',
    default: 'critical',
    enum: SEVERITIES,
  })
  @field.Optional(field.oneOf(SEVERITIES))
  severity?: (typeof SEVERITIES)[number];

  @ApiPropertyOptional({
    description: 'The service region of the account.',
    example: 'eu',
    default: 'us',
    enum: ['us', 'eu'],
  })
  @field.Optional(field.oneOf(['us', 'eu']))
  region?: keyof typeof API_URLS;

  @ApiPropertyOptional({
    title: 'API server',
    description: 'The base URL of a compatible server, used instead of the region.',
    example: API_URLS.us,
    format: 'uri',
    maxLength: 2048,
  })
  @field.Optional(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  api_url?: string;
}

/** Sends to PagerDuty's Events API v2. The dedup key connects a resolve to its trigger and makes repeats harmless. */
@Channel('pagerduty')
@Injectable()
export class PagerDutyChannel implements Channel<PagerDutyConfig> {
  readonly audience = 'pager';
  readonly acknowledges = true;
  readonly configClass = PagerDutyConfig;

  constructor(private readonly provider: ProviderClient) {}

  complete(config: PagerDutyConfig): PagerDutyConfig | ConfigProblem[] {
    const given = [config.routing_key, config.integration_key].filter((key) => key !== undefined);
    if (given.length === 1) return config;
    return given.length === 0
      ? [{ key: 'routing_key', code: 'required', message: 'is required' }]
      : [
          {
            key: 'integration_key',
            code: 'invalid_config',
            message: 'is an alias of routing_key; send only one of them',
          },
        ];
  }

  destination(config: PagerDutyConfig): string[] {
    return [apiUrl(config), keyOf(config)];
  }

  send(request: SendRequest<PagerDutyConfig>): Promise<SendOutcome> {
    const url = `${apiUrl(request.config)}/v2/enqueue`;
    return this.provider.send(
      request,
      { provider: 'PagerDuty', url, body: JSON.stringify(eventOf(request)) },
      (response) => ({
        delivered: isTaken(url, PROMISED, response),
        detail: firstError(response.json) ?? response.json['message'],
      }),
    );
  }
}

/**
 * Returns the event. A test has a separate key for each alert or contact, so that it never affects a real incident and
 * tests do not pile up.
 */
function eventOf({ notification, text, config }: SendRequest<PagerDutyConfig>): object {
  const { kind, alert, contact, endpoint, website, error, incidentId } = notification;
  const key = kind === 'test' ? `test-${contact?.id ?? alert.id}` : notification.incidentKey;
  const event = { routing_key: keyOf(config), dedup_key: cut(key, MAX_KEY, '') };
  const { paging } = MESSAGE_KINDS[kind];
  if (paging !== 'trigger') return { ...event, event_action: paging };
  return {
    ...event,
    event_action: 'trigger',
    payload: {
      summary: cut(text.sentence, MAX_SUMMARY),
      source: cut(text.target, MAX_SOURCE) || CLIENT,
      severity: kind === 'test' ? 'info' : (config.severity ?? (notification.isDegraded ? 'warning' : 'critical')),
      timestamp: notification.startedAt ?? notification.createdAt,
      ...(contact ? {} : { component: oneLine(endpoint.name), group: oneLine(website.name) }),
      class: error?.code ?? kind,
      custom_details: {
        ...Object.fromEntries(text.facts.map(({ label, value }) => [label.toLowerCase(), value])),
        ...(incidentId === undefined ? {} : { incident_id: incidentId }),
      },
    },
    client: CLIENT,
    ...(text.links.length === 0 ? {} : { links: text.links.map(({ label, url }) => ({ href: url, text: label })) }),
  };
}

const keyOf = (config: PagerDutyConfig): string => config.routing_key ?? config.integration_key ?? '';

const apiUrl = (config: PagerDutyConfig): string =>
  (config.api_url ?? API_URLS[config.region ?? 'us']).replace(/(?<!\/)\/+$/, '');

const firstError = (json: Readonly<Record<string, unknown>>): unknown =>
  Array.isArray(json['errors']) ? json['errors'][0] : undefined;
