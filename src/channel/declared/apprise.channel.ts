import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel, type ConfigProblem } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { errorText } from '../template/success-rule';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

export class AppriseConfig {
  @ApiProperty({
    title: 'Server',
    description: 'The URL of Apprise API.',
    example: 'http://apprise.example.com:8000',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  server_url!: string;

  @ApiPropertyOptional({
    title: 'Key of a stored configuration',
    description: 'The key of a configuration that the server stores. Set either this or `urls`.',
    example: 'operations',
    format: 'password',
    maxLength: 128,
  })
  @field.Optional(field.text({ max: 128, pattern: /^[A-Za-z0-9_-]+$/, form: 'letters, digits, _ and -' }))
  @field.Secret()
  config_key?: string;

  @ApiPropertyOptional({
    title: 'Apprise URLs',
    description: 'Instead of `config_key`: the services to notify, as Apprise URLs separated by commas.',
    example: 'tgram://bottoken/ChatID',
    format: 'password',
    maxLength: 2048,
  })
  @field.Optional(field.text({ max: 2048 }))
  @field.Secret()
  urls?: string;

  @ApiPropertyOptional({
    title: 'Tag',
    description: 'Only the services with this tag.',
    example: 'oncall',
    maxLength: 100,
  })
  @field.Optional(field.text({ max: 100, pattern: /^[A-Za-z0-9_, -]+$/, form: 'a tag' }))
  @field.Addressee()
  tag?: string;
}

/**
 * Apprise API (https://github.com/caronc/apprise-api#api-details). 200 means that all services were notified, 204 that
 * there are none, and 424 that at least one failed. Apprise cuts texts for each service. There is no idempotency key.
 */
@Channel('apprise')
@Injectable()
export class AppriseChannel extends DeclaredChannel<AppriseConfig> {
  readonly audience = 'chat';
  readonly configClass = AppriseConfig;
  protected readonly service = 'Apprise';
  protected readonly limits = { title: 250, text: 10_000 };

  complete(config: AppriseConfig): AppriseConfig | ConfigProblem[] {
    const { config_key, urls } = config;
    if (config_key === undefined && urls === undefined)
      return [{ key: 'config_key', code: 'required', message: 'is required, unless you set urls' }];
    if (config_key !== undefined && urls !== undefined)
      return [{ key: 'urls', code: 'invalid_config', message: 'cannot be combined with config_key' }];
    return config;
  }

  destination({ server_url, config_key = '', urls = '', tag = '' }: AppriseConfig): string[] {
    return [server_url, config_key, urls, tag];
  }

  protected request({ server_url, config_key }: AppriseConfig): DeclaredRequest {
    const notify = `${withoutSlash(server_url)}/notify`;
    return {
      url: config_key === undefined ? notify : `${notify}/${config_key}`,
      body: {
        urls: '{{config.urls}}',
        tag: '{{config.tag}}',
        title: '{{title}}',
        body: '{{text}}',
        type: { $switch: 'state', down: 'failure', degraded: 'warning', up: 'success', default: 'info' },
        format: 'text',
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    if (status === 204) return { delivered: false, detail: 'no service is configured for this key or tag' };
    return { delivered: status === 200, detail: errorText(json) };
  }
}
