import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { errorText } from '../template/success-rule';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

const API_URL = 'https://alert.victorops.com';

export class SplunkOnCallConfig {
  @ApiProperty({
    description: 'The key of the REST endpoint integration: the part of its URL before the routing key.',
    example: '00000000-0000-0000-0000-000000000000',
    format: 'password',
    maxLength: 100,
  })
  @field.Required(field.text({ max: 100, pattern: /^[A-Za-z0-9-]+$/, form: 'the key of the integration' }))
  @field.Secret()
  api_key!: string;

  @ApiProperty({
    description: 'The routing key, which decides about the team that is paged.',
    example: 'operations',
    maxLength: 100,
  })
  @field.Required(field.text({ max: 100, pattern: /^[A-Za-z0-9_.-]+$/, form: 'a routing key' }))
  @field.Addressee()
  routing_key!: string;

  @ApiPropertyOptional({
    title: 'API server',
    description: 'The base URL of a compatible server.',
    example: API_URL,
    default: API_URL,
    format: 'uri',
    maxLength: 2048,
  })
  @field.Optional(field.httpUrl())
  @field.Dialed()
  api_url?: string;
}

/**
 * Splunk On-Call, formerly VictorOps, by its REST endpoint
 * (https://help.splunk.com/en/splunk-enterprise/alert-and-respond/splunk-on-call/integrations-with-splunk-on-call/rest-endpoint-integration-for-splunk-on-call).
 * `entity_id` connects the recovery to its incident. Fields:
 * https://help.victorops.com/knowledge-base/incident-fields-glossary/.
 */
@Channel('splunk_oncall')
@Injectable()
export class SplunkOnCallChannel extends DeclaredChannel<SplunkOnCallConfig> {
  readonly audience = 'pager';
  readonly acknowledges = true;
  readonly configClass = SplunkOnCallConfig;
  protected readonly service = 'Splunk On-Call';
  protected readonly limits = { title: 200, text: 20_000 };

  destination({ api_url = API_URL, api_key, routing_key }: SplunkOnCallConfig): string[] {
    return [api_url, api_key, routing_key];
  }

  protected request({ api_url = API_URL, api_key, routing_key }: SplunkOnCallConfig): DeclaredRequest {
    return {
      url: `${withoutSlash(api_url)}/integrations/generic/20131114/alert/${api_key}/${routing_key}`,
      body: {
        message_type: {
          $switch: 'paging',
          resolve: 'RECOVERY',
          acknowledge: 'ACKNOWLEDGEMENT',
          default: { $switch: 'state', down: 'CRITICAL', degraded: 'WARNING', default: 'INFO' },
        },
        entity_id: '{{key}}',
        entity_display_name: '{{title}}',
        state_message: '{{text}}',
        state_start_time: '{{started_unix_time}}',
        timestamp: '{{unix_time}}',
        monitoring_tool: 'Uptime monitor',
        alert_url: '{{page_url}}',
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    return { delivered: status === 200 && json['result'] === 'success', detail: errorText(json) };
  }
}
