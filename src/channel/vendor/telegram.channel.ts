import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Channel, type ChannelAudience, type Notification, type SendContext, type SendOutcome } from '../channel';
import { hiddenValues } from '../config/config-masking';
import { Confidential, Dialed, Secret } from '../config/config-decorators';
import { flag, httpUrl, integer, OptionalRule, Rule, text } from '../config/config-rules';
import { destinationKey } from '../destination-key';
import { detailsText, notificationText, type NotificationTone } from '../notification-text';
import { isRecord, type ProviderResponse, ProviderClient } from '../provider-client';
import type { Reading } from '../send-outcome';
import { cut } from '../text-limits';

const API_URL = 'https://api.telegram.org';
/** Telegram counts the text after its markup is read. */
const MAX_TEXT = 4096;
const MAX_SENTENCE = 1000;
const MARKS: Readonly<Record<NotificationTone, string>> = { bad: '🔴', good: '🟢', neutral: '🔵' };

const chatId = text({
  max: 64,
  pattern: /^(?:-?\d{1,20}|@[A-Za-z][A-Za-z0-9_]{2,60})$/,
  form: 'a chat id such as -1001234567890 or a channel name such as @my_channel',
});

export class TelegramConfig {
  @ApiProperty({
    description: 'Token of the bot that sends.',
    example: '123456789:AAxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    format: 'password',
    maxLength: 200,
  })
  @Rule(
    text({ max: 200, pattern: /^[A-Za-z0-9:_-]+$/, form: 'a bot token such as 123456789:AAxxxxxxxxxxxxxxxxxxxxxxx' }),
  )
  @Secret()
  bot_token!: string;

  @ApiProperty({
    description: 'Chat to send to: its numeric id, or `@name` of a public channel.',
    example: '-1001234567890',
    oneOf: [{ type: 'string', maxLength: 64 }, { type: 'integer' }],
  })
  @Rule((value) => (typeof value === 'number' ? integer(-1e15, 1e15)(value) : chatId(value)))
  @Confidential()
  chat_id!: string | number;

  @ApiPropertyOptional({
    description: 'Topic of a forum group to post to.',
    example: 42,
    type: 'integer',
    minimum: 1,
  })
  @OptionalRule(integer(1, 2_147_483_647))
  message_thread_id?: number;

  @ApiPropertyOptional({
    description: 'Base URL of a compatible Bot API server.',
    example: API_URL,
    default: API_URL,
    format: 'uri',
    maxLength: 2048,
  })
  @OptionalRule(httpUrl())
  @Dialed()
  api_url?: string;

  @ApiPropertyOptional({ description: 'Deliver without a sound.', example: false, default: false, type: 'boolean' })
  @OptionalRule(flag)
  silent?: boolean;
}

/** Telegram: `sendMessage` of the Bot API in HTML mode. It has no key, so a resolve is a second message. */
@Channel('telegram')
@Injectable()
export class TelegramChannel implements Channel<TelegramConfig> {
  readonly audience: ChannelAudience = 'chat';
  readonly configClass = TelegramConfig;

  constructor(private readonly provider: ProviderClient) {}

  destination(config: TelegramConfig): string {
    return destinationKey('telegram', config.api_url ?? API_URL, config.bot_token, String(config.chat_id));
  }

  async send(notice: Notification, config: TelegramConfig, context: SendContext): Promise<SendOutcome> {
    const moved: { to: number | null } = { to: null };
    const outcome = await this.post(notice, config, config.chat_id, context, (answer) => {
      moved.to = migratedChat(answer);
      return reading(answer);
    });
    if (moved.to === null) return outcome;
    const warning = `the group became a supergroup: its chat_id is now ${moved.to}`;
    return this.post(notice, config, moved.to, context, (answer) => ({ ...reading(answer), warning }));
  }

  private async post(
    notice: Notification,
    config: TelegramConfig,
    chat: string | number,
    context: SendContext,
    read: (answer: ProviderResponse) => Reading,
  ): Promise<SendOutcome> {
    const base = (config.api_url ?? API_URL).replace(/\/+$/, '');
    return this.provider.send(
      {
        provider: 'Telegram',
        url: `${base}/bot${config.bot_token}/sendMessage`,
        body: JSON.stringify(telegramMessage(notice, config, chat)),
        hidden: hiddenValues(TelegramConfig, config),
      },
      context,
      read,
    );
  }
}

/** The group was upgraded while it kept its name: Telegram refuses the old id and tells the new one. */
function migratedChat({ json }: ProviderResponse): number | null {
  const parameters = json['parameters'];
  const chat = isRecord(parameters) ? parameters['migrate_to_chat_id'] : undefined;
  return typeof chat === 'number' && Number.isSafeInteger(chat) ? chat : null;
}

const GONE = /chat not found|bot was (?:blocked|kicked)|group chat was deleted|user is deactivated/i;

function reading({ status, json }: ProviderResponse): Reading {
  const parameters = json['parameters'];
  const code = json['error_code'];
  return {
    delivered: status === 200 && json['ok'] === true,
    ...(typeof code === 'number' ? { status: code } : {}),
    detail: json['description'],
    retryAfterSeconds: isRecord(parameters) ? parameters['retry_after'] : undefined,
    gone: typeof json['description'] === 'string' && GONE.test(json['description']),
  };
}

/** The arguments of `sendMessage`. Cut first, escaped last: the limit counts the text without its markup. */
export function telegramMessage(
  notice: Notification,
  config: TelegramConfig,
  chat: string | number = config.chat_id,
): object {
  const words = notificationText(notice);
  const sentence = cut(words.sentence, MAX_SENTENCE);
  const details = cut(detailsText(words), MAX_TEXT - MAX_SENTENCE - 10);
  return {
    chat_id: chat,
    text: `${MARKS[words.tone]} <b>${escaped(sentence)}</b>${details ? `\n${escaped(details)}` : ''}`,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    ...(config.message_thread_id === undefined ? {} : { message_thread_id: config.message_thread_id }),
    ...(config.silent === true ? { disable_notification: true } : {}),
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (value: string): string => value.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
