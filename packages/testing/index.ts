// The exports of `uptime-monitor/testing`, for use in Jest tests.
export { type ChannelBench, openChannelBench } from './channel/channel-bench';
export {
  type ChannelSuite,
  describeChannel,
  httpStatuses,
  type LimitedText,
  type StatusRow,
} from './channel/describe-channel';
export { notificationOf } from './channel/notifications';
export {
  type BrokenRule,
  httpDouble,
  type HttpProviderFake,
  type HttpVendor,
  type ProviderDouble,
  type ProviderFake,
  type ReceivedMessage,
} from './channel/provider-double';
export {
  CANARY,
  type CheckerBench,
  type CheckerSuite,
  describeChecker,
  expectWellFormed,
  type LiveTarget,
  type PassiveCheckerSuite,
  runCheck,
} from './checker/describe-checker';
export { closedEgress, dialerWith, egressWithout, openEgress } from './checker/network';
export { ScriptedChecker, type ScriptedResult, ScriptedTarget } from './checker/scripted-checker';
export { describeService } from './contract/describe-service';
export type { Given, GivenKey, ServiceContractOptions, ServiceKeys } from './contract/session/service-keys';
export { eventually } from './eventually';
export type { ProbeSettings, ServiceOfProbe } from './probe/new-probe';
export { type ScriptedProbe, startScriptedProbe } from './probe/scripted-probe';
export { type StartedProbe, startProbe } from './probe/start-probe';
export { DISCORD_SECRETS, fakeDiscord } from './providers/discord';
export { EMAIL_ACCOUNT, EMAIL_SECRETS, type EmailFake, fakeEmail } from './providers/email';
export type { PagedIncident } from './providers/incidents';
export { fakeOpsgenie, OPSGENIE_SECRETS, type OpsgenieFake } from './providers/opsgenie';
export { fakePagerDuty, PAGERDUTY_SECRETS, type PagerDutyFake } from './providers/pagerduty';
export { fakeSlack, SLACK_SECRETS } from './providers/slack';
export { fakeTeams, TEAMS_SECRETS } from './providers/teams';
export { fakeTelegram, TELEGRAM_SECRETS, type TelegramFake } from './providers/telegram';
export { fakeTwilio, TWILIO_API_KEY, TWILIO_SECRETS, TWILIO_SERVICE } from './providers/twilio';
export {
  WEBHOOK_SECRETS,
  type WebhookEvent,
  type WebhookSink,
  webhookSink,
  type WebhookSinkOptions,
} from './providers/webhook-sink';
export { type DnsScript, type DnsServerReply, DnsTestServer as DnsServer } from './servers/dns-server';
export {
  FakeProvider,
  type ProviderAction,
  type ProviderScript,
  type ReceivedRequest,
  type ScriptedResponse,
} from './servers/fake-provider';
export { always, type HttpScript, HttpTarget, rawResponse, type SeenRequest } from './servers/http-target';
export { type MailScript, type ReceivedMail, SmtpSink } from './servers/smtp-sink';
export { type SshServer, startSshServer } from './servers/ssh-server';
export { closedPort, silence, slam, TcpTarget } from './servers/tcp-target';
export { Api, type ApiResponse } from './service/api';
export type { Duration } from './service/duration';
export type { PingedEndpoint, PingExtras, SentKind } from './service/heartbeats';
export {
  OPERATOR_TOKEN,
  type Service,
  type ServiceOptions,
  type ServiceOrganization,
  startService,
} from './service/start-service';
