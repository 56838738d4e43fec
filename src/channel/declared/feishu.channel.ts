import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { textOf } from '../template/json-value';
import { DeclaredChannel, type DeclaredRequest } from './declared-channel';

/** Codes for too many requests. */
const TOO_MANY = [9499, 11232];

export class FeishuConfig {
  @ApiProperty({
    description: 'The URL of a custom bot, of Feishu or Lark.',
    example: 'https://open.feishu.cn/open-apis/bot/v2/hook/00000000-0000-0000-0000-000000000000',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.ConfidentialAddress()
  @field.Dialed()
  @field.Addressee()
  webhook_url!: string;

  @ApiPropertyOptional({
    title: 'Signing secret',
    description: 'The secret, if the bot checks signatures.',
    example: 'XXXXXXXXXXXXXXXXXXXXXX',
    format: 'password',
    maxLength: 200,
  })
  @field.Optional(field.text({ max: 200 }))
  @field.SigningSecret()
  secret?: string;
}

/**
 * Custom bots of Feishu and Lark (https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot): 20 KB per request,
 * 5 per second and 100 per minute. The card shows plain text only, so nothing needs to be escaped. Success is `code` 0.
 */
@Channel('feishu')
@Injectable()
export class FeishuChannel extends DeclaredChannel<FeishuConfig> {
  readonly audience = 'chat';
  readonly configClass = FeishuConfig;
  protected readonly service = 'Feishu';
  protected readonly limits = { text: 9000, unit: 'bytes' } as const;

  destination({ webhook_url }: FeishuConfig): string[] {
    return [webhook_url];
  }

  protected request({ webhook_url, secret }: FeishuConfig): DeclaredRequest {
    const timestamp = String(Math.floor(this.clock.now().getTime() / 1000));
    return {
      url: webhook_url,
      values: secret === undefined ? {} : { timestamp, sign: signatureOf(secret, timestamp) },
      body: {
        timestamp: secret === undefined ? '' : '{{timestamp}}',
        sign: '{{sign}}',
        msg_type: 'interactive',
        card: {
          header: {
            title: { tag: 'plain_text', content: '{{title}}' },
            template: { $switch: 'state', down: 'red', degraded: 'orange', up: 'green', default: 'blue' },
          },
          elements: [{ tag: 'div', text: { tag: 'plain_text', content: '{{text}}' } }],
        },
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    const { code, msg } = json;
    const isOk = status >= 200 && status < 300;
    const said = typeof code === 'number' ? `${code} ${textOf(msg)}` : msg;
    return {
      delivered: isOk && (code === 0 || json['StatusCode'] === 0),
      ...(isOk && TOO_MANY.some((one) => one === code) ? { status: 429 } : {}),
      detail: said,
    };
  }
}

/** Feishu signs an empty message with the timestamp and the secret as the key. */
const signatureOf = (secret: string, timestamp: string): string =>
  createHmac('sha256', `${timestamp}\n${secret}`).update('').digest('base64');
