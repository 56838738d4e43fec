import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';
import type { ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { pagingAction, pagingKey } from '../template/message-values';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

const API_URL = 'https://api.pushover.net';
const EMERGENCY = 2;

const key = field.text({ max: 60, pattern: /^[A-Za-z0-9]{20,60}$/, form: 'a key of letters and digits' });

export class PushoverConfig {
  @ApiProperty({
    title: 'Application token',
    description: 'The API token of an application.',
    example: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi',
    format: 'password',
    maxLength: 60,
  })
  @field.Required(key)
  @field.Secret()
  app_token!: string;

  @ApiProperty({
    title: 'User or group key',
    description: 'The key of the user or the group that receives the messages.',
    example: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG',
    format: 'password',
    maxLength: 60,
  })
  @field.Required(key)
  @field.Secret()
  user_key!: string;

  @ApiPropertyOptional({
    description: 'The name of one device, or several separated by commas. If unset, all devices.',
    example: 'phone',
    maxLength: 200,
  })
  @field.Optional(field.text({ max: 200, pattern: /^[A-Za-z0-9_,-]+$/, form: 'names of devices' }))
  device?: string;

  @ApiPropertyOptional({ description: 'The sound of an outage.', example: 'siren', maxLength: 50 })
  @field.Optional(field.text({ max: 50, pattern: /^[A-Za-z0-9_]+$/, form: 'the name of a sound' }))
  sound?: string;

  @ApiPropertyOptional({
    description:
      'The priority of an outage, from -2 (silent) to 2 (emergency). An emergency repeats until someone acknowledges it or the endpoint recovers. A recovery has 0.',
    example: 1,
    default: 1,
    type: 'integer',
    minimum: -2,
    maximum: EMERGENCY,
  })
  @field.Optional(field.integer(-2, EMERGENCY))
  priority?: number;

  @ApiPropertyOptional({
    title: 'Repeat an emergency every (seconds)',
    description: 'How often an emergency repeats, in seconds.',
    example: 60,
    default: 60,
    type: 'integer',
    minimum: 30,
    maximum: 10_800,
  })
  @field.Optional(field.integer(30, 10_800))
  retry?: number;

  @ApiPropertyOptional({
    title: 'Repeat an emergency for (seconds)',
    description: 'How long an emergency repeats at most, in seconds.',
    example: 3600,
    default: 3600,
    type: 'integer',
    minimum: 30,
    maximum: 10_800,
  })
  @field.Optional(field.integer(30, 10_800))
  expire?: number;

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
  @field.Addressee()
  api_url?: string;
}

/**
 * Pushover (https://pushover.net/api): a title of 250 characters, a message of 1,024, and 10,000 messages per month. An
 * emergency has the key of the outage as its tag, and the recovery cancels it
 * (https://pushover.net/api/receipts#cancel).
 */
@Channel('pushover')
@Injectable()
export class PushoverChannel extends DeclaredChannel<PushoverConfig> {
  readonly audience = 'chat';
  readonly configClass = PushoverConfig;
  protected readonly service = 'Pushover';
  protected readonly limits = { title: 250, text: 1024 };
  protected override readonly defaults = { api_url: API_URL, priority: 1, retry: 60, expire: 3600 };

  destination({ api_url = API_URL, app_token, user_key, device = '' }: PushoverConfig): string[] {
    return [api_url, app_token, user_key, device];
  }

  /** A recovery first ends the repeats of an emergency. It is sent even if that fails. */
  override async send(request: SendRequest<PushoverConfig>): Promise<SendOutcome> {
    const { config, notification } = request;
    const endsEmergency = config.priority === EMERGENCY && pagingAction(notification) === 'resolve';
    const canceled = endsEmergency ? await this.cancel(request) : null;
    const outcome = await super.send(request);
    if (outcome.result !== 'delivered' || canceled === null || canceled.result === 'delivered') return outcome;
    return { ...outcome, warning: `the emergency was not canceled: ${canceled.error}` };
  }

  private cancel(request: SendRequest<PushoverConfig>): Promise<SendOutcome> {
    const { api_url = API_URL, app_token } = request.config;
    return this.provider.send(
      request,
      {
        provider: this.service,
        url: `${withoutSlash(api_url)}/1/receipts/cancel_by_tag/${tagOf(pagingKey(request.notification))}.json`,
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
        body: new URLSearchParams({ token: app_token }).toString(),
      },
      (response) => this.read(response),
    );
  }

  protected request(
    { api_url = API_URL, priority }: PushoverConfig,
    { key: outage }: { key: string },
  ): DeclaredRequest {
    const whileOpen = (value: string) => ({ $switch: 'state', down: value, degraded: value, default: '' });
    const inEmergency = (value: string) => (priority === EMERGENCY ? whileOpen(value) : '');
    return {
      url: `${withoutSlash(api_url)}/1/messages.json`,
      encoding: 'form',
      values: { tag: tagOf(outage) },
      body: {
        token: '{{config.app_token}}',
        user: '{{config.user_key}}',
        device: '{{config.device}}',
        title: '{{title}}',
        message: '{{text}}',
        timestamp: '{{unix_time}}',
        url: '{{page_url}}',
        url_title: { $switch: 'page_url', '': '', default: 'Details' },
        sound: whileOpen('{{config.sound}}'),
        priority: { $switch: 'state', down: '{{config.priority}}', degraded: '{{config.priority}}', default: 0 },
        retry: inEmergency('{{config.retry}}'),
        expire: inEmergency('{{config.expire}}'),
        tags: inEmergency('{{tag}}'),
      },
    };
  }

  protected override read({ status, json }: ProviderResponse): Reading {
    const errors = json['errors'];
    return {
      delivered: status === 200 && json['status'] === 1,
      detail: Array.isArray(errors) ? errors.join(', ') : undefined,
    };
  }
}

/** Tags may not contain commas or spaces. */
const tagOf = (outage: string): string => outage.replace(/[^A-Za-z0-9_-]/g, '-');
