/** The help page for each page of the dashboard, by the start of its path. The first match counts. */
const BY_PATH: readonly [path: string, page: string][] = [
  ['new/many', 'guides/monitor/many-at-once'],
  ['new', 'guides/monitor/website'],
  ['certificates', 'guides/monitor/certificate'],
  ['endpoints', 'concepts/how-a-check-runs'],
  ['incidents/new', 'guides/status-pages/incidents'],
  ['incidents', 'concepts/incidents'],
  ['alerts/failed', 'guides/notify/not-notified'],
  ['alerts/events', 'guides/notify/not-notified'],
  ['alerts', 'concepts/when-alerts-trigger'],
  ['escalation', 'guides/notify/escalation'],
  ['contacts', 'guides/notify/contacts'],
  ['maintenance', 'guides/notify/maintenance'],
  ['status-pages', 'guides/status-pages/publish'],
  ['settings/account', 'guides/people/people#a-second-factor'],
  ['settings/people', 'guides/people/people'],
  ['settings/keys', 'guides/operate/rotate-keys#rotate-an-api-key'],
  ['settings/probes', 'guides/locations/add-a-probe'],
  ['settings/configuration', 'guides/automate/configuration-as-code'],
  ['settings/audit-log', 'reference/operations#audit-log'],
  ['settings/system', 'reference/operations#health'],
  ['', ''],
];

/** Returns the path of the help page below `/help/` for a page of the dashboard. Empty for the start page. */
export const helpForPath = (path: readonly string[]): string => {
  const here = `${path.join('/')}/`;
  return BY_PATH.find(([start]) => start === '' || here.startsWith(`${start}/`))?.[1] ?? '';
};

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

/** The help page that explains how to fill an empty page, by its drawing. */
export const HELP_FOR_EMPTY: Readonly<Record<string, string>> = {
  rows: 'guides/monitor/website',
  alert: 'concepts/when-alerts-trigger',
  contacts: 'guides/notify/contacts',
  week: 'guides/notify/maintenance',
  page: 'guides/status-pages/publish',
  certificate: 'guides/monitor/certificate',
  probes: 'guides/locations/add-a-probe',
};

/** Failures that the form explains, and failures without a code of the API. */
const EXPLAINED = new Set(['validation_failed', 'precondition_failed', 'unknown', 'unreachable']);

/** Returns the help page for an error code of the API, or `null` if the form says everything. */
export const helpForProblem = (code: string): string | null =>
  EXPLAINED.has(code) ? null : `reference/problems#${code}`;

/** Every help page that the dashboard links to. A test compares it with the pages that exist. */
export const LINKED_HELP: readonly string[] = [
  ...BY_PATH.map(([, page]) => page),
  ...Object.values(BY_CHANNEL),
  ...Object.values(BY_TYPE),
  ...Object.values(HELP_FOR_EMPTY),
  'reference/check-types',
  'reference/problems#quota_exceeded',
  'guides/operate/scaling#more-checks-than-fit',
  'guides/operate/lost-access',
  'reference/api',
];
