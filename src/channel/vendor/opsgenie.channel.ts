import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProviderClient } from '../provider-client';
import { MESSAGE_KINDS } from '../kind/message-kinds';
import { cut, oneLine } from '../../platform/text/text-limits';
import { Channel, type ConfigProblem, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';
import { isTaken, type Promised } from '../receipt';

const API_URLS = {
  us: 'https://api.opsgenie.com',
  eu: 'https://api.eu.opsgenie.com',
  jsm: 'https://api.atlassian.com/jsm/ops/integration',
} as const;
const PROMISED: Promised = {
  hosts: /(?:^|\.)(?:opsgenie|atlassian)\.(?:com|net)$/,
  isKept: ({ status }) => status === 202,
};
const REGIONS = ['us', 'eu', 'jsm'] as const;
const PRIORITIES = ['P1', 'P2', 'P3', 'P4', 'P5'] as const;
const RESPONDER_TYPES = ['team', 'user', 'escalation', 'schedule'] as const;
const MAX_MESSAGE = 130;
const MAX_ALIAS = 512;
const MAX_DESCRIPTION = 15_000;
const MAX_ENTITY = 512;

export class OpsgenieResponder {
  @ApiProperty({ description: 'The type of the responder.', example: 'team', enum: RESPONDER_TYPES })
  @field.Required(field.oneOf(RESPONDER_TYPES))
  type!: (typeof RESPONDER_TYPES)[number];

  @ApiPropertyOptional({ description: 'The ID of the responder.', example: '4513b7ea-3b91-438f-b7e4-e3e54af9147c' })
  @field.Optional(field.text({ max: 100 }))
  id?: string;

  @ApiPropertyOptional({ description: 'The name of a team, escalation, or schedule.', example: 'Operations' })
  @field.Optional(field.text({ max: 200 }))
  name?: string;

  @ApiPropertyOptional({ description: 'The user name of a user.', example: 'ops@example.com' })
  @field.Optional(field.text({ max: 254 }))
  username?: string;
}

export class OpsgenieConfig {
  @ApiProperty({
    description: 'The key of an API integration.',
    example: '00000000-0000-0000-0000-000000000000',
    format: 'password',
    maxLength: 200,
  })
  @field.Required(field.text({ max: 200, pattern: /^[\x21-\x7e]+$/, form: 'an integration key without spaces' }))
  @field.Secret()
  api_key!: string;

  @ApiPropertyOptional({
    description:
      '`us` and `eu` are Opsgenie, which shuts down on 2027-04-05. `jsm` is its successor in Jira Service Management.',
    example: 'jsm',
    default: 'us',
    enum: REGIONS,
  })
  @field.Optional(field.oneOf(REGIONS))
  region?: keyof typeof API_URLS;

  @ApiPropertyOptional({
    title: 'API server',
    description: 'The base URL of a compatible server, used instead of the region. The service appends `/v2/alerts`.',
    example: API_URLS.us,
    format: 'uri',
    maxLength: 2048,
  })
  @field.Optional(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  api_url?: string;

  @ApiPropertyOptional({ description: 'The priority of the alert.', example: 'P1', default: 'P3', enum: PRIORITIES })
  @field.Optional(field.oneOf(PRIORITIES))
  priority?: (typeof PRIORITIES)[number];

  @ApiPropertyOptional({
    description: 'The tags of the alert, at most 20.',
    example: ['uptime'],
    type: [String],
    maxItems: 20,
  })
  @field.Optional(field.list(field.text({ max: 50 }), 20))
  tags?: string[];

  @ApiPropertyOptional({
    description: 'The responders, at most 50.',
    example: [{ type: 'team', name: 'Operations' }],
    type: [OpsgenieResponder],
    maxItems: 50,
  })
  @field.Optional(
    field.list(
      field.object(() => OpsgenieResponder),
      50,
    ),
  )
  @field.Nested(() => OpsgenieResponder)
  responders?: OpsgenieResponder[];
}

/**
 * Sends to Opsgenie or its successor in Jira Service Management. The alias connects a close request to its alert and
 * makes repeats harmless.
 */
@Channel('opsgenie')
@Injectable()
export class OpsgenieChannel implements Channel<OpsgenieConfig> {
  readonly audience = 'pager';
  readonly acknowledges = true;
  readonly configClass = OpsgenieConfig;

  constructor(private readonly provider: ProviderClient) {}

  complete(config: OpsgenieConfig): OpsgenieConfig | ConfigProblem[] {
    const nameless = (config.responders ?? []).findIndex(({ id, name, username }) => !(id ?? name ?? username));
    if (nameless === -1) return config;
    return [{ key: `responders/${nameless}`, code: 'required', message: 'needs an id, a name or a username' }];
  }

  destination(config: OpsgenieConfig): string[] {
    return [apiUrl(config), config.api_key];
  }

  send(request: SendRequest<OpsgenieConfig>): Promise<SendOutcome> {
    const { path, body } = opsgenieCall(request);
    return this.provider.send(
      request,
      {
        provider: 'Opsgenie',
        url: apiUrl(request.config) + path,
        headers: { authorization: `GenieKey ${request.config.api_key}` },
        body: JSON.stringify(body),
      },
      (response) => ({
        delivered: isTaken(apiUrl(request.config), PROMISED, response),
        detail: response.json['message'],
      }),
    );
  }
}

/**
 * Returns the call that creates, acknowledges, or closes the alert with the alias. A test has a separate alias, so that
 * it never closes a real alert.
 */
function opsgenieCall({ notification, text, config }: SendRequest<OpsgenieConfig>): { path: string; body: object } {
  const { kind, alert, contact, endpoint, website, error, incidentId } = notification;
  const alias = cut(kind === 'test' ? `test-${contact?.id ?? alert.id}` : notification.incidentKey, MAX_ALIAS, '');
  const note = cut([text.sentence, text.linkLines].filter(Boolean).join('\n'), MAX_DESCRIPTION);
  const { paging } = MESSAGE_KINDS[kind];
  if (paging === 'resolve')
    return {
      path: `/v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`,
      body: { source: 'Uptime monitor', note },
    };
  if (paging === 'acknowledge')
    return {
      path: `/v2/alerts/${encodeURIComponent(alias)}/acknowledge?identifierType=alias`,
      body: { source: 'Uptime monitor', note },
    };
  return {
    path: '/v2/alerts',
    body: {
      message: cut(text.sentence, MAX_MESSAGE),
      alias,
      description: text.plain(MAX_DESCRIPTION),
      ...(contact ? {} : { entity: cut(oneLine(endpoint.name), MAX_ENTITY) }),
      source: 'Uptime monitor',
      priority: kind === 'test' ? 'P5' : (config.priority ?? 'P3'),
      ...(config.tags === undefined ? {} : { tags: config.tags }),
      ...(config.responders === undefined ? {} : { responders: config.responders }),
      details: {
        ...(contact
          ? { contact_id: contact.id }
          : { alert_id: alert.id, endpoint_id: endpoint.id, website_id: website.id }),
        ...(error ? { error_code: error.code } : {}),
        ...(incidentId === undefined ? {} : { incident_id: incidentId }),
      },
    },
  };
}

const apiUrl = (config: OpsgenieConfig): string =>
  (config.api_url ?? API_URLS[config.region ?? 'us']).replace(/(?<!\/)\/+$/, '');
