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
  httpDouble,
  type HttpVendor,
  type ProviderDouble,
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
export { eventually } from '../testing/eventually';
export { type DnsScript, type DnsServerReply, DnsTestServer as DnsServer } from '../testing/servers/dns-server';
export { FakeProvider, type ProviderScript, type ReceivedRequest } from '../testing/servers/fake-provider';
export { always, type HttpScript, HttpTarget, rawResponse, type SeenRequest } from '../testing/servers/http-target';
export { type MailScript, type ReceivedMail, SmtpSink } from '../testing/servers/smtp-sink';
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
