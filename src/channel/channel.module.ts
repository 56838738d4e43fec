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
  ],
  exports: [ChannelRegistry, ChannelConfigs, OperatorMail],
})
export class ChannelModule {}
