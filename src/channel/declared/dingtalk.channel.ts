import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { textOf } from '../template/json-value';
import { DeclaredChannel, type DeclaredRequest } from './declared-channel';

/** The bot sent too many messages, and the service was busy. */
const RETRIED: Readonly<Record<number, number>> = { 130101: 429, [-1]: 503 };

export class DingTalkConfig {
  @ApiProperty({
    description: 'The URL of a custom robot.',
    example: 'https://oapi.dingtalk.com/robot/send?access_token=XXXX',
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
    description: 'The secret, if the robot checks signatures. It starts with `SEC`.',
    example: 'SECXXXXXXXXXXXXXXXX',
    format: 'password',
    maxLength: 200,
  })
  @field.Optional(field.text({ max: 200 }))
  @field.SigningSecret()
  secret?: string;
}

/**
 * Custom robots of DingTalk (https://open.dingtalk.com/document/robots/custom-robot-access): 20 messages per minute. A
 * message of type `text` has no markup, and mentions no one without `at`. Success is `errcode` 0.
 */
@Channel('dingtalk')
@Injectable()
export class DingTalkChannel extends DeclaredChannel<DingTalkConfig> {
  readonly audience = 'chat';
  readonly configClass = DingTalkConfig;
  protected readonly service = 'DingTalk';
  protected readonly limits = { text: 5000 };

  destination({ webhook_url }: DingTalkConfig): string[] {
    return [webhook_url];
  }

  protected request({ webhook_url, secret }: DingTalkConfig): DeclaredRequest {
    const url = new URL(webhook_url);
    if (secret !== undefined) {
      const timestamp = String(this.clock.now().getTime());
      url.searchParams.set('timestamp', timestamp);
      url.searchParams.set('sign', createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64'));
    }
    return { url: url.href, body: { msgtype: 'text', text: { content: '{{text}}' }, at: { isAtAll: false } } };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    const { errcode: code, errmsg } = json;
    const isOk = status >= 200 && status < 300;
    const counts = isOk && typeof code === 'number' ? RETRIED[code] : undefined;
    return {
      delivered: isOk && code === 0,
      ...(counts === undefined ? {} : { status: counts }),
      detail: typeof code === 'number' ? `${code} ${textOf(errmsg)}` : errmsg,
    };
  }
}
