import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel, type ConfigProblem } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { cut } from '../../platform/text/text-limits';
import { DAY_MS, MINUTE_MS } from '../../platform/time/time-units';
import { basicCredentials, credentialsProblems } from './credentials';
import { type DeclaredValues, DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

const MAX_LABELS = 20;
/** Labels that identify the alert. */
const OWN = ['alertname', 'severity', 'incident_key'];
/** After this time without a resolve, Alertmanager closes the alert. */
const OPEN_FOR_MS = 30 * DAY_MS;
const TEST_FOR_MS = 5 * MINUTE_MS;

export class AlertmanagerLabel {
  @ApiProperty({ description: 'The name of the label.', example: 'team', maxLength: 100 })
  @field.Required(
    field.text({
      max: 100,
      pattern: /^[a-zA-Z_][a-zA-Z0-9_]*$/,
      accepts: (name) => !OWN.includes(name),
      form: `a name of letters, digits and _, but not ${OWN.join(', ')}`,
    }),
  )
  name!: string;

  @ApiProperty({ description: 'The value of the label.', example: 'operations', maxLength: 200 })
  @field.Required(field.text({ max: 200 }))
  value!: string;
}

export class AlertmanagerConfig {
  @ApiProperty({
    title: 'Server',
    description: 'The URL of Alertmanager, with its path prefix if it has one.',
    example: 'http://alertmanager.example.com:9093',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  server_url!: string;

  @ApiPropertyOptional({
    description: 'The value of the label `severity`.',
    example: 'critical',
    default: 'critical',
    maxLength: 50,
  })
  @field.Optional(field.text({ max: 50 }))
  severity?: string;

  @ApiPropertyOptional({
    description: `More labels for routes, at most ${MAX_LABELS}.`,
    example: [{ name: 'team', value: 'operations' }],
    type: [AlertmanagerLabel],
    maxItems: MAX_LABELS,
  })
  @field.Optional(
    field.list(
      field.object(() => AlertmanagerLabel),
      MAX_LABELS,
    ),
  )
  @field.Nested(() => AlertmanagerLabel)
  labels?: AlertmanagerLabel[];

  @ApiPropertyOptional({ description: 'The user name, if the server asks for one.', example: 'uptime', maxLength: 100 })
  @field.Optional(field.text({ max: 100 }))
  username?: string;

  @ApiPropertyOptional({
    description: 'The password of the user.',
    example: 'correct horse battery',
    format: 'password',
    maxLength: 200,
  })
  @field.Optional(field.text({ max: 200 }))
  @field.Secret()
  password?: string;

  @ApiPropertyOptional({
    title: 'Bearer token',
    description: 'Instead of a user name and password: a bearer token.',
    example: 'XXXXXXXXXXXXXXXX',
    format: 'password',
    maxLength: 1000,
  })
  @field.Optional(field.text({ max: 1000, pattern: /^[\x21-\x7e]+$/, form: 'a token' }))
  @field.Secret()
  access_token?: string;
}

/**
 * Alertmanager's v2 API (https://prometheus.io/docs/alerting/latest/alerts_api/). The labels identify an alert, so they
 * contain nothing that can change until the resolve. An alert without an end would be closed after `resolve_timeout`, so
 * a trigger ends far in the future, and a resolve ends now.
 */
@Channel('alertmanager')
@Injectable()
export class AlertmanagerChannel extends DeclaredChannel<AlertmanagerConfig> {
  readonly audience = 'pager';
  readonly configClass = AlertmanagerConfig;
  protected readonly service = 'Alertmanager';
  protected readonly limits = { message: 1000, text: 10_000 };
  protected override readonly defaults = { severity: 'critical' };

  complete(config: AlertmanagerConfig): AlertmanagerConfig | ConfigProblem[] {
    return credentialsProblems(config) ?? config;
  }

  destination({ server_url, username = '', labels = [] }: AlertmanagerConfig): string[] {
    return [server_url, username, JSON.stringify(labels)];
  }

  protected request(config: AlertmanagerConfig, values: DeclaredValues): DeclaredRequest {
    const { headers, hidden } = basicCredentials(config.username, config.password);
    const at = Date.parse(values.timestamp);
    const openFor = values.kind === 'test' ? TEST_FOR_MS : OPEN_FOR_MS;
    return {
      url: `${withoutSlash(config.server_url)}/api/v2/alerts`,
      headers: config.access_token === undefined ? headers : { authorization: `Bearer ${config.access_token}` },
      hidden,
      values: {
        labels: {
          ...Object.fromEntries((config.labels ?? []).map(({ name, value }) => [name, value])),
          alertname: values.kind === 'test' ? 'UptimeMonitorTest' : 'EndpointDown',
          severity: config.severity,
          incident_key: cut(values.key, 200, ''),
        },
        ends_at: new Date(values.paging === 'resolve' ? at : at + openFor).toISOString(),
      },
      body: [
        {
          labels: '{{labels}}',
          annotations: { summary: '{{message}}', description: '{{text}}' },
          startsAt: '{{started_at}}',
          endsAt: '{{ends_at}}',
          generatorURL: '{{page_url}}',
        },
      ],
    };
  }

  protected override read({ status, body, json }: ProviderResponse): Reading {
    return { delivered: status === 200, detail: json['message'] ?? body };
  }
}
