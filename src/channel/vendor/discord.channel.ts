import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProviderClient } from '../provider-client';
import { cut } from '../../platform/text/text-limits';
import { Channel, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';
import { isTaken, type Promised } from '../receipt';

/** Unless the message is saved, Discord responds with 204, which confirms acceptance but not delivery. */
const PROMISED: Promised = { hosts: /(?:^|\.)discord(?:app)?\.com$/, isKept: ({ status }) => status === 200 };
const COLORS = { bad: 0xd92d20, warning: 0xdc6803, good: 0x079455, neutral: 0x667085 } as const;
const MAX_TITLE = 256;
/** Below Discord's limit of 4096, because the title, description, and fields of all embeds may have 6000 in total. */
const MAX_DESCRIPTION = 2000;
const MAX_FIELDS = 10;
const MAX_FIELD_VALUE = 256;
const MAX_LONG_FIELD_VALUE = 1000;

export class DiscordConfig {
  @ApiProperty({
    description: 'The URL of a Discord webhook.',
    example: 'https://discord.com/api/webhooks/000000000000000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.ConfidentialAddress()
  @field.Dialed()
  @field.Addressee()
  webhook_url!: string;

  @ApiPropertyOptional({ title: 'Post as', description: 'The name to post under.', example: 'Uptime', maxLength: 80 })
  @field.Optional(field.text({ max: 80 }))
  username?: string;

  @ApiPropertyOptional({
    description: 'The ID of the thread to post to.',
    example: '1100000000000000000',
    pattern: '^[0-9]{1,20}$',
  })
  @field.Optional(field.text({ max: 20, pattern: /^\d+$/, form: 'the digits of a thread ID' }))
  thread_id?: string;

  @ApiPropertyOptional({
    title: 'Text or mention above the message',
    description:
      'The text above the message when an alert triggers, usually a mention: `<@&role>`, `<@user>`, `@here`.',
    example: '<@&1100000000000000000>',
    maxLength: 500,
  })
  @field.Optional(field.text({ max: 500 }))
  content?: string;
}

/**
 * Sends to Discord webhooks. The request waits until the message is saved. Discord has no idempotency key, so a resolve
 * is a second message.
 */
@Channel('discord')
@Injectable()
export class DiscordChannel implements Channel<DiscordConfig> {
  readonly audience = 'chat';
  readonly configClass = DiscordConfig;

  constructor(private readonly provider: ProviderClient) {}

  destination(config: DiscordConfig): string[] {
    return [config.webhook_url];
  }

  send(request: SendRequest<DiscordConfig>): Promise<SendOutcome> {
    return this.provider.send(
      request,
      { provider: 'Discord', url: executeUrl(request.config), body: JSON.stringify(discordMessage(request)) },
      (response) => ({
        delivered: isTaken(request.config.webhook_url, PROMISED, response),
        detail: response.json['message'],
        retryAfterSeconds: response.json['retry_after'],
        gone: response.status === 404,
      }),
    );
  }
}

function executeUrl(config: DiscordConfig): string {
  const url = new URL(config.webhook_url);
  url.searchParams.set('wait', 'true');
  if (config.thread_id !== undefined) url.searchParams.set('thread_id', config.thread_id);
  return url.href;
}

/**
 * Returns the body of the webhook call. Only mentions from the config notify users. Mentions in names or errors have no
 * effect.
 */
function discordMessage({ notification, text, config }: SendRequest<DiscordConfig>): object {
  const { tone, sentence, facts, lines, links } = text;
  const title = escaped(sentence, MAX_TITLE);
  const content = config.content !== undefined && (tone === 'bad' || tone === 'warning') ? config.content : undefined;
  return {
    ...(config.username === undefined ? {} : { username: config.username }),
    ...(content === undefined ? {} : { content }),
    allowed_mentions: allowedMentions(content ?? ''),
    embeds: [
      {
        title,
        ...(title.endsWith('…') || lines.length > 0
          ? { description: escaped([sentence, ...lines].join('\n'), MAX_DESCRIPTION) }
          : {}),
        color: COLORS[tone],
        fields: [
          ...facts.slice(0, MAX_FIELDS).map(({ label, value }) => ({
            name: label,
            value: escaped(value, label === 'Description' ? MAX_LONG_FIELD_VALUE : MAX_FIELD_VALUE),
          })),
          // The embed has no URL, because Discord refuses the message if the hostname has no dot, as in
          // http://uptime:3000.
          ...(links.length > 0 ? [{ name: 'Links', value: linkMarkup(links) }] : []),
        ],
        timestamp: notification.createdAt,
      },
    ],
  };
}

const linkMarkup = (links: SendRequest<DiscordConfig>['text']['links']): string =>
  links.map(({ label, url }) => `[${label}](${url})`).join(' · ');

function allowedMentions(content: string): object {
  const ids = (pattern: RegExp): string[] => [...content.matchAll(pattern)].flatMap(([, id]) => (id ? [id] : []));
  const users = ids(/<@!?(\d+)>/g);
  const roles = ids(/<@&(\d+)>/g);
  return {
    parse: /@(?:everyone|here)\b/.test(content) ? ['everyone'] : [],
    ...(users.length > 0 ? { users } : {}),
    ...(roles.length > 0 ? { roles } : {}),
  };
}

/** Matches a URL without characters that Discord would interpret as markup after turning it into a link. */
const PLAIN_URL = /^https?:\/\/[A-Za-z0-9._~:/?#@!$&'+,;=%-]+$/;

/** Escapes Discord's markdown. The limit applies to the escaped text. */
function escaped(value: string, max: number): string {
  if (PLAIN_URL.test(value) && value.length <= max) return value;
  const safe = value.replace(/[\\*_~`|>[\]()#<@]/g, (character) => `\\${character}`);
  return cut(safe, max).replace(/\\…$/, '…');
}
