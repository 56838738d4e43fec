import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { errorText } from '../template/success-rule';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

export class GotifyConfig {
  @ApiProperty({
    title: 'Server',
    description: 'The URL of the Gotify server.',
    example: 'https://gotify.example.com',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  server_url!: string;

  @ApiProperty({
    description: 'The token of an application, not of a client.',
    example: 'AqUZ7XXXXXXXXXX',
    format: 'password',
    maxLength: 200,
  })
  @field.Required(field.text({ max: 200, pattern: /^[\x21-\x7e]+$/, form: 'an application token' }))
  @field.Secret()
  app_token!: string;

  @ApiPropertyOptional({
    description: 'The priority of an outage, from 0 to 10. From 8, phones make a sound. A recovery has 4.',
    example: 8,
    default: 8,
    type: 'integer',
    minimum: 0,
    maximum: 10,
  })
  @field.Optional(field.integer(0, 10))
  priority?: number;
}

/**
 * Gotify (https://gotify.net/docs/pushmsg, extras: https://gotify.net/docs/msgextras). It has no limit for texts and no
 * idempotency key. A priority of 8 or more makes a sound on phones.
 */
@Channel('gotify')
@Injectable()
export class GotifyChannel extends DeclaredChannel<GotifyConfig> {
  readonly audience = 'chat';
  readonly configClass = GotifyConfig;
  protected readonly service = 'Gotify';
  protected readonly limits = { title: 250, text: 10_000 };
  protected override readonly defaults = { priority: 8 };

  destination({ server_url, app_token }: GotifyConfig): string[] {
    return [server_url, app_token];
  }

  protected request({ server_url, app_token }: GotifyConfig): DeclaredRequest {
    return {
      url: `${withoutSlash(server_url)}/message`,
      headers: { 'x-gotify-key': app_token },
      body: {
        title: '{{title}}',
        message: '{{text}}',
        priority: { $switch: 'state', down: '{{config.priority}}', degraded: '{{config.priority}}', default: 4 },
        extras: {
          'client::display': { contentType: 'text/plain' },
          'client::notification': { click: { url: '{{page_url}}' } },
        },
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    return { delivered: status === 200, detail: json['errorDescription'] ?? errorText(json) };
  }
}
