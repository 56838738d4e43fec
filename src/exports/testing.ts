// What `import … from 'uptime-monitor/testing'` gives, inside jest.
export { type ChannelBench, openChannelBench } from '../testing/channel/channel-bench';
export {
  type ChannelSuite,
  describeChannel,
  httpStatuses,
  type LimitedText,
  type StatusRow,
} from '../testing/channel/describe-channel';
export { notificationOf } from '../testing/channel/notifications';
export {
  type BrokenRule,
  httpDouble,
  type HttpProviderFake,
  type HttpVendor,
  type ProviderDouble,
  type ProviderFake,
  type ReceivedMessage,
} from '../testing/channel/provider-double';
export {
  type CheckerBench,
  type CheckerSuite,
  describeChecker,
  expectWellFormed,
  type LiveTarget,
  runCheck,
} from '../testing/checker/describe-checker';
export { closedEgress, dialerWith, egressWithout, openEgress } from '../testing/checker/network';
export { ScriptedChecker, type ScriptedResult, ScriptedTarget } from '../testing/checker/scripted-checker';
export { describeService } from '../testing/contract/describe-service';
export type { Given, GivenKey, ServiceContractOptions, ServiceKeys } from '../testing/contract/session/service-keys';
export { eventually } from '../testing/eventually';
export { DISCORD_SECRETS, fakeDiscord } from '../testing/providers/discord';
export { EMAIL_ACCOUNT, EMAIL_SECRETS, type EmailFake, fakeEmail } from '../testing/providers/email';
export type { PagedIncident } from '../testing/providers/incidents';
export { fakeOpsgenie, OPSGENIE_SECRETS, type OpsgenieFake } from '../testing/providers/opsgenie';
export { fakePagerDuty, PAGERDUTY_SECRETS, type PagerDutyFake } from '../testing/providers/pagerduty';
export { fakeSlack, SLACK_SECRETS } from '../testing/providers/slack';
export { fakeTeams, TEAMS_SECRETS } from '../testing/providers/teams';
export { fakeTelegram, TELEGRAM_SECRETS, type TelegramFake } from '../testing/providers/telegram';
export { fakeTwilio, TWILIO_API_KEY, TWILIO_SECRETS, TWILIO_SERVICE } from '../testing/providers/twilio';
export {
  WEBHOOK_SECRETS,
  type WebhookEvent,
  type WebhookSink,
  webhookSink,
  type WebhookSinkOptions,
} from '../testing/providers/webhook-sink';
export { type DnsScript, type DnsServerReply, DnsTestServer as DnsServer } from '../testing/servers/dns-server';
export {
  FakeProvider,
  type ProviderAction,
  type ProviderScript,
  type ReceivedRequest,
  type ScriptedResponse,
} from '../testing/servers/fake-provider';
export { always, type HttpScript, HttpTarget, rawResponse, type SeenRequest } from '../testing/servers/http-target';
export { type MailScript, type ReceivedMail, SmtpSink } from '../testing/servers/smtp-sink';
export { type SshServer, startSshServer } from '../testing/servers/ssh-server';
export { closedPort, silence, slam, TcpTarget } from '../testing/servers/tcp-target';
export { Api, type ApiResponse } from '../testing/service/api';
export type { Duration } from '../testing/service/duration';
export {
  OPERATOR_TOKEN,
  type Service,
  type ServiceOptions,
  type ServiceOrganization,
  startService,
} from '../testing/service/start-service';
