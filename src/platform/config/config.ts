import {
  HasEncodedCredentials,
  IsDomainName,
  IsSender,
  brokenRules,
  IsCidr,
  IsContact,
  IsDatabaseUrl,
  IsGroupRule,
  IsHeaderName,
  IsHostPort,
  IsHttpUrl,
  IsIssuer,
  IsNotEverybody,
  IsPublicUrl,
  IsScopes,
  IsSecretsKey,
  IsSmtpUrl,
  IsSwitch,
  IsToken,
  IsWholeNumber,
  MostCharacters,
  MostItems,
  OneOf,
  publicBaseOf,
} from './config-rules';
import { ConfigError, Env, readSettings } from './env';
import { INTERVAL_BOUNDS } from './check-bounds';

/**
 * All settings of the service with their names, units, bounds, and defaults. A test compares `.env.example` with this
 * class.
 */
export class Config {
  /** Address to listen on. */
  @Env('HOST') @MostCharacters(255) host = '127.0.0.1';

  /** TCP port to listen on. 0 selects a free one. */
  @Env('PORT') @IsWholeNumber(0, 65_535) port = 3000;

  /**
   * `postgres://user:password@host:port/database`. If unset, the embedded database in `dataDir` is used.
   * `embedded:memory` is an in-memory embedded database.
   */
  @Env('DATABASE_URL') @IsDatabaseUrl @HasEncodedCredentials databaseUrl: string | null = null;

  /** Maximum PostgreSQL connections that this process uses for requests. */
  @Env('DATABASE_POOL_API') @IsWholeNumber(2, 1000) databasePoolApi = 10;

  /** Maximum PostgreSQL connections that this process uses for checks and deliveries. */
  @Env('DATABASE_POOL_WORKER') @IsWholeNumber(2, 1000) databasePoolWorker = 10;

  /** Directory for the embedded database, its lock, and the generated first key. */
  @Env('DATA_DIR') dataDir = './data';

  /**
   * If `off`, commits in the embedded database do not wait for the disk, and a power failure can lose or damage data.
   * For tests and benchmarks.
   */
  @Env('DATABASE_SYNC') @IsSwitch databaseSync = true;

  /** First admin key for the Default organization. Used only while no organization exists. */
  @Env('BOOTSTRAP_API_KEY') @IsToken bootstrapApiKey: string | null = null;

  /** Bearer token for the operator routes. If unset, these routes don't exist. */
  @Env('OPERATOR_TOKEN') @IsToken operatorToken: string | null = null;

  /** If `off`, every request acts as an admin of the Default organization. Only for a trusted network. */
  @Env('AUTH') @IsSwitch auth = true;

  /** Allows AUTH=off on a HOST that others can reach. Without it, the service refuses to start in that case. */
  @Env('AUTH_OFF_ANYWHERE') @IsSwitch authOffAnywhere = false;

  /**
   * Public URL of the dashboard, including its path, without a trailing slash. If set, every message contains a link to
   * the dashboard.
   */
  @Env('PUBLIC_URL') @IsPublicUrl publicUrl: string | null = null;

  /**
   * Contact for reporting vulnerabilities in this installation, shown in `/.well-known/security.txt`. If unset, the
   * file doesn't exist.
   */
  @Env('SECURITY_CONTACT') @IsContact securityContact: string | null = null;

  /** CIDRs of proxies whose `X-Forwarded-For` is trusted, separated by commas. Must not contain all addresses. */
  @Env('TRUSTED_PROXIES') @MostItems(50) @IsCidr @IsNotEverybody trustedProxies: string[] = [];

  /**
   * Header in which these proxies send the signed-in user. Ignored from any other address. Requires `trustedProxies`.
   */
  @Env('PROXY_USER_HEADER') @IsHeaderName proxyUserHeader: string | null = null;

  /** Header with that user's display name. */
  @Env('PROXY_NAME_HEADER') @IsHeaderName proxyNameHeader: string | null = null;

  /** Header with that user's groups. */
  @Env('PROXY_GROUPS_HEADER') @IsHeaderName proxyGroupsHeader: string | null = null;

  /** Character that separates groups in that header. `|` for authentik. */
  @Env('PROXY_GROUPS_SEPARATOR') @OneOf([',', '|', ';']) proxyGroupsSeparator: ',' | '|' | ';' = ',';

  /** OpenID Connect provider for sign-in. An https URL, or http on the local machine. Requires `publicUrl`. */
  @Env('OIDC_ISSUER') @IsIssuer oidcIssuer: string | null = null;

  /** Client ID registered with the provider. The redirect URI is `<PUBLIC_URL>/auth/oidc/callback`. */
  @Env('OIDC_CLIENT_ID') @MostCharacters(255) oidcClientId: string | null = null;

