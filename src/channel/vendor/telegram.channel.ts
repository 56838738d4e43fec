import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProviderClient, type ProviderResponse } from '../provider-client';
import type { Reading } from '../send-outcome';
import { cut } from '../../platform/text/text-limits';
import { Channel, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';
import { withoutMentions } from '../mentions';

const API_URL = 'https://api.telegram.org';
/** The limit applies to the text without its markup. */
const MAX_TEXT = 4096;
const MAX_SENTENCE = 1000;
const MARKS = { bad: '🔴', warning: '🟠', good: '🟢', neutral: '🔵' } as const;

const chatId = field.text({
  max: 64,
  pattern: /^(?:-?\d{1,20}|@[A-Za-z][A-Za-z0-9_]{2,60})$/,
  form: 'a chat ID such as -1001234567890 or a channel name such as @my_channel',
});

export class TelegramConfig {
  @ApiProperty({
    description: 'The token of the bot that sends the messages.',
    example: '123456789:AAxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    format: 'password',
    maxLength: 200,
  })
  @field.Required(
    field.text({
      max: 200,
      pattern: /^[A-Za-z0-9:_-]+$/,
      form: 'a bot token such as 123456789:AAxxxxxxxxxxxxxxxxxxxxxxx',
    }),
  )
  @field.Secret()
  bot_token!: string;

  @ApiProperty({
    description: 'The chat to send to: its numeric ID, or the `@name` of a public channel.',
    example: '-1001234567890',
    oneOf: [{ type: 'string', maxLength: 64 }, { type: 'integer' }],
  })
  @field.Required((value) => (typeof value === 'number' ? field.integer(-1e15, 1e15)(value) : chatId(value)))
  @field.Confidential()
  @field.Addressee()
  chat_id!: string | number;

  @ApiPropertyOptional({
    title: 'Topic ID',
    description: 'The topic of a forum group to post to.',
    example: 42,
    type: 'integer',
    minimum: 1,
  })
  @field.Optional(field.integer(1, 2_147_483_647))
  message_thread_id?: number;

  @ApiPropertyOptional({
    title: 'Bot API server',
    description: 'The base URL of a compatible Bot API server.',
    example: API_URL,
    default: API_URL,
    format: 'uri',
    maxLength: 2048,
  })
  @field.Optional(field.httpUrl())
  @field.Dialed()
  api_url?: string;

  @ApiPropertyOptional({
    title: 'Deliver without a sound',
    description: 'Whether to send messages without a notification sound.',
    example: false,
    default: false,
    type: 'boolean',
  })
  @field.Optional(field.flag)
  silent?: boolean;
}

/**
 * Sends to Telegram, using `sendMessage` of the Bot API in HTML mode. It has no idempotency key, so a resolve is a
 * second message.
 */
@Channel('telegram')
@Injectable()
export class TelegramChannel implements Channel<TelegramConfig> {
  readonly audience = 'chat';
  readonly configClass = TelegramConfig;

  constructor(private readonly provider: ProviderClient) {}

  destination(config: TelegramConfig): string[] {
    return [config.api_url ?? API_URL, config.bot_token, String(config.chat_id)];
  }

  async send(request: SendRequest<TelegramConfig>): Promise<SendOutcome> {
    const moved: { to: number | null } = { to: null };
    const outcome = await this.post(request, request.config.chat_id, (response) => {
      moved.to = migratedChat(response);
      return reading(response);
    });
    if (moved.to === null) return outcome;
    const warning = `the group became a supergroup: its chat_id is now ${moved.to}`;
    return this.post(request, moved.to, (response) => ({ ...reading(response), warning }));
  }

  private post(
    request: SendRequest<TelegramConfig>,
    chat: string | number,
    read: (response: ProviderResponse) => Reading,
  ): Promise<SendOutcome> {
    const base = (request.config.api_url ?? API_URL).replace(/(?<!\/)\/+$/, '');
    return this.provider.send(
      request,
      {
        provider: 'Telegram',
        url: `${base}/bot${request.config.bot_token}/sendMessage`,
        body: JSON.stringify(messageTo(chat, request)),
      },
      read,
    );
  }
}

interface ResponseParameters {
  migrate_to_chat_id?: unknown;
  retry_after?: unknown;
}

const parametersOf = ({ json }: ProviderResponse): ResponseParameters =>
  (json['parameters'] as ResponseParameters | null | undefined) ?? {};

/**
 * Returns the new ID of a group that was upgraded and kept its name. Telegram refuses the old ID and reports the new
 * one.
 */
function migratedChat(response: ProviderResponse): number | null {
  const chat = parametersOf(response).migrate_to_chat_id;
  return typeof chat === 'number' && Number.isSafeInteger(chat) ? chat : null;
}

const GONE = /chat not found|bot was (?:blocked|kicked)|group chat was deleted|user is deactivated/i;

function reading(response: ProviderResponse): Reading {
  const { status, json } = response;
  const code = json['error_code'];
  return {
    delivered: status >= 200 && status < 300 && json['ok'] === true,
    ...(typeof code === 'number' ? { status: code } : {}),
    detail: json['description'],
    retryAfterSeconds: parametersOf(response).retry_after,
    gone: typeof json['description'] === 'string' && GONE.test(json['description']),
  };
}

/**
 * Returns the arguments for `sendMessage`. The text is truncated before it is escaped, because the limit applies to the
 * text without its markup.
 */
function messageTo(chat: string | number, { text, config }: SendRequest<TelegramConfig>): object {
  const sentence = cut(withoutMentions(text.sentence), MAX_SENTENCE);
  // Uses complete URLs, which Telegram turns into links. Telegram refuses a message with a button whose URL has a
  // hostname without a dot.
  const room = MAX_TEXT - MAX_SENTENCE - 10;
  const details = cut(withoutMentions(text.detailsWithin(room)), room);
  return {
    chat_id: chat,
    text: `${MARKS[text.tone]} <b>${escaped(sentence)}</b>${details ? `\n${escaped(details)}` : ''}`,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    ...(config.message_thread_id === undefined ? {} : { message_thread_id: config.message_thread_id }),
    ...(config.silent === true ? { disable_notification: true } : {}),
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (value: string): string => value.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
