import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { isRecord } from '../../platform/text/json';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

const API_URL = 'https://api.pushbullet.com';

export class PushbulletConfig {
  @ApiProperty({
    description: 'An access token of the account.',
    example: 'o.XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
    format: 'password',
    maxLength: 200,
  })
  @field.Required(field.text({ max: 200, pattern: /^[\x21-\x7e]+$/, form: 'an access token' }))
  @field.Secret()
  access_token!: string;

  @ApiPropertyOptional({
    title: 'Device',
    description: 'The ID of one device. If unset, all devices of the account.',
    example: 'ujpah72o0sjAoRtnM0jc',
    maxLength: 100,
  })
  @field.Optional(field.text({ max: 100, pattern: /^[A-Za-z0-9]+$/, form: 'the ID of a device' }))
  device_iden?: string;

  @ApiPropertyOptional({
    title: 'Channel',
    description: 'The tag of a channel, whose subscribers receive the messages.',
    example: 'operations',
    maxLength: 100,
  })
  @field.Optional(field.text({ max: 100, pattern: /^[A-Za-z0-9_-]+$/, form: 'the tag of a channel' }))
  @field.Addressee()
  channel_tag?: string;

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
 * Pushbullet (https://docs.pushbullet.com/#create-push). `guid` is an idempotency key: a second push with the same one
 * is not shown. Limits are per account and reported by 429.
 */
@Channel('pushbullet')
@Injectable()
export class PushbulletChannel extends DeclaredChannel<PushbulletConfig> {
  readonly audience = 'chat';
  readonly configClass = PushbulletConfig;
  protected readonly service = 'Pushbullet';
  protected readonly limits = { title: 250, text: 4000 };

  destination({ api_url = API_URL, access_token, device_iden = '', channel_tag = '' }: PushbulletConfig): string[] {
    return [api_url, access_token, device_iden, channel_tag];
  }

  protected request({ api_url = API_URL, access_token }: PushbulletConfig): DeclaredRequest {
    return {
      url: `${withoutSlash(api_url)}/v2/pushes`,
      headers: { 'access-token': access_token },
      body: {
        type: { $switch: 'page_url', '': 'note', default: 'link' },
        title: '{{title}}',
        body: '{{text}}',
        url: '{{page_url}}',
        guid: '{{id}}',
        device_iden: '{{config.device_iden}}',
        channel_tag: '{{config.channel_tag}}',
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    const { error } = json;
    return { delivered: status === 200, detail: isRecord(error) ? error['message'] : undefined };
  }
}
