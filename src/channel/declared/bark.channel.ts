import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

const SERVER = 'https://api.day.app';
const LEVELS = ['active', 'timeSensitive', 'critical'] as const;

export class BarkConfig {
  @ApiPropertyOptional({
    title: 'Server',
    description: 'The URL of the Bark server.',
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
    description: 'The key that the app shows.',
    example: 'ynJ5Ft4atkMkWeo2PAvFhF',
    format: 'password',
    maxLength: 100,
  })
  @field.Required(field.text({ max: 100, pattern: /^[A-Za-z0-9_-]+$/, form: 'the key of a device' }))
  @field.Secret()
  device_key!: string;

  @ApiPropertyOptional({ description: 'The sound of an outage.', example: 'alarm', maxLength: 50 })
  @field.Optional(field.text({ max: 50, pattern: /^[A-Za-z0-9_]+$/, form: 'the name of a sound' }))
  sound?: string;

  @ApiPropertyOptional({
    description: 'How an outage interrupts: `critical` makes a sound even if the phone is muted.',
    example: 'critical',
    default: 'timeSensitive',
    enum: LEVELS,
  })
  @field.Optional(field.oneOf(LEVELS))
  level?: (typeof LEVELS)[number];
}

/**
 * Bark (https://bark.day.app/#/en-us/tutorial). A push to an iPhone has at most 4 KB in all. `id` is the outage's key,
 * so the recovery replaces the message about the outage. The status is in `code` of the body.
 */
@Channel('bark')
@Injectable()
export class BarkChannel extends DeclaredChannel<BarkConfig> {
  readonly audience = 'chat';
  readonly configClass = BarkConfig;
  protected readonly service = 'Bark';
  protected readonly limits = { title: 100, text: 2500, unit: 'bytes' } as const;
  protected override readonly defaults = { level: 'timeSensitive' } as const;

  destination({ server_url = SERVER, device_key }: BarkConfig): string[] {
    return [server_url, device_key];
  }

  protected request({ server_url = SERVER }: BarkConfig): DeclaredRequest {
    return {
      url: `${withoutSlash(server_url)}/push`,
      body: {
        device_key: '{{config.device_key}}',
        id: '{{key}}',
        title: '{{title}}',
        body: '{{text}}',
        group: 'Uptime monitor',
        url: '{{page_url}}',
        level: { $switch: 'state', down: '{{config.level}}', degraded: '{{config.level}}', default: 'active' },
        sound: { $switch: 'state', down: '{{config.sound}}', degraded: '{{config.sound}}', default: '' },
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    const { code, message } = json;
    const isOk = status >= 200 && status < 300;
    return {
      delivered: isOk && code === 200,
      ...(isOk && typeof code === 'number' && code !== 200 ? { status: code } : {}),
      detail: message,
    };
  }
}
