import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProviderClient } from '../provider-client';
import { cut } from '../../platform/text/text-limits';
import { Channel, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';
import { withoutMentions } from '../mentions';
import { isTaken, type Promised } from '../receipt';

const COLORS = { bad: '#d92d20', warning: '#dc6803', good: '#079455', neutral: '#667085' } as const;
const MAX_SECTION = 3000;
const MAX_FIELD = 2000;
const MAX_FIELDS = 10;

const PROMISED: Promised = {
  hosts: /(?:^|\.)slack(?:-gov)?\.com$/,
  isKept: ({ status, body }) => status === 200 && body.trim() === 'ok',
};

/** Matches `@channel`, a user ID, a group ID, or Slack's own notation for one of them. */
const MENTION =
  /^(?:@(?:channel|here|everyone)|[UWS][A-Z0-9]{2,30}|<(?:!(?:channel|here|everyone)|@[UW][A-Z0-9]{2,30}|!subteam\^S[A-Z0-9]{2,30})>)$/;

export class SlackConfig {
  @ApiProperty({
    description: 'The URL of an incoming webhook of Slack or of a compatible server.',
    example: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(field.httpUrl())
  @field.ConfidentialAddress()
  @field.Dialed()
  @field.Addressee()
  webhook_url!: string;

  @ApiPropertyOptional({
    description: 'The channel to post to, if the webhook allows you to choose one.',
    example: '#ops',
    maxLength: 80,
  })
  @field.Optional(field.text({ max: 80 }))
  @field.Addressee()
  channel?: string;

  @ApiPropertyOptional({
    title: 'Post as',
    description: 'The name to post under, if the webhook allows it.',
    example: 'Uptime',
    maxLength: 80,
  })
  @field.Optional(field.text({ max: 80 }))
  username?: string;

  @ApiPropertyOptional({
    description:
      'The users or groups to mention when an alert triggers: `@channel`, `@here`, a user ID or a user group ID.',
    example: '@here',
    maxLength: 80,
  })
  @field.Optional(field.text({ max: 80, pattern: MENTION, form: '@channel, @here, a user id (U…) or a group id (S…)' }))
  mention?: string;
}

/** Sends to Slack's incoming webhooks. They have no idempotency key, so a resolve is a second message. */
@Channel('slack')
@Injectable()
export class SlackChannel implements Channel<SlackConfig> {
  readonly audience = 'chat';
  readonly configClass = SlackConfig;

  constructor(private readonly provider: ProviderClient) {}

  destination(config: SlackConfig): string[] {
    return [config.webhook_url, config.channel ?? ''];
  }

  send(request: SendRequest<SlackConfig>): Promise<SendOutcome> {
    return this.provider.send(
      request,
      { provider: 'Slack', url: request.config.webhook_url, body: JSON.stringify(slackMessage(request)) },
      (response) => ({
        delivered: isTaken(request.config.webhook_url, PROMISED, response),
        detail: response.body,
        gone: response.status === 404,
      }),
    );
  }
}

/**
 * Returns the body of the webhook call: a sentence that push notifications show, followed by the facts in the color of
 * the state.
 */
function slackMessage({ text, config }: SendRequest<SlackConfig>): object {
  const { tone, sentence, facts, lines, links } = text;
  const mention =
    config.mention !== undefined && (tone === 'bad' || tone === 'warning') ? `${mentionMarkup(config.mention)} ` : '';
  const fields = facts.slice(0, MAX_FIELDS).map(({ label, value }) => ({
    type: 'mrkdwn',
    text: `*${label}*\n${escaped(value, MAX_FIELD - 100)}`,
  }));
  return {
    ...(config.channel === undefined ? {} : { channel: config.channel }),
    ...(config.username === undefined ? {} : { username: config.username }),
    text: mention + escaped(sentence, MAX_SECTION),
    attachments: [
      {
        color: COLORS[tone],
        fallback: escaped(sentence, MAX_SECTION),
        blocks: [
          ...(lines.length > 0
            ? [{ type: 'section', text: { type: 'mrkdwn', text: escaped(lines.join('\n'), MAX_SECTION) } }]
            : []),
          ...(fields.length > 0 ? [{ type: 'section', fields }] : []),
          // There are no buttons, because they need an app that responds to them, and compatible servers do not show
          // them.
          ...(links.length > 0 ? [{ type: 'section', text: { type: 'mrkdwn', text: linkMarkup(links) } }] : []),
        ],
      },
    ],
  };
}

const linkMarkup = (links: SendRequest<SlackConfig>['text']['links']): string =>
  links.map(({ label, url }) => `<${url}|${label}>`).join(' · ');

function mentionMarkup(mention: string): string {
  if (mention.startsWith('<')) return mention;
  if (mention.startsWith('@')) return `<!${mention.slice(1)}>`;
  return mention.startsWith('S') ? `<!subteam^${mention}>` : `<@${mention}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Escapes Slack's three control characters, and names that compatible servers would treat as mentions. The limit
 * applies to the escaped text, but the text is truncated before it is escaped.
 */
function escaped(value: string, max: number): string {
  const whole = cut(withoutMentions(value), max);
  const safe = whole.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
  return safe.length <= max ? safe : escaped(value, max - Math.ceil((safe.length - max) / 4) - 1);
}
