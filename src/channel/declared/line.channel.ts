import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { type DeclaredValues, DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

const API_URL = 'https://api.line.me';

export class LineConfig {
  @ApiProperty({
    description: 'The access token of a channel of the Messaging API.',
    example: 'XXXXXXXXXXXXXXXXXXXXXXXX',
    format: 'password',
    maxLength: 500,
  })
  @field.Required(field.text({ max: 500, pattern: /^[\x21-\x7e]+$/, form: 'an access token' }))
  @field.Secret()
  channel_access_token!: string;

  @ApiProperty({
    title: 'Recipient',
    description: 'The ID of a user, a group, or a room.',
    example: 'U4af4980629XXXXXXXXXXXXXXXXXXXXXX',
    maxLength: 64,
  })
  @field.Required(
    field.text({ max: 64, pattern: /^[UCR][0-9A-Za-z]{8,63}$/, form: 'an ID that starts with U, C or R' }),
  )
  @field.Confidential()
  @field.Addressee()
  to!: string;

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
 * LINE's Messaging API (https://developers.line.biz/en/reference/messaging-api/#send-push-message): 5,000 characters,
 * and a retry key, which is derived from the notification. A repeat is answered with 409 and not shown again
 * (https://developers.line.biz/en/docs/messaging-api/retrying-api-request/).
 */
@Channel('line')
@Injectable()
export class LineChannel extends DeclaredChannel<LineConfig> {
  readonly audience = 'chat';
  readonly configClass = LineConfig;
  protected readonly service = 'LINE';
  protected readonly limits = { text: 5000 };

  destination({ api_url = API_URL, channel_access_token, to }: LineConfig): string[] {
    return [api_url, channel_access_token, to];
  }

  protected request({ api_url = API_URL, channel_access_token }: LineConfig, { id }: DeclaredValues): DeclaredRequest {
    return {
      url: `${withoutSlash(api_url)}/v2/bot/message/push`,
      headers: { authorization: `Bearer ${channel_access_token}`, 'x-line-retry-key': uuidOf(id) },
      body: {
        to: '{{config.to}}',
        messages: [{ type: 'text', text: '{{text}}' }],
        notificationDisabled: { $switch: 'state', up: true, default: false },
      },
    };
  }

  protected override read({ status, headers, json }: ProviderResponse): Reading {
    const isRepeat = status === 409 && headers['x-line-accepted-request-id'] !== undefined;
    return { delivered: status === 200 || isRepeat, detail: json['message'] };
  }
}

/** Returns a UUID that is always the same for an ID. */
function uuidOf(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
