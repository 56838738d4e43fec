import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

export class HomeAssistantConfig {
  @ApiProperty({
    title: 'Server',
    description: 'The URL of Home Assistant.',
    example: 'https://home.example.com:8123',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  server_url!: string;

  @ApiProperty({
    description: 'A long-lived access token of a user.',
    example: 'eyJ0eXAiOiJKV1QiXXXXXXXX',
    format: 'password',
    maxLength: 1000,
  })
  @field.Required(field.text({ max: 1000, pattern: /^[\x21-\x7e]+$/, form: 'an access token' }))
  @field.Secret()
  access_token!: string;

  @ApiPropertyOptional({
    title: 'Notify action',
    description: 'The part of the action after `notify.`, such as `mobile_app_phone`.',
    example: 'mobile_app_phone',
    default: 'notify',
    maxLength: 100,
  })
  @field.Optional(field.text({ max: 100, pattern: /^[a-z0-9_]+$/, form: 'lowercase letters, digits and _' }))
  @field.Addressee()
  service?: string;
}

/**
 * Notify actions of Home Assistant, by its REST API
 * (https://developers.home-assistant.io/docs/api/rest/, `POST /api/services/notify/…`). On phones, the recovery replaces
 * the message about the outage, because both have the same tag
 * (https://companion.home-assistant.io/docs/notifications/notifications-basic#replacing).
 */
@Channel('home_assistant')
@Injectable()
export class HomeAssistantChannel extends DeclaredChannel<HomeAssistantConfig> {
  readonly audience = 'chat';
  readonly configClass = HomeAssistantConfig;
  protected readonly service = 'Home Assistant';
  protected readonly limits = { title: 200, text: 2500, unit: 'bytes' } as const;

  destination({ server_url, access_token, service = 'notify' }: HomeAssistantConfig): string[] {
    return [server_url, access_token, service];
  }

  protected request({ server_url, access_token, service = 'notify' }: HomeAssistantConfig): DeclaredRequest {
    const about = { tag: '{{key}}', url: '{{page_url}}', clickAction: '{{page_url}}' };
    const push = { 'interruption-level': 'time-sensitive' };
    const urgent = { ...about, ttl: 0, priority: 'high', channel: 'Uptime', push };
    return {
      url: `${withoutSlash(server_url)}/api/services/notify/${service}`,
      headers: { authorization: `Bearer ${access_token}` },
      body: {
        title: '{{title}}',
        message: '{{text}}',
        // The action for messages in the dashboard refuses data.
        data:
          service === 'persistent_notification'
            ? ''
            : { $switch: 'state', down: urgent, degraded: urgent, default: { ...about, channel: 'Uptime' } },
      },
    };
  }
}
