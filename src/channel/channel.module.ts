import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { NetModule } from '../platform/net/net.module';
import { ChannelConfigs } from './channel-config';
import { ChannelRegistry } from './channel.registry';
import { DiscordChannel } from './discord.channel';
import { EmailChannel } from './email.channel';
import { OpsgenieChannel } from './opsgenie.channel';
import { PagerDutyChannel } from './pagerduty.channel';
import { ProviderCall } from './provider-call';
import { SlackChannel } from './slack.channel';
import { SmtpDelivery } from './smtp-delivery';
import { TeamsChannel } from './teams.channel';
import { TelegramChannel } from './telegram.channel';
import { TwilioChannel } from './twilio.channel';
import { WebhookChannel } from './webhook.channel';

/** The shelf of channels: one line each. Knows no database and no route. Needs the global `Config` and `Clock`. */
@Module({
  imports: [DiscoveryModule, NetModule],
  providers: [
    ChannelRegistry,
    ChannelConfigs,
    ProviderCall,
    SmtpDelivery,
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
  exports: [ChannelRegistry, ChannelConfigs],
})
export class ChannelModule {}
