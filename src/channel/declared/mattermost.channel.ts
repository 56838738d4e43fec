import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import { withoutMentions } from '../mentions';
import type { ProviderResponse } from '../provider-client';
import { reportsFailure } from '../receipt';
import type { Reading } from '../send-outcome';
import { errorText } from '../template/success-rule';
import { DeclaredChannel, type DeclaredRequest } from './declared-channel';
import { escapedMarkdown, STATE_COLOR } from './markup';

export class MattermostConfig {
  @ApiProperty({
    description: 'The URL of an incoming webhook.',
    example: 'https://mattermost.example.com/hooks/xxxxxxxxxxxxxxxxxxxxxxxxxx',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.ConfidentialAddress()
  @field.Dialed()
  @field.Addressee()
  webhook_url!: string;

  @ApiPropertyOptional({
    description: 'Another channel than the one of the webhook, by its name in URLs, or a user as `@name`.',
    example: 'operations',
    maxLength: 64,
  })
  @field.Optional(field.text({ max: 64, pattern: /^@?[a-z0-9._-]+$/, form: 'the name of a channel' }))
  @field.Addressee()
  channel?: string;

  @ApiPropertyOptional({ title: 'Post as', description: 'The name to post under.', example: 'Uptime', maxLength: 22 })
  @field.Optional(field.text({ max: 22 }))
  username?: string;

  @ApiPropertyOptional({
    description: 'A mention above the message when an alert triggers.',
    example: '@channel',
    maxLength: 64,
  })
  @field.Optional(field.text({ max: 64, pattern: /^@[a-z0-9._-]+$/, form: 'a mention such as @channel' }))
  mention?: string;
}

/**
 * Mattermost's incoming webhooks (https://developers.mattermost.com/integrate/webhooks/incoming/), answered with 200 and
 * `ok`. A post has at most 16,383 characters. There is no idempotency key, so a resolve is a second message.
 */
@Channel('mattermost')
@Injectable()
export class MattermostChannel extends DeclaredChannel<MattermostConfig> {
  readonly audience = 'chat';
  readonly configClass = MattermostConfig;
  protected readonly service = 'Mattermost';
  protected readonly limits = { title: 400, message: 1000, text: 8000 };

  destination({ webhook_url, channel = '' }: MattermostConfig): string[] {
    return [webhook_url, channel];
  }

  protected override escape(text: string): string {
    return escapedMarkdown(withoutMentions(text));
  }

  protected request({ webhook_url }: MattermostConfig): DeclaredRequest {
    return {
      url: webhook_url,
      body: {
        channel: '{{config.channel}}',
        username: '{{config.username}}',
        text: { $switch: 'state', down: '{{config.mention}}', degraded: '{{config.mention}}', default: '' },
        attachments: [
          {
            fallback: '{{message}}',
            color: STATE_COLOR,
            title: '{{title}}',
            title_link: '{{page_url}}',
            text: '{{text}}',
          },
        ],
      },
    };
  }

  protected override read(response: ProviderResponse): Reading {
    const { status, json } = response;
    return { delivered: status >= 200 && status < 300 && !reportsFailure(response), detail: errorText(json) };
  }
}
