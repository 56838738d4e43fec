import { PAGES_BY_PATH } from './help-page';

/** The guides that explain where the values of a channel come from. Channels of extensions have none. */
const BY_CHANNEL: Readonly<Record<string, string>> = {
  email: 'guides/notify/email',
  webhook: 'guides/notify/webhook',
  slack: 'guides/notify/slack',
  discord: 'guides/notify/discord',
  teams: 'guides/notify/teams',
  telegram: 'guides/notify/telegram',
  pagerduty: 'guides/notify/pagerduty',
  opsgenie: 'guides/notify/opsgenie',
  twilio: 'guides/notify/sms-twilio',
};

export const helpForChannel = (type: string): string | null => BY_CHANNEL[type] ?? null;

const BY_TYPE: Readonly<Record<string, string>> = {
  HTTP: 'guides/monitor/website',
  HTTPS: 'guides/monitor/website',
  TCP: 'guides/monitor/tcp-port',
  DNS: 'guides/monitor/dns',
  ICMP: 'guides/monitor/ping',
  SSH: 'guides/monitor/ssh',
  HEARTBEAT: 'guides/monitor/cron-job',
  PROBE: 'guides/locations/add-a-probe',
};

/** Returns the help page for a type of endpoint. For types of extensions, it is the list of types. */
export const helpForType = (type: string): string => BY_TYPE[type] ?? 'reference/check-types';

/** Failures that the form explains, and failures without a code of the API. */
const EXPLAINED = new Set(['validation_failed', 'precondition_failed', 'unknown', 'unreachable']);

/** Returns the help page for an error code of the API, or `null` if the form says everything. */
export const helpForProblem = (code: string): string | null =>
  EXPLAINED.has(code) ? null : `reference/problems#${code}`;

/** Every help page that the dashboard links to. A test compares it with the pages that exist. */
export const LINKED_HELP: readonly string[] = [
  ...PAGES_BY_PATH,
  ...Object.values(BY_CHANNEL),
  ...Object.values(BY_TYPE),
  'reference/check-types',
  'reference/problems#quota_exceeded',
  'guides/operate/scaling#more-checks-than-fit',
  'guides/operate/lost-access',
  'reference/api',
];
