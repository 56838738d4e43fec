import type { Config } from '../../platform/config/config';
import { type Problem, problems } from '../../platform/problem/problem';

/** An organization's quotas, in the same order as in the API. */
export const QUOTA_NAMES = [
  'websites',
  'endpoints',
  'alerts',
  'alerts_per_endpoint',
  'checks_per_second',
  'api_keys',
  'status_pages',
  'people',
  'probes',
  'streams',
  'changed_bytes_per_day',
] as const;
export type QuotaName = (typeof QUOTA_NAMES)[number];

/** Quotas that the database counts per organization. The others are counted where they are used. */
export const COUNTED_QUOTAS = [
  'websites',
  'endpoints',
  'alerts',
  'checks_per_second',
  'api_keys',
  'status_pages',
  'people',
  'probes',
] as const satisfies readonly QuotaName[];
export type CountedQuota = (typeof COUNTED_QUOTAS)[number];

/** `null` means no limit. */
export type Limits = Readonly<Record<QuotaName, number | null>>;
/** The limits that the operator has set for one organization. */
export type QuotaOverrides = Partial<Record<QuotaName, number>>;

/**
 * The quotas that don't apply to the Default organization: those on what it monitors. All other quotas apply to it too,
 * because a mistake would hurt it as much as any other organization.
 */
const OPEN_TO_DEFAULT: ReadonlySet<QuotaName> = new Set(['websites', 'endpoints', 'alerts', 'checks_per_second']);

const SETTINGS = {
  websites: 'quotaWebsites',
  endpoints: 'quotaEndpoints',
  alerts: 'quotaAlerts',
  alerts_per_endpoint: 'quotaAlertsPerEndpoint',
  checks_per_second: 'quotaChecksPerSecond',
  api_keys: 'quotaApiKeys',
  status_pages: 'quotaStatusPages',
  people: 'quotaPeople',
  probes: 'quotaProbes',
  streams: 'quotaStreams',
  changed_bytes_per_day: 'quotaChangedBytesPerDay',
} as const satisfies Readonly<Record<QuotaName, keyof Config>>;
export type QuotaSettings = Pick<Config, (typeof SETTINGS)[QuotaName]>;

/** The nouns for quotas in error messages. */
export const QUOTA_WORDS: Readonly<Record<QuotaName, string>> = {
  websites: 'websites',
  endpoints: 'endpoints',
  alerts: 'alerts',
  alerts_per_endpoint: 'alerts on one endpoint',
  checks_per_second: 'checks per second, the sum of 1 / interval over all endpoints',
  api_keys: 'API keys',
  status_pages: 'status pages',
  people: 'members, including open invitations',
  probes: 'probes',
  streams: 'live streams',
  changed_bytes_per_day: 'bytes that changes add in a day',
};

/** Returns an organization's limits. A value that is set for the organization overrides the installation's limit. */
export function limitsOf(
  organization: { isDefault: boolean; overrides: QuotaOverrides },
  settings: QuotaSettings,
): Limits {
  const limit = (name: QuotaName): number | null =>
    organization.overrides[name] ??
    (organization.isDefault && OPEN_TO_DEFAULT.has(name) ? null : settings[SETTINGS[name]]);
  return Object.fromEntries(QUOTA_NAMES.map((name) => [name, limit(name)])) as Record<QuotaName, number | null>;
}

/**
 * Returns the overrides after a change. Fields that were not sent are kept, and `null` restores the installation's
 * limit.
 */
export function changedOverrides(
  before: QuotaOverrides,
  sent: Readonly<Partial<Record<QuotaName, number | null>>>,
): QuotaOverrides {
  const after: QuotaOverrides = {};
  for (const name of QUOTA_NAMES) {
    const value = sent[name] === undefined ? before[name] : sent[name];
    if (value !== undefined && value !== null) after[name] = value;
  }
  return after;
}

/** Returns a problem if `wanted` more would exceed the limit, otherwise `null`. */
export function refusalOf(name: QuotaName, limit: number | null, used: number, wanted: number): Problem | null {
  if (limit === null || wanted <= 0 || used + wanted <= limit) return null;
  return problems.quotaExceeded({ name, limit, used }, QUOTA_WORDS[name]);
}
