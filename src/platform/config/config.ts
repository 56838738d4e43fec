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

/** Every setting of the service with its name, unit, bounds, and default. A test compares `.env.example` with it. */
export class Config {
  /** Address to listen on. */
  @Env('HOST') @MostCharacters(255) host = '127.0.0.1';

  /** TCP port to listen on. 0 selects a free one. */
  @Env('PORT') @IsWholeNumber(0, 65_535) port = 3000;

  /**
   * `postgres://user:password@host:port/database`. Unset: embedded in `dataDir`. `embedded:memory`: embedded, in memory
   * only.
   */
  @Env('DATABASE_URL') @IsDatabaseUrl @HasEncodedCredentials databaseUrl: string | null = null;

  /** Maximum PostgreSQL connections for requests of this process. */
  @Env('DATABASE_POOL_API') @IsWholeNumber(2, 1000) databasePoolApi = 10;

  /** Maximum PostgreSQL connections for checks and deliveries of this process. */
  @Env('DATABASE_POOL_WORKER') @IsWholeNumber(2, 1000) databasePoolWorker = 10;

  /** Directory of the embedded database, its lock, and the generated first key. */
  @Env('DATA_DIR') dataDir = './data';

  /**
   * If `off`, commits of the embedded database do not wait for the disk, and a power cut can lose or damage data. For
   * tests and benchmarks.
   */
  @Env('DATABASE_SYNC') @IsSwitch databaseSync = true;

  /** First admin key of the Default organization. Used only while no organization exists. */
  @Env('BOOTSTRAP_API_KEY') @IsToken bootstrapApiKey: string | null = null;

  /** Bearer token of the operator routes. If unset, these routes don't exist. */
  @Env('OPERATOR_TOKEN') @IsToken operatorToken: string | null = null;

  /** If `off`, every request acts as an admin of the Default organization. Only for a trusted network. */
  @Env('AUTH') @IsSwitch auth = true;

  /** Allows AUTH=off on a HOST that others can reach. Otherwise the service refuses to start. */
  @Env('AUTH_OFF_ANYWHERE') @IsSwitch authOffAnywhere = false;

  /**
   * Public URL of the dashboard, including a path, without a trailing slash. If set, every message links to its page.
   */
  @Env('PUBLIC_URL') @IsPublicUrl publicUrl: string | null = null;

  /**
   * Contact for reports of vulnerabilities in this installation, for `/.well-known/security.txt`. If unset, the file
   * doesn't exist.
   */
  @Env('SECURITY_CONTACT') @IsContact securityContact: string | null = null;

  /** CIDRs of proxies whose `X-Forwarded-For` is trusted, comma-separated. Never all addresses. */
  @Env('TRUSTED_PROXIES') @MostItems(50) @IsCidr @IsNotEverybody trustedProxies: string[] = [];

  /** Header in which these proxies pass the signed-in user. Ignored from any other address. Needs `trustedProxies`. */
  @Env('PROXY_USER_HEADER') @IsHeaderName proxyUserHeader: string | null = null;

  /** Header with that user's display name. */
  @Env('PROXY_NAME_HEADER') @IsHeaderName proxyNameHeader: string | null = null;

  /** Header with that user's groups. */
  @Env('PROXY_GROUPS_HEADER') @IsHeaderName proxyGroupsHeader: string | null = null;

  /** Character that separates groups in that header. `|` for authentik. */
  @Env('PROXY_GROUPS_SEPARATOR') @OneOf([',', '|', ';']) proxyGroupsSeparator: ',' | '|' | ';' = ',';

  /** OpenID Connect provider for sign-in. An https URL, or http on this machine. Needs `publicUrl`. */
  @Env('OIDC_ISSUER') @IsIssuer oidcIssuer: string | null = null;

  /** Client ID registered with the provider. The redirect URI is `<PUBLIC_URL>/auth/oidc/callback`. */
  @Env('OIDC_CLIENT_ID') @MostCharacters(255) oidcClientId: string | null = null;

  /** If unset, this is a public client, which proves itself with PKCE alone. */
  @Env('OIDC_CLIENT_SECRET') @MostCharacters(1000) oidcClientSecret: string | null = null;

  /** Label of the button on the sign-in page. */
  @Env('OIDC_NAME') @MostCharacters(60) oidcName = 'Single sign-on';

  /** Scopes to request from the provider, separated by spaces. */
  @Env('OIDC_SCOPES') @MostCharacters(1000) @IsScopes oidcScopes = 'openid profile email';

  /** Claim that lists a person's groups. */
  @Env('OIDC_GROUPS_CLAIM') @MostCharacters(255) oidcGroupsClaim = 'groups';

  /**
   * Rights of the provider's groups: `group=organization:role` or `group=operator`, comma-separated. A trailing `*`
   * matches any rest.
   */
  @Env('GROUP_ROLES') @MostItems(200) @MostCharacters(600) @IsGroupRule groupRoles: string[] = [];

