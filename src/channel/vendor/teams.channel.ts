import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ProviderClient } from '../provider-client';
import { Channel, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';
import { isTaken, type Promised } from '../receipt';

const PROMISED: Promised = {
  hosts: /\.(?:azure|office|microsoft|powerautomate|powerplatform)\.com$/,
  isKept: ({ status }) => status === 202,
};
const COLORS = { bad: 'attention', warning: 'warning', good: 'good', neutral: 'default' } as const;
const MAX_TITLE = 600;
const MAX_LINE = 1200;
const MAX_LINES = 30;

/** Office 365 connectors are retired. Their hosts respond, but deliver nothing. */
const isRetiredConnector = (url: URL): boolean => /(?:^|\.)webhook\.office\.com$/i.test(url.hostname);

export class TeamsConfig {
  @ApiProperty({
    title: 'Workflow URL',
    description:
      'The URL of a Power Automate workflow "When a Teams webhook request is received". Office 365 connectors ' +
      '(webhook.office.com) are retired and rejected.',
    example: 'https://prod-00.westeurope.logic.azure.com/workflows/0000/triggers/manual/paths/invoke?sig=XXXX',
    format: 'uri',
    maxLength: 2048,
  })
  @field.Required(
    field.httpUrl((url) =>
      isRetiredConnector(url)
        ? 'is an Office 365 connector, which Microsoft has retired; create a Workflows webhook instead'
        : null,
    ),
  )
  @field.ConfidentialAddress()
  @field.Dialed()
  @field.Addressee()
  webhook_url!: string;
}

/**
 * Microsoft Teams: sends an adaptive card to a Workflows webhook. A 202 means accepted, and Teams reports no more than
 * that.
 */
@Channel('teams')
@Injectable()
export class TeamsChannel implements Channel<TeamsConfig> {
  readonly audience = 'chat';
  readonly configClass = TeamsConfig;

  constructor(private readonly provider: ProviderClient) {}

  destination(config: TeamsConfig): string[] {
    return [config.webhook_url];
  }

  send({ config, text, ...attempt }: SendRequest<TeamsConfig>): Promise<SendOutcome> {
    const card = adaptiveCard(text.shortened({ sentence: MAX_TITLE, value: MAX_LINE }));
    return this.provider.send(
      attempt,
      { provider: 'Teams', url: config.webhook_url, body: JSON.stringify(card) },
      (response) => ({
        delivered: isTaken(config.webhook_url, PROMISED, response),
        detail: (response.json['error'] as { message?: unknown } | null | undefined)?.message,
      }),
    );
  }
}

/**
 * Returns the message with its card. Text runs are shown literally, whereas text blocks would interpret names as
 * markdown.
 */
function adaptiveCard({ tone, sentence, facts, lines, links }: SendRequest<TeamsConfig>['text']): object {
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
          fallbackText: sentence,
          body: [
            richText({ text: sentence, weight: 'bolder', size: 'medium', color: COLORS[tone] }),
            ...lines.slice(0, MAX_LINES).map((line) => richText({ text: line })),
            ...facts.map(({ label, value }) => richText({ text: `${label}: `, isSubtle: true }, { text: value })),
          ],
          ...(links.length === 0
            ? {}
            : { actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })) }),
        },
      },
    ],
  };
}

const richText = (...runs: object[]): object => ({
  type: 'RichTextBlock',
  inlines: runs.map((run) => ({ type: 'TextRun', ...run })),
});
