import { Module, Global } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { NetModule } from '../platform/net/net.module';
import { ChannelConfigs } from './config/channel-configs';
import { ChannelRegistry } from './channel.registry';
import { DiscordChannel } from './vendor/discord.channel';
import { EmailChannel } from './email/email.channel';
import { OpsgenieChannel } from './vendor/opsgenie.channel';
import { PagerDutyChannel } from './vendor/pagerduty.channel';
import { SlackChannel } from './vendor/slack.channel';
import { OperatorMail } from './email/operator-mail';
import { SmtpClient } from './email/smtp-client';
import { TeamsChannel } from './vendor/teams.channel';
import { TelegramChannel } from './vendor/telegram.channel';
import { TwilioChannel } from './vendor/twilio.channel';
import { WebhookChannel } from './vendor/webhook.channel';
import { NtfyChannel } from './declared/ntfy.channel';
import { GotifyChannel } from './declared/gotify.channel';
import { PushoverChannel } from './declared/pushover.channel';
import { PushbulletChannel } from './declared/pushbullet.channel';
import { BarkChannel } from './declared/bark.channel';
import { MattermostChannel } from './declared/mattermost.channel';
import { GoogleChatChannel } from './declared/google-chat.channel';
import { RocketChatChannel } from './declared/rocketchat.channel';
import { MatrixChannel } from './declared/matrix.channel';
import { ZulipChannel } from './declared/zulip.channel';
import { SignalChannel } from './declared/signal.channel';
import { FeishuChannel } from './declared/feishu.channel';
import { DingTalkChannel } from './declared/dingtalk.channel';
import { WeComChannel } from './declared/wecom.channel';
import { LineChannel } from './declared/line.channel';
import { AppriseChannel } from './declared/apprise.channel';
import { HomeAssistantChannel } from './declared/home-assistant.channel';
import { AlertmanagerChannel } from './declared/alertmanager.channel';
import { SplunkOnCallChannel } from './declared/splunk-oncall.channel';
import { IlertChannel } from './declared/ilert.channel';
import { ProviderClient } from './provider-client';

/**
 * The client that channels use for sending. It can be injected everywhere, because extensions have their channels in
 * their own modules.
 */
@Global()
@Module({ imports: [NetModule], providers: [ProviderClient], exports: [ProviderClient] })
class ProviderModule {}

/**
 * All channels, one line each. Independent of the database and the routes. Requires the global `Config` and `Clock`.
 */
@Module({
  imports: [DiscoveryModule, NetModule, ProviderModule],
  providers: [
    ChannelRegistry,
    ChannelConfigs,
    SmtpClient,
    OperatorMail,
    EmailChannel,
    WebhookChannel,
    SlackChannel,
    DiscordChannel,
    TeamsChannel,
    TelegramChannel,
    PagerDutyChannel,
    OpsgenieChannel,
    TwilioChannel,
    NtfyChannel,
    GotifyChannel,
    PushoverChannel,
    PushbulletChannel,
    BarkChannel,
    MattermostChannel,
    GoogleChatChannel,
    RocketChatChannel,
    MatrixChannel,
    ZulipChannel,
    SignalChannel,
    FeishuChannel,
    DingTalkChannel,
    WeComChannel,
    LineChannel,
    AppriseChannel,
    HomeAssistantChannel,
    AlertmanagerChannel,
    SplunkOnCallChannel,
    IlertChannel,
  ],
  exports: [ChannelRegistry, ChannelConfigs, OperatorMail],
})
export class ChannelModule {}
