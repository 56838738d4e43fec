import type { ChannelRules } from '../../../packages/convert/index';
import { isMarkedAt } from '../../channel/config/config-masking';
import type { ConfigClass } from '../../channel/config/config-metadata';
import { configProblems } from '../../channel/config/config-validation';
import { EmailConfig } from '../../channel/email/email.channel';
import { DiscordConfig } from '../../channel/vendor/discord.channel';
import { OpsgenieConfig } from '../../channel/vendor/opsgenie.channel';
import { PagerDutyConfig } from '../../channel/vendor/pagerduty.channel';
import { SlackConfig } from '../../channel/vendor/slack.channel';
import { TeamsConfig } from '../../channel/vendor/teams.channel';
import { TelegramConfig } from '../../channel/vendor/telegram.channel';
import { TwilioConfig } from '../../channel/vendor/twilio.channel';
import { WebhookConfig } from '../../channel/vendor/webhook.channel';

/** The channels that files from other programs can be converted to. */
const CONFIGS: Readonly<Record<string, ConfigClass>> = {
  email: EmailConfig,
  webhook: WebhookConfig,
  slack: SlackConfig,
  discord: DiscordConfig,
  teams: TeamsConfig,
  telegram: TelegramConfig,
  pagerduty: PagerDutyConfig,
  opsgenie: OpsgenieConfig,
  twilio: TwilioConfig,
};

/** The channel rules that the converters need. */
export const CHANNEL_RULES: ChannelRules = {
  problems: (type, config) => configProblems(classOf(type), config),
  isHidden: (type, path) => isMarkedAt(classOf(type), path),
};

function classOf(type: string): ConfigClass {
  const known = CONFIGS[type];
  if (!known) throw new Error(`a file cannot be converted to a channel of type ${type}`);
  return known;
}