  /** If `off`, people sign in only with single sign-on or one-time links. */
  @Env('PASSWORD_LOGIN') @IsSwitch passwordLogin = true;

  /** If `off`, no second factor is asked for or set up, even if an organization requires one. */
  @Env('SECOND_FACTOR') @IsSwitch secondFactor = true;

  /**
   * With AUTH=off: host names (or name:port) that requests may use in addition to localhost and the listen address,
   * comma-separated.
   */
  @Env('ALLOWED_HOSTS') @MostItems(50) @MostCharacters(255) allowedHosts: string[] = [];

  /** Private and loopback targets: `auto` = for the Default organization only, `allow` = for all, `deny` = for none. */
  @Env('EGRESS_PRIVATE') @OneOf(['auto', 'allow', 'deny']) egressPrivate: 'auto' | 'allow' | 'deny' = 'auto';

  /**
   * CIDRs that may be dialed although they are private or reserved, comma-separated. Never opens link-local or metadata
   * addresses.
   */
  @Env('EGRESS_ALLOW') @IsCidr egressAllow: string[] = [];

  /** CIDRs that are never dialed, comma-separated. */
  @Env('EGRESS_DENY') @IsCidr egressDeny: string[] = [];

  /** `smtp://user:password@host:587` or `smtps://…`. The account for `email` alerts without their own. */
  @Env('SMTP_URL') @IsSmtpUrl @HasEncodedCredentials smtpUrl: string | null = null;

  /**
   * Sender of `email` alerts through `SMTP_URL`, such as `Uptime <uptime@example.com>`. Alerts may change its display
   * name.
   */
  @Env('SMTP_FROM') @MostCharacters(320) @IsSender smtpFrom: string | null = null;

  /**
   * Name that the service sends to mail servers (EHLO). Unset: the host of `publicUrl`, else the domain of the sender.
   */
  @Env('SMTP_EHLO_NAME') @IsDomainName smtpEhloName: string | null = null;

  /**
   * Recipients per hour to which one organization may send through `SMTP_URL`. 0 = no limit. Doesn't apply to the
   * Default organization.
   */
  @Env('MAIL_RECIPIENTS_PER_HOUR') @IsWholeNumber(0, 1_000_000) mailRecipientsPerHour = 200;

  /** `id:base64 of 32 bytes`, comma-separated. The first encrypts stored credentials, all decrypt. */
  @Env('SECRETS_KEYS') @IsSecretsKey secretsKeys: string[] = [];

  /** Seconds. A smaller `interval` of an endpoint is refused. */
  @Env('MIN_INTERVAL_SECONDS')
  @IsWholeNumber(INTERVAL_BOUNDS.minimum, INTERVAL_BOUNDS.maximum)
  minIntervalSeconds: number = INTERVAL_BOUNDS.minimum;

  /** Maximum concurrent checks in this process. If there are several organizations, each gets at most half of them. */
  @Env('MAX_CONCURRENT_CHECKS') @IsWholeNumber(1, 50_000) maxConcurrentChecks = 2000;

  /**
   * Maximum concurrent API requests in this process. More get 503 `temporarily_unavailable`. Strangers have at most
   * half of them.
   */
  @Env('MAX_CONCURRENT_REQUESTS') @IsWholeNumber(1, 100_000) maxConcurrentRequests = 500;

  /** Maximum connections from one IPv4 address or IPv6 /64. Above it, the longest idle connection is closed. */
  @Env('MAX_CONNECTIONS_PER_ADDRESS') @IsWholeNumber(10, 100_000) maxConnectionsPerAddress = 2000;

  /** Seconds until an idle client connection is closed. Longer than proxies in front keep theirs. */
  @Env('KEEP_ALIVE_SECONDS') @IsWholeNumber(5, 3600) keepAliveSeconds = 125;

  /** Seconds to continue serving after a stop signal, while the service is not ready. */
  @Env('DRAIN_SECONDS') @IsWholeNumber(0, 15) drainSeconds = 0;

  /** Whether to gzip responses of 1 KiB and more. Set `off` if a proxy does it. */
  @Env('COMPRESSION') @IsSwitch compression = true;

  /**
   * Requests per second and IPv4 address or IPv6 /64 for public status pages and for pages linked from messages. 0 = no
   * limit.
   */
  @Env('STATUS_RATE_LIMIT_PER_SECOND') @IsWholeNumber(0, 100_000) statusRateLimitPerSecond = 100;

  /** Requests per second and API key. 0 = no limit. */
  @Env('RATE_LIMIT_PER_SECOND') @IsWholeNumber(0, 100_000) rateLimitPerSecond = 100;

  /** Maximum websites of an organization. This and the next three don't apply to the Default organization. */
  @Env('QUOTA_WEBSITES') @IsWholeNumber(1, 10_000_000) quotaWebsites = 1000;

  /** Maximum endpoints of an organization. */
  @Env('QUOTA_ENDPOINTS') @IsWholeNumber(1, 10_000_000) quotaEndpoints = 10_000;

