import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { NotificationLink } from '../notification-text';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { isRecord } from '../../platform/text/json';
import { DeclaredChannel, type DeclaredRequest } from './declared-channel';
import { withoutTags } from './markup';

export class GoogleChatConfig {
  @ApiProperty({
    description: 'The URL of a webhook of the space.',
    example: 'https://chat.googleapis.com/v1/spaces/AAAA/messages?key=XXXX&token=XXXX',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.ConfidentialAddress()
  @field.Dialed()
  @field.Addressee()
  webhook_url!: string;
}

/**
 * Webhooks of Google Chat (https://developers.google.com/workspace/chat/quickstart/webhooks): one message per second and
 * space, and 4,096 characters. The key of the outage is the key of the thread, so the recovery is a reply
 * (https://developers.google.com/workspace/chat/create-messages#create-message-thread).
 */
@Channel('google_chat')
@Injectable()
export class GoogleChatChannel extends DeclaredChannel<GoogleChatConfig> {
  readonly audience = 'chat';
  readonly configClass = GoogleChatConfig;
  protected readonly service = 'Google Chat';
  protected readonly limits = { text: 4000 };

  destination({ webhook_url }: GoogleChatConfig): string[] {
    return [webhook_url];
  }

  protected override escape(text: string): string {
    return withoutTags(text);
  }

  protected override link({ label, url }: NotificationLink): string {
    return `<${url}|${label}>`;
  }

  protected request({ webhook_url }: GoogleChatConfig): DeclaredRequest {
    const url = new URL(webhook_url);
    url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD');
    return { url: url.href, body: { text: '{{text}}', thread: { threadKey: '{{key}}' } } };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    const { error, name } = json;
    return {
      delivered: status === 200 && typeof name === 'string',
      detail: isRecord(error) ? error['message'] : undefined,
      gone: status === 404,
    };
  }
}
