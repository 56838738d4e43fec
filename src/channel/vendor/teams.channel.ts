import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Channel, type ChannelAudience, type Notification, type SendContext, type SendOutcome } from '../channel';
import { hiddenValues } from '../config/config-masking';
import { Confidential, Dialed } from '../config/config-decorators';
import { httpUrl, Rule } from '../config/config-rules';
import { destinationKey } from '../destination-key';
import { notificationText, type NotificationTone } from '../notification-text';
import { isRecord, ProviderClient } from '../provider-client';
import { cut } from '../text-limits';

const COLORS: Readonly<Record<NotificationTone, string>> = { bad: 'attention', good: 'good', neutral: 'default' };
const MAX_TITLE = 600;
const MAX_LINE = 1200;
const MAX_LINES = 30;

/** Office 365 connectors are retired: their hosts answer, yet nothing arrives. */
const isRetiredConnector = (url: URL): boolean => /(?:^|\.)webhook\.office\.com$/i.test(url.hostname);

export class TeamsConfig {
  @ApiProperty({
    description:
      'URL of a Power Automate workflow "When a Teams webhook request is received". Office 365 connectors ' +
      '(webhook.office.com) are retired and refused.',
    example: 'https://prod-00.westeurope.logic.azure.com/workflows/0000/triggers/manual/paths/invoke?sig=XXXX',
    format: 'uri',
    maxLength: 2048,
  })
  @Rule(
    httpUrl((url) =>
      isRetiredConnector(url)
        ? 'is an Office 365 connector, which Microsoft has retired; create a Workflows webhook instead'
        : null,
    ),
  )
  @Confidential()
  @Dialed()
  webhook_url!: string;
}

/** Microsoft Teams: a Workflows webhook that is sent an adaptive card. 202 means accepted; Teams tells no more than that. */
@Channel('teams')
@Injectable()
export class TeamsChannel implements Channel<TeamsConfig> {
  readonly audience: ChannelAudience = 'chat';
  readonly configClass = TeamsConfig;

  constructor(private readonly provider: ProviderClient) {}

  destination(config: TeamsConfig): string {
    return destinationKey('teams', config.webhook_url);
  }

  async send(notice: Notification, config: TeamsConfig, context: SendContext): Promise<SendOutcome> {
    return this.provider.send(
      {
        provider: 'Teams',
        url: config.webhook_url,
        body: JSON.stringify(teamsMessage(notice)),
        hidden: hiddenValues(TeamsConfig, config),
      },
      context,
      ({ status, json }) => ({
        delivered: status === 202,
        detail: isRecord(json['error']) ? json['error']['message'] : undefined,
      }),
    );
  }
}

/** The adaptive card. Text runs are shown literally, whereas text blocks would read names as markdown. */
export function teamsMessage(notice: Notification): object {
  const { tone, sentence, facts, lines } = notificationText(notice);
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          type: 'AdaptiveCard',
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          version: '1.4',
          fallbackText: cut(sentence, MAX_TITLE),
          body: [
            richText({ text: cut(sentence, MAX_TITLE), weight: 'bolder', size: 'medium', color: COLORS[tone] }),
            ...lines.slice(0, MAX_LINES).map((line) => richText({ text: line })),
            ...facts.map(({ label, value }) =>
              richText({ text: `${label}: `, isSubtle: true }, { text: cut(value, MAX_LINE) }),
            ),
          ],
        },
      },
    ],
  };
}

const richText = (...runs: object[]): object => ({
  type: 'RichTextBlock',
  inlines: runs.map((run) => ({ type: 'TextRun', ...run })),
});