  /** Maximum alerts of an organization. */
  @Env('QUOTA_ALERTS') @IsWholeNumber(1, 10_000_000) quotaAlerts = 20_000;

  /** Maximum checks per second of an organization's endpoints: the sum of 1 / interval, including paused ones. */
  @Env('QUOTA_CHECKS_PER_SECOND') @IsWholeNumber(1, 10_000_000) quotaChecksPerSecond = 500;

  /** Maximum alerts of one endpoint. This and the next three apply to every organization. */
  @Env('QUOTA_ALERTS_PER_ENDPOINT') @IsWholeNumber(1, 10_000_000) quotaAlertsPerEndpoint = 50;

  /** If `off`, a ping with `create=1` creates no heartbeat. */
  @Env('PING_CREATE') @IsSwitch pingCreate = true;

  /** Maximum API keys of an organization. */
  @Env('QUOTA_API_KEYS') @IsWholeNumber(1, 10_000_000) quotaApiKeys = 100;

  /** Maximum public status pages of an organization, including disabled ones. */
  @Env('QUOTA_STATUS_PAGES') @IsWholeNumber(1, 10_000_000) quotaStatusPages = 100;

  /** Maximum members of an organization, including open invitations. */
  @Env('QUOTA_PEOPLE') @IsWholeNumber(1, 10_000_000) quotaPeople = 100;

  /** Maximum probes of an organization, in addition to the probes that the operator shares. 0: none. */
  @Env('QUOTA_PROBES') @IsWholeNumber(0, 10_000_000) quotaProbes = 20;

  /**
   * Which organizations may serve a status page under a custom host name: `auto` = the Default organization, `allow` =
   * all, `deny` = none.
   */
  @Env('STATUS_PAGE_DOMAINS') @OneOf(['auto', 'allow', 'deny']) statusPageDomains: 'auto' | 'allow' | 'deny' = 'auto';

  /** Maximum concurrent live streams of an organization in this process. */
  @Env('QUOTA_STREAMS') @IsWholeNumber(1, 10_000_000) quotaStreams = 100;

  /**
   * Maximum bytes that an organization's changes may add per UTC day: entries of the audit log, history of maintenance
   * windows.
   */
  @Env('QUOTA_CHANGED_BYTES_PER_DAY') @IsWholeNumber(1, 1_000_000_000_000) quotaChangedBytesPerDay = 67_108_864;

  /** Days that single checks are kept. */
  @Env('RAW_RETENTION_DAYS') @IsWholeNumber(1, 3650) rawRetentionDays = 30;

  /** Days that hourly and daily stats are kept. */
  @Env('ROLLUP_RETENTION_DAYS') @IsWholeNumber(1, 36_500) rollupRetentionDays = 400;

  /** Days that alert events are kept. The events of an alert's newest incident stay. */
  @Env('EVENT_RETENTION_DAYS') @IsWholeNumber(1, 36_500) eventRetentionDays = 400;

  /** Whether to repeat a failure once before it is recorded, if it would trigger an alert. */
  @Env('CONFIRM_FAILURES') @IsSwitch confirmFailures = true;

  /** Whether to notify an organization's default contacts once when another contact has been failing for a week. */
  @Env('TELL_FAILING_CONTACTS') @IsSwitch tellFailingContacts = true;

  /** Whether an endpoint's alerts notify about an expiring certificate. The endpoint becomes degraded either way. */
  @Env('TELL_ENDING_CERTIFICATES') @IsSwitch tellEndingCertificates = true;

  /** `host:port` pairs that are dialed if failures suggest that the monitor's network is the cause. */
  @Env('CONNECTIVITY_TARGETS') @MostItems(20) @IsHostPort connectivityTargets: string[] = [];

  /** Requested every minute while the consistency check passes. */
  @Env('HEARTBEAT_URL') @IsHttpUrl @HasEncodedCredentials heartbeatUrl: string | null = null;

  /** Gets a POST when an overload of this process starts and ends. */
  @Env('OPERATOR_WEBHOOK_URL') @IsHttpUrl @HasEncodedCredentials operatorWebhookUrl: string | null = null;

  /**
   * `all` runs everything. `api` only serves. `worker` only checks and delivers. `probe` checks for another service
   * (`ProbeConfig`).
   */
  @Env('ROLE') @OneOf(['all', 'api', 'worker', 'probe']) role: 'all' | 'api' | 'worker' | 'probe' = 'all';

  /** `trace` `debug` `info` `warn` `error` `silent`. */
  @Env('LOG_LEVEL') @OneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']) logLevel = 'info';

  /** Packages, or files starting with `./` or `/`, whose default export is an extension. Comma-separated. */
  @Env('EXTENSIONS') @MostItems(50) @MostCharacters(500) extensions: string[] = [];

  /** Named places to fail at, for tests (`outbox.after_send=kill`). Refused if NODE_ENV is production. */
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

/** Returns the problems of settings that are valid separately but not together. */
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
