import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { basicCredentials } from './credentials';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';
import { escapedMarkdown } from './markup';

export class ZulipConfig {
  @ApiProperty({
    title: 'Server',
    description: 'The URL of the organization.',
    example: 'https://example.zulipchat.com',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  site!: string;

  @ApiProperty({ description: 'The email address of the bot.', example: 'uptime-bot@example.zulipchat.com' })
  @field.Required(field.mailAddress)
  @field.ConfidentialAddress()
  bot_email!: string;

  @ApiProperty({
    description: 'The API key of the bot.',
    example: 'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
    format: 'password',
    maxLength: 200,
  })
  @field.Required(field.text({ max: 200, pattern: /^[\x21-\x7e]+$/, form: 'an API key' }))
  @field.Secret()
  api_key!: string;

  @ApiProperty({ description: 'The name of the channel.', example: 'operations', maxLength: 60 })
  @field.Required(field.text({ max: 60 }))
  @field.Addressee()
  channel!: string;

  @ApiPropertyOptional({ description: 'The topic.', example: 'Uptime', default: 'Uptime', maxLength: 60 })
  @field.Optional(field.text({ max: 60 }))
  topic?: string;
}

/**
 * Zulip (https://zulip.com/api/send-message): a topic of 60 characters, a message of 10,000, and 200 requests per
 * minute. Answered with `{"result": "success"}`. There is no idempotency key.
 */
@Channel('zulip')
@Injectable()
export class ZulipChannel extends DeclaredChannel<ZulipConfig> {
  readonly audience = 'chat';
  readonly configClass = ZulipConfig;
  protected readonly service = 'Zulip';
  protected readonly limits = { text: 9000 };
  protected override readonly defaults = { topic: 'Uptime' };

  destination({ site, channel, topic = 'Uptime' }: ZulipConfig): string[] {
    return [site, channel, topic];
  }

  /** Mentions start with `@**` or `@_**`, and Markdown is escaped. */
  protected override escape(text: string): string {
    return escapedMarkdown(text.replaceAll('@', '@\u2060'));
  }

  protected request({ site, bot_email, api_key }: ZulipConfig): DeclaredRequest {
    return {
      url: `${withoutSlash(site)}/api/v1/messages`,
      ...basicCredentials(bot_email, api_key),
      encoding: 'form',
      body: { type: 'stream', to: '{{config.channel}}', topic: '{{config.topic}}', content: '{{text}}' },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    return {
      delivered: status === 200 && json['result'] === 'success',
      detail: json['msg'],
      retryAfterSeconds: json['retry-after'],
    };
  }
}
