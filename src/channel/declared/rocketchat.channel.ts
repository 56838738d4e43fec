import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import { withoutMentions } from '../mentions';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { errorText } from '../template/success-rule';
import { DeclaredChannel, type DeclaredRequest } from './declared-channel';
import { escapedMarkdown, STATE_COLOR } from './markup';

export class RocketChatConfig {
  @ApiProperty({
    description: 'The URL of an incoming integration.',
    example: 'https://chat.example.com/hooks/XXXX/XXXX',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.ConfidentialAddress()
  @field.Dialed()
  @field.Addressee()
  webhook_url!: string;

  @ApiPropertyOptional({
    description: 'Another room than the one of the integration: `#channel` or `@user`.',
    example: '#operations',
    maxLength: 100,
  })
  @field.Optional(field.text({ max: 100, pattern: /^[#@]\S+$/, form: '#channel or @user' }))
  @field.Addressee()
  channel?: string;

  @ApiPropertyOptional({ title: 'Post as', description: 'The name to post under.', example: 'Uptime', maxLength: 80 })
  @field.Optional(field.text({ max: 80 }))
  alias?: string;
}

/**
 * Incoming integrations of Rocket.Chat (https://docs.rocket.chat/docs/create-a-new-incoming-webhook), answered with
 * `{"success": true}`. A message has at most 5,000 characters by default. There is no idempotency key.
 */
@Channel('rocketchat')
@Injectable()
export class RocketChatChannel extends DeclaredChannel<RocketChatConfig> {
  readonly audience = 'chat';
  readonly configClass = RocketChatConfig;
  protected readonly service = 'Rocket.Chat';
  protected readonly limits = { title: 400, message: 1000, text: 3500 };

  destination({ webhook_url, channel = '' }: RocketChatConfig): string[] {
    return [webhook_url, channel];
  }

  protected override escape(text: string): string {
    return escapedMarkdown(withoutMentions(text));
  }

  protected request({ webhook_url }: RocketChatConfig): DeclaredRequest {
    return {
      url: webhook_url,
      body: {
        channel: '{{config.channel}}',
        alias: '{{config.alias}}',
        text: '{{message}}',
        attachments: [
          {
            color: STATE_COLOR,
            title: '{{title}}',
            title_link: '{{page_url}}',
            text: '{{text}}',
          },
        ],
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    return { delivered: status === 200 && json['success'] === true, detail: errorText(json) };
  }
}
