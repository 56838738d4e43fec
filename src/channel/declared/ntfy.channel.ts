import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel, type ConfigProblem } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';
import { basicCredentials, credentialsProblems } from './credentials';
import { errorText } from '../template/success-rule';
import type { Reading } from '../send-outcome';

const SERVER = 'https://ntfy.sh';

export class NtfyConfig {
  @ApiPropertyOptional({
    title: 'Server',
    description: 'The URL of the ntfy server.',
    example: SERVER,
    default: SERVER,
    format: 'uri',
    maxLength: 2048,
  })
  @field.Optional(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  server_url?: string;

  @ApiProperty({
    description: 'The topic. On a public server, anyone who knows it can read the messages.',
    example: 'uptime-4f9c2b',
    pattern: '^[-_A-Za-z0-9]{1,64}$',
  })
  @field.Required(field.text({ max: 64, pattern: /^[-_A-Za-z0-9]{1,64}$/, form: 'letters, digits, _ and -' }))
  @field.Confidential()
  @field.Addressee()
  topic!: string;

  @ApiPropertyOptional({
    description: 'An access token for a protected topic.',
    example: 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2',
    format: 'password',
    maxLength: 200,
  })
  @field.Optional(field.text({ max: 200, pattern: /^[\x21-\x7e]+$/, form: 'an access token' }))
  @field.Secret()
  access_token?: string;

  @ApiPropertyOptional({ description: 'Instead of a token: the user name.', example: 'uptime', maxLength: 100 })
  @field.Optional(field.text({ max: 100 }))
  username?: string;

  @ApiPropertyOptional({
    description: 'Instead of a token: the password of the user.',
    example: 'correct horse battery',
    format: 'password',
    maxLength: 200,
  })
  @field.Optional(field.text({ max: 200 }))
  @field.Secret()
  password?: string;

  @ApiPropertyOptional({
    description: 'The priority of an outage, from 1 (lowest) to 5 (urgent). A recovery has 3.',
    example: 5,
    default: 4,
    type: 'integer',
    minimum: 1,
    maximum: 5,
  })
  @field.Optional(field.integer(1, 5))
  priority?: number;
}

/**
 * ntfy, as JSON (https://docs.ntfy.sh/publish/#publish-as-json). A message has at most 4,096 bytes, longer ones become
 * attachments (https://docs.ntfy.sh/publish/#limitations). There is no idempotency key, so a repeat says so in its text.
 */
@Channel('ntfy')
@Injectable()
export class NtfyChannel extends DeclaredChannel<NtfyConfig> {
  readonly audience = 'chat';
  readonly configClass = NtfyConfig;
  protected readonly service = 'ntfy';
  protected readonly limits = { title: 250, text: 4000, unit: 'bytes' } as const;
  protected override readonly defaults = { server_url: SERVER, priority: 4 };

  complete(config: NtfyConfig): NtfyConfig | ConfigProblem[] {
    return credentialsProblems(config) ?? config;
  }

  destination({ server_url = SERVER, topic }: NtfyConfig): string[] {
    return [server_url, topic];
  }

  protected request(config: NtfyConfig): DeclaredRequest {
    const { headers, hidden } = basicCredentials(config.username, config.password);
    return {
      url: withoutSlash(config.server_url ?? SERVER),
      headers: config.access_token === undefined ? headers : { authorization: `Bearer ${config.access_token}` },
      hidden,
      body: {
        topic: '{{config.topic}}',
        title: '{{title}}',
        message: '{{text}}',
        priority: { $switch: 'state', down: '{{config.priority}}', degraded: '{{config.priority}}', default: 3 },
        tags: [
          {
            $switch: 'state',
            down: 'red_circle',
            degraded: 'warning',
            up: 'green_circle',
            default: 'information_source',
          },
        ],
        click: '{{page_url}}',
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    return { delivered: status === 200 && typeof json['id'] === 'string', detail: errorText(json) };
  }
}
