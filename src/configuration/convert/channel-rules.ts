import type { ChannelRules } from '../../../packages/convert/index';
import { isMarkedAt } from '../../channel/config/config-masking';
import type { ConfigClass } from '../../channel/config/config-metadata';
import { configProblems } from '../../channel/config/config-validation';
import { NtfyConfig } from '../../channel/declared/ntfy.channel';
import { GotifyConfig } from '../../channel/declared/gotify.channel';
import { PushoverConfig } from '../../channel/declared/pushover.channel';
import { PushbulletConfig } from '../../channel/declared/pushbullet.channel';
import { BarkConfig } from '../../channel/declared/bark.channel';
import { MattermostConfig } from '../../channel/declared/mattermost.channel';
import { GoogleChatConfig } from '../../channel/declared/google-chat.channel';
import { RocketChatConfig } from '../../channel/declared/rocketchat.channel';
import { MatrixConfig } from '../../channel/declared/matrix.channel';
import { ZulipConfig } from '../../channel/declared/zulip.channel';
import { SignalConfig } from '../../channel/declared/signal.channel';
import { FeishuConfig } from '../../channel/declared/feishu.channel';
import { DingTalkConfig } from '../../channel/declared/dingtalk.channel';
import { WeComConfig } from '../../channel/declared/wecom.channel';
import { LineConfig } from '../../channel/declared/line.channel';
import { HomeAssistantConfig } from '../../channel/declared/home-assistant.channel';
import { SplunkOnCallConfig } from '../../channel/declared/splunk-oncall.channel';
import { IlertConfig } from '../../channel/declared/ilert.channel';
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
  ntfy: NtfyConfig,
  gotify: GotifyConfig,
  pushover: PushoverConfig,
  pushbullet: PushbulletConfig,
  bark: BarkConfig,
  mattermost: MattermostConfig,
  google_chat: GoogleChatConfig,
  rocketchat: RocketChatConfig,
  matrix: MatrixConfig,
  zulip: ZulipConfig,
  signal: SignalConfig,
  feishu: FeishuConfig,
  dingtalk: DingTalkConfig,
  wecom: WeComConfig,
  line: LineConfig,
  home_assistant: HomeAssistantConfig,
  splunk_oncall: SplunkOnCallConfig,
  ilert: IlertConfig,
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