  /** If unset, the service is a public client that authenticates with PKCE alone. */
  @Env('OIDC_CLIENT_SECRET') @MostCharacters(1000) oidcClientSecret: string | null = null;

  /** Label for the button on the sign-in page. */
  @Env('OIDC_NAME') @MostCharacters(60) oidcName = 'Single sign-on';

  /** Scopes to request from the provider, separated by spaces. */
  @Env('OIDC_SCOPES') @MostCharacters(1000) @IsScopes oidcScopes = 'openid profile email';

  /** Claim that lists a person's groups. */
  @Env('OIDC_GROUPS_CLAIM') @MostCharacters(255) oidcGroupsClaim = 'groups';

  /**
   * Rights for the provider's groups: `group=organization:role` or `group=operator`, separated by commas. A trailing
   * `*` matches any suffix.
   */
  @Env('GROUP_ROLES') @MostItems(200) @MostCharacters(600) @IsGroupRule groupRoles: string[] = [];

  /** If `off`, people sign in only with single sign-on or one-time links. */
  @Env('PASSWORD_LOGIN') @IsSwitch passwordLogin = true;

  /** If `off`, no second factor is required or can be set up, even if an organization requires one. */
  @Env('SECOND_FACTOR') @IsSwitch secondFactor = true;

  /**
   * With AUTH=off: hostnames (or name:port) that requests may use in addition to localhost and the listen address,
   * separated by commas.
   */
  @Env('ALLOWED_HOSTS') @MostItems(50) @MostCharacters(255) allowedHosts: string[] = [];

  /**
   * Whether private and loopback targets are allowed: `auto` = only for the Default organization, `allow` = for all
   * organizations, `deny` = for none.
   */
  @Env('EGRESS_PRIVATE') @OneOf(['auto', 'allow', 'deny']) egressPrivate: 'auto' | 'allow' | 'deny' = 'auto';

  /**
   * CIDRs that checks may connect to although they are private or reserved, separated by commas. Never allows
   * link-local or metadata addresses.
   */
  @Env('EGRESS_ALLOW') @IsCidr egressAllow: string[] = [];

  /** CIDRs that checks never connect to, separated by commas. */
  @Env('EGRESS_DENY') @IsCidr egressDeny: string[] = [];

  /** `smtp://user:password@host:587` or `smtps://…`. The account for `email` alerts without a separate account. */
  @Env('SMTP_URL') @IsSmtpUrl @HasEncodedCredentials smtpUrl: string | null = null;

  /**
   * Sender of `email` alerts sent through `SMTP_URL`, such as `Uptime <uptime@example.com>`. Alerts may change its
   * display name.
   */
  @Env('SMTP_FROM') @MostCharacters(320) @IsSender smtpFrom: string | null = null;

  /**
   * Name that the service sends to mail servers (EHLO). Defaults to the host in `publicUrl`, or else the sender's
   * domain.
   */
  @Env('SMTP_EHLO_NAME') @IsDomainName smtpEhloName: string | null = null;

  /**
   * Maximum recipients per hour to which one organization may send through `SMTP_URL`. 0 = no limit. Doesn't apply to
   * the Default organization.
   */
  @Env('MAIL_RECIPIENTS_PER_HOUR') @IsWholeNumber(0, 1_000_000) mailRecipientsPerHour = 200;

  /**
   * Keys in the form `id:base64 of 32 bytes`, separated by commas. The first key encrypts stored credentials. All keys
   * can decrypt them.
   */
  @Env('SECRETS_KEYS') @IsSecretsKey secretsKeys: string[] = [];

  /** In seconds. An endpoint with a shorter `interval` is rejected. */
  @Env('MIN_INTERVAL_SECONDS')
  @IsWholeNumber(INTERVAL_BOUNDS.minimum, INTERVAL_BOUNDS.maximum)
  minIntervalSeconds: number = INTERVAL_BOUNDS.minimum;

  /** Maximum concurrent checks in this process. If there are several organizations, each gets at most half. */
  @Env('MAX_CONCURRENT_CHECKS') @IsWholeNumber(1, 50_000) maxConcurrentChecks = 2000;

  /**
   * Maximum concurrent API requests in this process. Additional requests get 503 `temporarily_unavailable`. Strangers
   * get at most half.
   */
  @Env('MAX_CONCURRENT_REQUESTS') @IsWholeNumber(1, 100_000) maxConcurrentRequests = 500;

  /**
   * Maximum connections from one IPv4 address or IPv6 /64. Above this number, the connection that has been idle the
   * longest is closed.
   */
  @Env('MAX_CONNECTIONS_PER_ADDRESS') @IsWholeNumber(10, 100_000) maxConnectionsPerAddress = 2000;

  /**
   * Seconds until an idle client connection is closed. Must be longer than the keep-alive timeout of proxies in front.
   */
  @Env('KEEP_ALIVE_SECONDS') @IsWholeNumber(5, 3600) keepAliveSeconds = 125;

