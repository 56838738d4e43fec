import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Channel } from '../channel';
import * as field from '../config/config-fields';
import { DeclaredChannel, type DeclaredRequest, withoutSlash } from './declared-channel';

const MAX_RECIPIENTS = 20;

export class SignalConfig {
  @ApiProperty({
    title: 'Server',
    description: 'The URL of signal-cli-rest-api.',
    example: 'http://signal.example.com:8080',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.Dialed()
  @field.Addressee()
  server_url!: string;

  @ApiProperty({ title: 'Sender', description: 'The number that is registered there.', example: '+15005550006' })
  @field.Required(field.phoneNumber)
  @field.Confidential()
  number!: string;

  @ApiProperty({
    description: `The recipients, at most ${MAX_RECIPIENTS}: phone numbers, user names, or IDs of groups.`,
    example: ['+15005550009', 'group.ckRzaEd4VmRzNnJaASAEsasa'],
    type: [String],
    maxItems: MAX_RECIPIENTS,
  })
  @field.Required(
    field.list(
      field.text({ max: 200, pattern: /^[\x21-\x7e]+$/, form: 'a number or the ID of a group' }),
      MAX_RECIPIENTS,
    ),
  )
  @field.Confidential()
  recipients!: string[];
}

/**
 * Signal, through signal-cli-rest-api (https://github.com/bbernhard/signal-cli-rest-api, `POST /v2/send`), answered with
 * 201. Signal shows 2,000 characters of a message. There is no idempotency key.
 */
@Channel('signal')
@Injectable()
export class SignalChannel extends DeclaredChannel<SignalConfig> {
  readonly audience = 'chat';
  readonly configClass = SignalConfig;
  protected readonly service = 'Signal';
  protected readonly limits = { text: 2000 };

  destination({ server_url, number, recipients }: SignalConfig): string[] {
    return [server_url, number, ...recipients];
  }

  protected request({ server_url }: SignalConfig): DeclaredRequest {
    return {
      url: `${withoutSlash(server_url)}/v2/send`,
      body: { number: '{{config.number}}', recipients: '{{config.recipients}}', message: '{{text}}' },
    };
  }
}
