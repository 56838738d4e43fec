import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProviderClient } from '../provider-client';
import { smsBody } from './sms-text';
import { Channel, type ConfigProblem, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';
import { isTaken, type Promised } from '../receipt';

const API_URL = 'https://api.twilio.com';
const PROMISED: Promised = { hosts: /(?:^|\.)twilio\.com$/, isKept: ({ status }) => status === 201 };
const MAX_RECIPIENTS = 10;
/** Twilio drops a message that is still queued after this time, because it would be outdated. */
const VALIDITY_SECONDS = 300;

export class TwilioConfig {
  @ApiProperty({
    description: 'The SID of the account.',
    example: 'AC00000000000000000000000000000000',
    maxLength: 64,
  })
  @field.Required(field.text({ max: 64, pattern: /^AC[A-Za-z0-9]+$/, form: 'an account SID, which starts with AC' }))
  account_sid!: string;

  @ApiProperty({
    description: 'The auth token of the account. If you set an API key SID, the secret of that API key.',
    example: '00000000000000000000000000000000',
    format: 'password',
    maxLength: 200,
  })
  @field.Required(field.text({ max: 200, pattern: /^[\x21-\x7e]+$/, form: 'a token without spaces' }))
  @field.Secret()
  auth_token!: string;

  @ApiPropertyOptional({
    description:
      'The SID of an API key, to use instead of the account’s auth token. `auth_token` is then the secret of the API key.',
    example: 'SK00000000000000000000000000000000',
    maxLength: 64,
  })
  @field.Optional(field.text({ max: 64, pattern: /^SK[A-Za-z0-9]+$/, form: 'an API key SID, which starts with SK' }))
  api_key_sid?: string;

  @ApiPropertyOptional({
    description:
      'The sender: a phone number with country code, a short code, or a sender name. You can set a messaging service SID instead.',
    example: '+15005550006',
    maxLength: 16,
  })
  @field.Optional(
    field.text({
      max: 16,
      pattern: /^(?:\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/,
      form: 'a phone number with country code such as +15005550006, a short code or a sender name',
    }),
  )
  from?: string;

  @ApiPropertyOptional({
    description: 'Instead of a sender: the SID of the messaging service that chooses one.',
    example: 'MG00000000000000000000000000000000',
    maxLength: 64,
  })
  @field.Optional(
    field.text({ max: 64, pattern: /^MG[A-Za-z0-9]+$/, form: 'a messaging service SID, which starts with MG' }),
  )
  messaging_service_sid?: string;

  @ApiProperty({
    description: 'Phone numbers with country code (E.164): one, or a list of at most 10.',
    example: '+15005550009',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_RECIPIENTS }],
  })
  @field.Required(field.oneOrMany(field.phoneNumber, MAX_RECIPIENTS))
  @field.Confidential()
  @field.Addressee()
  to!: string | string[];

  @ApiPropertyOptional({
    title: 'API server',
    description: 'The base URL of a compatible server or of another region.',
    example: API_URL,
    default: API_URL,
    format: 'uri',
    maxLength: 2048,
  })
  @field.Optional(field.httpUrl())
  @field.Dialed()
  api_url?: string;
}

/**
 * Sends to Twilio, with one text message per recipient. A 201 means queued. There is no idempotency key, so a resolve
 * is a second message.
 */
@Channel('twilio')
@Injectable()
export class TwilioChannel implements Channel<TwilioConfig> {
  readonly audience = 'sms';
  readonly configClass = TwilioConfig;

  constructor(private readonly provider: ProviderClient) {}

  complete(config: TwilioConfig): TwilioConfig | ConfigProblem[] {
    if (config.from !== undefined && config.messaging_service_sid !== undefined)
      return [
        {
          key: 'messaging_service_sid',
          code: 'invalid_config',
          message: 'cannot be combined with from; send only one of them',
        },
      ];
    if (config.from === undefined && config.messaging_service_sid === undefined)
      return [{ key: 'from', code: 'required', message: 'is required, unless messaging_service_sid is given' }];
    return config;
  }

  destination(config: TwilioConfig): string[] {
    return [apiUrl(config), config.account_sid, ...recipientsOf(config).sort()];
  }

  async send(request: SendRequest<TwilioConfig>): Promise<SendOutcome> {
    const outcomes: SendOutcome[] = [];
    for (const to of recipientsOf(request.config)) outcomes.push(await this.sendTo(to, request));
    return combined(outcomes);
  }

  private sendTo(to: string, request: SendRequest<TwilioConfig>): Promise<SendOutcome> {
    const { account_sid, api_key_sid, auth_token } = request.config;
    const credentials = Buffer.from(`${api_key_sid ?? account_sid}:${auth_token}`).toString('base64');
    return this.provider.send(
      request,
      {
        provider: 'Twilio',
        url: `${apiUrl(request.config)}/2010-04-01/Accounts/${account_sid}/Messages.json`,
        headers: {
          authorization: `Basic ${credentials}`,
          'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        },
        body: formOf(to, request).toString(),
        hidden: [credentials],
      },
      ({ status, json, ...response }) => ({
        delivered: isTaken(apiUrl(request.config), PROMISED, { status, json, ...response }),
        detail: typeof json['code'] === 'number' ? `${json['code']} ${String(json['message'])}` : json['message'],
        // A server error may occur after the message was queued. A rate limit (429) applies before.
        mayHaveArrived: status >= 500,
      }),
    );
  }
}

function formOf(to: string, { notification, text, config }: SendRequest<TwilioConfig>): URLSearchParams {
  const below = notification.kind === 'digest' ? text.lines : [text.target].filter(Boolean);
  return new URLSearchParams({
    To: to,
    ...(config.messaging_service_sid === undefined
      ? { From: config.from ?? '' }
      : { MessagingServiceSid: config.messaging_service_sid }),
    Body: smsBody(text.sentence, below, notification.links),
    ValidityPeriod: String(VALIDITY_SECONDS),
  });
}

const apiUrl = (config: TwilioConfig): string => (config.api_url ?? API_URL).replace(/(?<!\/)\/+$/, '');

const recipientsOf = (config: TwilioConfig): string[] => [
  ...new Set(Array.isArray(config.to) ? config.to : [config.to]),
];

/**
 * Combines the outcomes for all recipients into one. A retry sends the message to all of them again, marked as a
 * repeat, because twice is better than never. If some numbers were accepted, a refused one is only a warning, because a
 * retry would not help it.
 */
export function combined(outcomes: readonly SendOutcome[]): SendOutcome {
  const delivered = outcomes.filter((outcome) => outcome.result === 'delivered');
  const retry = outcomes.find((outcome) => outcome.result === 'retry');
  const rejected = outcomes.filter((outcome) => outcome.result === 'rejected');
  if (retry) {
    const ambiguous = delivered.length > 0 || outcomes.some((one) => one.result === 'retry' && one.mayHaveArrived);
    return { ...retry, mayHaveArrived: ambiguous };
  }
  const [refused] = rejected;
  const [accepted] = delivered;
  if (!accepted) return refused ?? { result: 'rejected', status: null, error: 'No recipient', gone: false };
  if (!refused) return accepted;
  return { ...accepted, warning: `${rejected.length} of ${outcomes.length} recipients: ${refused.error}` };
}