  /** Seconds to continue serving after a stop signal. During this time, the service is not ready. */
  @Env('DRAIN_SECONDS') @IsWholeNumber(0, 15) drainSeconds = 0;

  /** Whether to gzip responses of 1 KiB or more. Set to `off` if a proxy compresses responses. */
  @Env('COMPRESSION') @IsSwitch compression = true;

  /**
   * Requests per second per IPv4 address or IPv6 /64, for public status pages and for pages linked from messages. 0 =
   * no limit.
   */
  @Env('STATUS_RATE_LIMIT_PER_SECOND') @IsWholeNumber(0, 100_000) statusRateLimitPerSecond = 100;

  /** Requests per second per API key. 0 = no limit. */
  @Env('RATE_LIMIT_PER_SECOND') @IsWholeNumber(0, 100_000) rateLimitPerSecond = 100;

  /** Maximum websites per organization. This setting and the next three don't apply to the Default organization. */
  @Env('QUOTA_WEBSITES') @IsWholeNumber(1, 10_000_000) quotaWebsites = 1000;

  /** Maximum endpoints per organization. */
  @Env('QUOTA_ENDPOINTS') @IsWholeNumber(1, 10_000_000) quotaEndpoints = 10_000;

  /** Maximum alerts per organization. */
  @Env('QUOTA_ALERTS') @IsWholeNumber(1, 10_000_000) quotaAlerts = 20_000;

  /** Maximum checks per second for an organization's endpoints: the sum of 1 / interval, including paused endpoints. */
  @Env('QUOTA_CHECKS_PER_SECOND') @IsWholeNumber(1, 10_000_000) quotaChecksPerSecond = 500;

  /** Maximum alerts per endpoint. This quota and the quotas below apply to every organization. */
  @Env('QUOTA_ALERTS_PER_ENDPOINT') @IsWholeNumber(1, 10_000_000) quotaAlertsPerEndpoint = 50;

  /** If `off`, a ping with `create=1` does not create a heartbeat. */
  @Env('PING_CREATE') @IsSwitch pingCreate = true;

  /** Maximum API keys per organization. */
  @Env('QUOTA_API_KEYS') @IsWholeNumber(1, 10_000_000) quotaApiKeys = 100;

  /** Maximum public status pages per organization, including disabled ones. */
  @Env('QUOTA_STATUS_PAGES') @IsWholeNumber(1, 10_000_000) quotaStatusPages = 100;

  /** Maximum members per organization, including open invitations. */
  @Env('QUOTA_PEOPLE') @IsWholeNumber(1, 10_000_000) quotaPeople = 100;

  /** Maximum probes per organization, in addition to the probes that the operator shares. 0 = none. */
  @Env('QUOTA_PROBES') @IsWholeNumber(0, 10_000_000) quotaProbes = 20;

  /**
   * Which organizations may serve a status page under a custom hostname: `auto` = the Default organization, `allow` =
   * all, `deny` = none.
   */
  @Env('STATUS_PAGE_DOMAINS') @OneOf(['auto', 'allow', 'deny']) statusPageDomains: 'auto' | 'allow' | 'deny' = 'auto';

  /** If `off`, no one can create links to reports, and existing links don't work. */
  @Env('REPORT_LINKS') @IsSwitch reportLinks = true;

  /** Maximum concurrent live streams per organization in this process. */
  @Env('QUOTA_STREAMS') @IsWholeNumber(1, 10_000_000) quotaStreams = 100;

  /**
   * Maximum bytes that an organization's changes may add per UTC day: audit log entries and the history of maintenance
   * windows.
   */
  @Env('QUOTA_CHANGED_BYTES_PER_DAY') @IsWholeNumber(1, 1_000_000_000_000) quotaChangedBytesPerDay = 67_108_864;

  /** Days for which individual checks are kept. */
  @Env('RAW_RETENTION_DAYS') @IsWholeNumber(1, 3650) rawRetentionDays = 30;

  /** Days for which hourly and daily stats are kept. */
  @Env('ROLLUP_RETENTION_DAYS') @IsWholeNumber(1, 36_500) rollupRetentionDays = 400;

  /** Days for which alert events are kept. The events of an alert's latest incident are always kept. */
  @Env('EVENT_RETENTION_DAYS') @IsWholeNumber(1, 36_500) eventRetentionDays = 400;

  /** Whether to repeat a failed check once before it is recorded, if the failure would trigger an alert. */
  @Env('CONFIRM_FAILURES') @IsSwitch confirmFailures = true;

  /** Whether to notify an organization's default contacts once when another contact has been failing for a week. */
  @Env('TELL_FAILING_CONTACTS') @IsSwitch tellFailingContacts = true;

