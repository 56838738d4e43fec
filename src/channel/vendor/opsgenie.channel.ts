import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
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
import { Dialed, NestedConfig, Secret } from '../config/config-decorators';
import { httpUrl, list, oneOf, OptionalRule, Rule, text } from '../config/config-rules';
import { destinationKey } from '../destination-key';
import { detailsText, notificationText } from '../notification-text';
import { ProviderClient } from '../provider-client';
import { cut, oneLine } from '../text-limits';

const API_URLS = {
  us: 'https://api.opsgenie.com',
  eu: 'https://api.eu.opsgenie.com',
  jsm: 'https://api.atlassian.com/jsm/ops/integration',
} as const;
const REGIONS = ['us', 'eu', 'jsm'] as const;
const PRIORITIES = ['P1', 'P2', 'P3', 'P4', 'P5'] as const;
const RESPONDER_TYPES = ['team', 'user', 'escalation', 'schedule'] as const;
const MAX_MESSAGE = 130;
const MAX_ALIAS = 512;
const MAX_DESCRIPTION = 15_000;
const MAX_ENTITY = 512;

export class OpsgenieResponder {
  @ApiProperty({ description: 'Kind of responder.', example: 'team', enum: RESPONDER_TYPES })
  @Rule(oneOf(RESPONDER_TYPES))
  type!: (typeof RESPONDER_TYPES)[number];

  @ApiPropertyOptional({ description: 'Id of the responder.', example: '4513b7ea-3b91-438f-b7e4-e3e54af9147c' })
  @OptionalRule(text({ max: 100 }))
  id?: string;

  @ApiPropertyOptional({ description: 'Name of a team, escalation or schedule.', example: 'Operations' })
  @OptionalRule(text({ max: 200 }))
  name?: string;

  @ApiPropertyOptional({ description: 'User name of a user.', example: 'ops@example.com' })
  @OptionalRule(text({ max: 254 }))
  username?: string;
}

export class OpsgenieConfig {
  @ApiProperty({
    description: 'Key of an API integration.',
    example: '00000000-0000-0000-0000-000000000000',
    format: 'password',
    maxLength: 200,
  })
  @Rule(text({ max: 200, pattern: /^[\x21-\x7e]+$/, form: 'an integration key without spaces' }))
  @Secret()
  api_key!: string;

  @ApiPropertyOptional({
    description:
      '`us` and `eu` are Opsgenie, which ends on 2027-04-05; `jsm` is its successor in Jira Service Management.',
    example: 'jsm',
    default: 'us',
    enum: REGIONS,
  })
  @OptionalRule(oneOf(REGIONS))
  region?: keyof typeof API_URLS;

  @ApiPropertyOptional({
    description: 'Base URL of a compatible server, instead of the region; `/v2/alerts` is added.',
    example: API_URLS.us,
    format: 'uri',
    maxLength: 2048,
  })
  @OptionalRule(httpUrl())
  @Dialed()
  api_url?: string;

  @ApiPropertyOptional({ description: 'Priority of the alert.', example: 'P1', default: 'P3', enum: PRIORITIES })
  @OptionalRule(oneOf(PRIORITIES))
  priority?: (typeof PRIORITIES)[number];

  @ApiPropertyOptional({ description: 'Tags, at most 20.', example: ['uptime'], type: [String], maxItems: 20 })
  @OptionalRule(list(text({ max: 50 }), 20))
  tags?: string[];

  @ApiPropertyOptional({
    description: 'Who is to respond, at most 50.',
    example: [{ type: 'team', name: 'Operations' }],
    type: [OpsgenieResponder],
    maxItems: 50,
  })
  @OptionalRule(
    list(
      nestedObject(() => OpsgenieResponder),
      50,
    ),
  )
  @NestedConfig(() => OpsgenieResponder)
  responders?: OpsgenieResponder[];
}

/** Opsgenie and its successor in Jira Service Management: the alias ties a close to its alert and makes repeats harmless. */
@Channel('opsgenie')
@Injectable()
export class OpsgenieChannel implements Channel<OpsgenieConfig> {
  readonly audience: ChannelAudience = 'pager';
  readonly configClass = OpsgenieConfig;

  constructor(private readonly provider: ProviderClient) {}

  complete(config: OpsgenieConfig): OpsgenieConfig | ConfigProblem[] {
    const nameless = (config.responders ?? []).findIndex(({ id, name, username }) => !(id ?? name ?? username));
    if (nameless === -1) return config;
    return [{ key: `responders/${nameless}`, code: 'required', message: 'needs an id, a name or a username' }];
  }

  destination(config: OpsgenieConfig): string {
    return destinationKey('opsgenie', apiUrl(config), config.api_key);
  }

  async send(notice: Notification, config: OpsgenieConfig, context: SendContext): Promise<SendOutcome> {
    const request = opsgenieRequest(notice, config);
    return this.provider.send(
      {
        provider: 'Opsgenie',
        url: apiUrl(config) + request.path,
        headers: { authorization: `GenieKey ${config.api_key}` },
        body: JSON.stringify(request.body),
        hidden: hiddenValues(OpsgenieConfig, config),
      },
      context,
      ({ status, json }) => ({ delivered: status === 202, detail: json['message'] }),
    );
  }
}

/** Opens the alert, or closes it by the same alias. A test has an alias of its own, so that it closes nothing real. */
export function opsgenieRequest(notice: Notification, config: OpsgenieConfig): { path: string; body: object } {
  const words = notificationText(notice);
  const alias = cut(notice.kind === 'test' ? `test-${notice.alert.id}` : notice.incidentKey, MAX_ALIAS, '');
  if (notice.kind === 'resolved' || notice.kind === 'recovered')
    return {
      path: `/v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`,
      body: { source: 'Uptime monitor', note: cut(words.sentence, MAX_DESCRIPTION) },
    };
  return {
    path: '/v2/alerts',
    body: {
      message: cut(words.sentence, MAX_MESSAGE),
      alias,
      description: cut(`${words.sentence}\n${detailsText(words)}`, MAX_DESCRIPTION),
      entity: cut(oneLine(notice.endpoint.name), MAX_ENTITY),
      source: 'Uptime monitor',
      priority: notice.kind === 'test' ? 'P5' : (config.priority ?? 'P3'),
      ...(config.tags === undefined ? {} : { tags: config.tags }),
      ...(config.responders === undefined ? {} : { responders: config.responders }),
      details: {
        alert_id: notice.alert.id,
        endpoint_id: notice.endpoint.id,
        website_id: notice.website.id,
        ...(notice.error ? { error_code: notice.error.code } : {}),
      },
    },
  };
}

const apiUrl = (config: OpsgenieConfig): string =>
  (config.api_url ?? API_URLS[config.region ?? 'us']).replace(/\/+$/, '');
