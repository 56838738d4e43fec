import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { textOf } from '../template/json-value';
import { DeclaredChannel, type DeclaredRequest } from './declared-channel';
import { withoutTags } from './markup';

/** The bot sent too many messages, and the service was busy. */
const RETRIED: Readonly<Record<number, number>> = { 45009: 429, [-1]: 503 };

export class WeComConfig {
  @ApiProperty({
    description: 'The URL of a message push bot of the group.',
    example: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=00000000-0000-0000-0000-000000000000',
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
 * Bots of WeCom groups (https://developer.work.weixin.qq.com/document/path/91770): 20 messages per minute and 2,048
 * bytes of text. Success is `errcode` 0.
 */
@Channel('wecom')
@Injectable()
export class WeComChannel extends DeclaredChannel<WeComConfig> {
  readonly audience = 'chat';
  readonly configClass = WeComConfig;
  protected readonly service = 'WeCom';
  protected readonly limits = { text: 2048, unit: 'bytes' } as const;

  destination({ webhook_url }: WeComConfig): string[] {
    return [webhook_url];
  }

  protected override escape(text: string): string {
    return withoutTags(text);
  }

  protected request({ webhook_url }: WeComConfig): DeclaredRequest {
    return { url: webhook_url, body: { msgtype: 'text', text: { content: '{{text}}' } } };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    const { errcode: code, errmsg } = json;
    const isOk = status >= 200 && status < 300;
    const counts = isOk && typeof code === 'number' ? RETRIED[code] : undefined;
    return {
      delivered: isOk && code === 0,
      ...(counts === undefined ? {} : { status: counts }),
      detail: typeof code === 'number' ? `${code} ${textOf(errmsg)}` : errmsg,
      gone: code === 93000,
    };
  }
}