  /**
   * Whether an endpoint's alerts notify about a certificate that is about to expire. The endpoint becomes degraded in
   * any case.
   */
  @Env('TELL_ENDING_CERTIFICATES') @IsSwitch tellEndingCertificates = true;

  /** `host:port` pairs to connect to if failures suggest a problem in the monitor's own network. */
  @Env('CONNECTIVITY_TARGETS') @MostItems(20) @IsHostPort connectivityTargets: string[] = [];

  /** URL that is requested every minute while the consistency check passes. */
  @Env('HEARTBEAT_URL') @IsHttpUrl @HasEncodedCredentials heartbeatUrl: string | null = null;

  /** URL that receives a POST request when an overload of this process starts and ends. */
  @Env('OPERATOR_WEBHOOK_URL') @IsHttpUrl @HasEncodedCredentials operatorWebhookUrl: string | null = null;

  /**
   * `all` runs everything. `api` only serves requests. `worker` only runs checks and deliveries. `probe` runs checks
   * for another service (`ProbeConfig`).
   */
  @Env('ROLE') @OneOf(['all', 'api', 'worker', 'probe']) role: 'all' | 'api' | 'worker' | 'probe' = 'all';

  /** `trace`, `debug`, `info`, `warn`, `error`, or `silent`. */
  @Env('LOG_LEVEL') @OneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']) logLevel = 'info';

  /**
   * Extensions, separated by commas. Each is a package or a file path that starts with `./` or `/`, and its default
   * export is the extension.
   */
  @Env('EXTENSIONS') @MostItems(50) @MostCharacters(500) extensions: string[] = [];

  /** Named failure points for tests (`outbox.after_send=kill`). Rejected if NODE_ENV is production. */
  @Env('FAILPOINTS') failpoints: string[] = [];
}

/** Reads the environment. Throws a `ConfigError` that lists all problems. */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const config = readSettings(Config, environment, brokenRules);
  if (config.publicUrl !== null) config.publicUrl = publicBaseOf(config.publicUrl);
  const excluded = [...contradictionsIn(config), ...proxyContradictionsIn(config)];
  if (excluded.length > 0) throw new ConfigError(excluded);
  return config;
}

/** Returns problems with settings that are valid separately but not together. */
function contradictionsIn({ auth, authOffAnywhere, host, publicUrl, oidcIssuer, oidcClientId }: Config): string[] {
  const found = !auth && !authOffAnywhere && !LOOPBACK.test(host) ? [OPEN_TO_OTHERS] : [];
  if (oidcIssuer === null) return oidcClientId === null ? found : [...found, NO_ISSUER];
  if (!auth) found.push(NOBODY_SIGNS_IN);
  if (publicUrl === null) found.push(NO_WAY_BACK);
  if (oidcClientId === null) found.push(NO_CLIENT);
  return found;
}

function proxyContradictionsIn(config: Config): string[] {
  const { auth, trustedProxies, proxyUserHeader, proxyNameHeader, proxyGroupsHeader } = config;
  if (proxyUserHeader === null) return proxyNameHeader === null && proxyGroupsHeader === null ? [] : [NO_USER_HEADER];
  const found = trustedProxies.length === 0 ? [NO_TRUSTED_PROXY] : [];
  if (!auth) found.push(NOBODY_IS_TOLD);
  return found;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;
const OPEN_TO_OTHERS =
  'AUTH=off makes everyone who can reach HOST an administrator: set HOST=127.0.0.1, or AUTH_OFF_ANYWHERE=on if you want that.';
const NO_ISSUER =
  'OIDC_CLIENT_ID has no effect without OIDC_ISSUER: set OIDC_ISSUER to the URL of the provider, or unset OIDC_CLIENT_ID.';
const NOBODY_SIGNS_IN =
  'OIDC_ISSUER cannot be used with AUTH=off, because no one signs in with AUTH=off: unset one of them.';
const NO_WAY_BACK =
  'OIDC_ISSUER needs PUBLIC_URL, such as https://uptime.example.com: the provider redirects browsers back to it.';
const NO_CLIENT =
  'OIDC_ISSUER needs OIDC_CLIENT_ID: register this service with the provider, with the redirect URI <PUBLIC_URL>/auth/oidc/callback.';
const NO_USER_HEADER =
  'PROXY_NAME_HEADER and PROXY_GROUPS_HEADER have no effect without PROXY_USER_HEADER: set PROXY_USER_HEADER to the header with the user, or unset the others.';
const NO_TRUSTED_PROXY =
  'PROXY_USER_HEADER needs TRUSTED_PROXIES, the addresses of your proxy, because otherwise anyone could send that header.';
const NOBODY_IS_TOLD =
  'PROXY_USER_HEADER cannot be used with AUTH=off, because every request then acts as an administrator: unset one of them.';
