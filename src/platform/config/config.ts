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

/** Every setting of the service: name, unit, bounds and default in one place. A test compares `.env.example` with it. */
export class Config {
  /** Address to listen on. */
  @Env('HOST') @MostCharacters(255) host = '127.0.0.1';

  /** TCP port to listen on; 0 takes a free one. */
  @Env('PORT') @IsWholeNumber(0, 65_535) port = 3000;

  /** `postgres://user:password@host:port/database`. Unset: embedded in `dataDir`. `embedded:memory`: embedded, nothing kept. */
  @Env('DATABASE_URL') @IsDatabaseUrl @HasEncodedCredentials databaseUrl: string | null = null;

  /** Connections to PostgreSQL that requests of this process may have at once. */
  @Env('DATABASE_POOL_API') @IsWholeNumber(2, 1000) databasePoolApi = 10;

  /** Connections to PostgreSQL that checks and deliveries of this process may have at once. */
  @Env('DATABASE_POOL_WORKER') @IsWholeNumber(2, 1000) databasePoolWorker = 10;

  /** Directory of the embedded database, its lock and the generated first key. */
  @Env('DATA_DIR') dataDir = './data';

  /** If `off`, commits of the embedded database do not wait for the disk, and a power cut can lose or damage data. For tests and benchmarks. */
  @Env('DATABASE_SYNC') @IsSwitch databaseSync = true;

  /** First admin key of organization "Default"; used only while no organization exists. */
  @Env('BOOTSTRAP_API_KEY') @IsToken bootstrapApiKey: string | null = null;

  /** Bearer token of the operator routes; unset: they do not exist. */
  @Env('OPERATOR_TOKEN') @IsToken operatorToken: string | null = null;

  /** `off`: every request acts as Default's admin. Only for a trusted network. */
  @Env('AUTH') @IsSwitch auth = true;

  /** With AUTH=off the start is refused on a HOST that others can reach, unless this is on. */
  @Env('AUTH_OFF_ANYWHERE') @IsSwitch authOffAnywhere = false;

  /** Where people reach the dashboard from outside, a path included, without a slash at its end. With it every message links to its page. */
  @Env('PUBLIC_URL') @IsPublicUrl publicUrl: string | null = null;

  /** Where people report a vulnerability of this installation, for `/.well-known/security.txt`. Unset: there is no such file. */
  @Env('SECURITY_CONTACT') @IsContact securityContact: string | null = null;

  /** CIDRs of proxies whose `X-Forwarded-For` is believed, comma-separated; of nobody else it is read. Never everybody. */
  @Env('TRUSTED_PROXIES') @MostItems(50) @IsCidr @IsNotEverybody trustedProxies: string[] = [];

  /** The header in which these proxies say who has signed in there; of nobody else it is read. Needs `trustedProxies`. */
  @Env('PROXY_USER_HEADER') @IsHeaderName proxyUserHeader: string | null = null;

  /** The header with the name to show for that user. */
  @Env('PROXY_NAME_HEADER') @IsHeaderName proxyNameHeader: string | null = null;

  /** The header with the groups of that user. */
  @Env('PROXY_GROUPS_HEADER') @IsHeaderName proxyGroupsHeader: string | null = null;

  /** The one character that separates groups in that header: `|` for authentik. */
  @Env('PROXY_GROUPS_SEPARATOR') @OneOf([',', '|', ';']) proxyGroupsSeparator: ',' | '|' | ';' = ',';

  /** OpenID Connect provider that people may sign in with: its https URL, or http on this machine. Needs `publicUrl`. */
  @Env('OIDC_ISSUER') @IsIssuer oidcIssuer: string | null = null;

  /** As it is registered with the provider, whose redirect URI is `<PUBLIC_URL>/auth/oidc/callback`. */
  @Env('OIDC_CLIENT_ID') @MostCharacters(255) oidcClientId: string | null = null;

  /** Unset: a public client, which the provider knows by PKCE alone. */
  @Env('OIDC_CLIENT_SECRET') @MostCharacters(1000) oidcClientSecret: string | null = null;

  /** What the button of the sign-in page says. */
  @Env('OIDC_NAME') @MostCharacters(60) oidcName = 'Single sign-on';

  /** What the provider is asked for; separated by spaces. */
  @Env('OIDC_SCOPES') @MostCharacters(1000) @IsScopes oidcScopes = 'openid profile email';

  /** The claim that lists the groups of a person. */
  @Env('OIDC_GROUPS_CLAIM') @MostCharacters(255) oidcGroupsClaim = 'groups';

  /** What groups of the provider may do: `group=organization:role` or `group=operator`, comma-separated; a `*` ends a beginning. */
  @Env('PEOPLE_GROUPS') @MostItems(200) @MostCharacters(600) @IsGroupRule peopleGroups: string[] = [];

  /** `off`: people sign in by single sign-on or one-time links only. */
  @Env('PASSWORDS') @IsSwitch passwords = true;

  /** `off`: no one is asked for a second factor, also where an organization requires one, and none is set up. */
  @Env('SECOND_FACTOR') @IsSwitch secondFactor = true;

  /** With AUTH=off: names (or name:port) besides localhost and the own address that requests may be sent to, comma-separated. */
  @Env('ALLOWED_HOSTS') @MostItems(50) @MostCharacters(255) allowedHosts: string[] = [];

  /** Private and loopback targets: `auto` = for the Default organization only, `allow` = for all, `deny` = for none. */
  @Env('EGRESS_PRIVATE') @OneOf(['auto', 'allow', 'deny']) egressPrivate: 'auto' | 'allow' | 'deny' = 'auto';

  /** CIDRs that may be dialed although private or reserved, comma-separated. Never opens link-local or metadata addresses. */
  @Env('EGRESS_ALLOW') @IsCidr egressAllow: string[] = [];

  /** CIDRs that are never dialed, comma-separated. */
  @Env('EGRESS_DENY') @IsCidr egressDeny: string[] = [];

  /** `smtp://user:password@host:587` or `smtps://…`: the account that sends `email` alerts without their own. */
  @Env('SMTP_URL') @IsSmtpUrl @HasEncodedCredentials smtpUrl: string | null = null;

  /** Sender of `email` alerts through `SMTP_URL`, e.g. `Uptime <uptime@example.com>`; alerts may change its display name. */
  @Env('SMTP_FROM') @MostCharacters(320) @IsSender smtpFrom: string | null = null;

  /** The name that the service gives to mail servers (EHLO). Unset: the host of `publicUrl`, else the domain of the sender. */
  @Env('SMTP_EHLO_NAME') @IsDomainName smtpEhloName: string | null = null;

  /** Recipients per hour that one organization other than Default may send to through `SMTP_URL`; 0 = no limit. */
  @Env('MAIL_RECIPIENTS_PER_HOUR') @IsWholeNumber(0, 1_000_000) mailRecipientsPerHour = 200;

  /** `id:base64 of 32 bytes`, comma-separated: the first encrypts stored credentials, all decrypt. */
  @Env('SECRETS_KEYS') @IsSecretsKey secretsKeys: string[] = [];

  /** Seconds; a smaller `interval` of an endpoint is refused. */
  @Env('MIN_INTERVAL_SECONDS')
  @IsWholeNumber(INTERVAL_BOUNDS.minimum, INTERVAL_BOUNDS.maximum)
  minIntervalSeconds: number = INTERVAL_BOUNDS.minimum;

  /** Checks in flight at once in this process; of several organizations none has more than half of it. */
  @Env('MAX_CONCURRENT_CHECKS') @IsWholeNumber(1, 50_000) maxConcurrentChecks = 2000;

  /** API requests served at once by this process; further ones get 503 `temporarily_unavailable`. Strangers have at most half of them. */
  @Env('MAX_CONCURRENT_REQUESTS') @IsWholeNumber(1, 100_000) maxConcurrentRequests = 500;

  /** Connections from one IPv4 address or IPv6 /64; beyond it the one that has been idle for longest is closed. */
  @Env('MAX_CONNECTIONS_PER_ADDRESS') @IsWholeNumber(10, 100_000) maxConnectionsPerAddress = 2000;

  /** Seconds until an idle connection of a client is closed: longer than the proxies in front keep theirs. */
  @Env('KEEP_ALIVE_SECONDS') @IsWholeNumber(5, 3600) keepAliveSeconds = 125;

  /** Seconds for which it goes on serving after a signal to stop, while it is not ready. */
  @Env('DRAIN_SECONDS') @IsWholeNumber(0, 15) drainSeconds = 0;

  /** Gzip responses of 1 KiB and more; `off` where a proxy does it. */
  @Env('COMPRESSION') @IsSwitch compression = true;

  /** Requests for public status pages, and for pages behind links of messages, per second and IPv4 address or IPv6 /64; 0 = no limit. */
  @Env('STATUS_RATE_LIMIT_PER_SECOND') @IsWholeNumber(0, 100_000) statusRateLimitPerSecond = 100;

  /** Requests per second and API key; 0 = no limit. */
  @Env('RATE_LIMIT_PER_SECOND') @IsWholeNumber(0, 100_000) rateLimitPerSecond = 100;

  /** Websites that an organization may have. This and the next three hold for every organization but Default. */
  @Env('QUOTA_WEBSITES') @IsWholeNumber(1, 10_000_000) quotaWebsites = 1000;

  /** Endpoints that an organization may have. */
  @Env('QUOTA_ENDPOINTS') @IsWholeNumber(1, 10_000_000) quotaEndpoints = 10_000;

  /** Alerts that an organization may have. */
  @Env('QUOTA_ALERTS') @IsWholeNumber(1, 10_000_000) quotaAlerts = 20_000;

  /** Checks per second that the endpoints of an organization may ask for: the sum of 1 / interval, paused ones included. */
  @Env('QUOTA_CHECKS_PER_SECOND') @IsWholeNumber(1, 10_000_000) quotaChecksPerSecond = 500;

  /** Alerts that one endpoint may have. This and the next three hold for every organization. */
  @Env('QUOTA_ALERTS_PER_ENDPOINT') @IsWholeNumber(1, 10_000_000) quotaAlertsPerEndpoint = 50;

  /** `off`: a ping with `create=1` creates no heartbeat. */
  @Env('PING_CREATE') @IsSwitch pingCreate = true;

  /** API keys that an organization may have. */
  @Env('QUOTA_API_KEYS') @IsWholeNumber(1, 10_000_000) quotaApiKeys = 100;

  /** Public status pages that an organization may have, disabled ones included. */
  @Env('QUOTA_STATUS_PAGES') @IsWholeNumber(1, 10_000_000) quotaStatusPages = 100;

  /** People that an organization may have, open invitations included. */
  @Env('QUOTA_PEOPLE') @IsWholeNumber(1, 10_000_000) quotaPeople = 100;

  /** Probes that an organization may have, beside those that the operator shares. 0: none. */
  @Env('QUOTA_PROBES') @IsWholeNumber(0, 10_000_000) quotaProbes = 20;

  /** Who may show a status page under a host name of its own: `auto` = the Default organization, `allow` = all, `deny` = none. */
  @Env('STATUS_PAGE_DOMAINS') @OneOf(['auto', 'allow', 'deny']) statusPageDomains: 'auto' | 'allow' | 'deny' = 'auto';

  /** Live streams that an organization may have open at once in this process. */
  @Env('QUOTA_STREAMS') @IsWholeNumber(1, 10_000_000) quotaStreams = 100;

  /** Bytes that the changes of an organization may add on one UTC day: entries of the audit log, history of maintenance windows. */
  @Env('QUOTA_CHANGED_BYTES_PER_DAY') @IsWholeNumber(1, 1_000_000_000_000) quotaChangedBytesPerDay = 67_108_864;

  /** Days that single checks are kept. */
  @Env('RAW_RETENTION_DAYS') @IsWholeNumber(1, 3650) rawRetentionDays = 30;

  /** Days that hourly and daily stats are kept. */
  @Env('ROLLUP_RETENTION_DAYS') @IsWholeNumber(1, 36_500) rollupRetentionDays = 400;

  /** Days that alert events are kept; those of an alert's newest incident stay. */
  @Env('EVENT_RETENTION_DAYS') @IsWholeNumber(1, 36_500) eventRetentionDays = 400;

  /** Repeat a failure that would trigger an alert once before it is recorded. */
  @Env('CONFIRM_FAILURES') @IsSwitch confirmFailures = true;

  /** Tell the default contacts of an organization once when another contact has been failing for a week. */
  @Env('TELL_FAILING_CONTACTS') @IsSwitch tellFailingContacts = true;

  /** Tell by the alerts of an endpoint that its certificate ends soon; the endpoint is degraded either way. */
  @Env('TELL_ENDING_CERTIFICATES') @IsSwitch tellEndingCertificates = true;

  /** `host:port` pairs that are dialed when failures look as if our own network was the cause. */
  @Env('CONNECTIVITY_TARGETS') @MostItems(20) @IsHostPort connectivityTargets: string[] = [];

  /** Requested every minute while the consistency check passes. */
  @Env('HEARTBEAT_URL') @IsHttpUrl @HasEncodedCredentials heartbeatUrl: string | null = null;

  /** Gets a POST when an overload of this process begins and ends. */
  @Env('OPERATOR_WEBHOOK_URL') @IsHttpUrl @HasEncodedCredentials operatorWebhookUrl: string | null = null;

  /** `all`; `api` serves only; `worker` checks and delivers only; `probe` checks for a service elsewhere (`ProbeConfig`). */
  @Env('ROLE') @OneOf(['all', 'api', 'worker', 'probe']) role: 'all' | 'api' | 'worker' | 'probe' = 'all';

  /** `trace` `debug` `info` `warn` `error` `silent`. */
  @Env('LOG_LEVEL') @OneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']) logLevel = 'info';

  /** Packages, or files beginning with `./` or `/`, whose default export is an extension; comma-separated. */
  @Env('EXTENSIONS') @MostItems(50) @MostCharacters(500) extensions: string[] = [];

  /** Named places to fail at, for tests (`outbox.after_send=kill`); refused when NODE_ENV is production. */
  @Env('FAILPOINTS') failpoints: string[] = [];
}

/** Reads the environment. Throws a `ConfigError` that lists every problem at once. */
export function loadConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const config = readSettings(Config, environment, brokenRules);
  if (config.publicUrl !== null) config.publicUrl = publicBaseOf(config.publicUrl);
  const excluded = [...contradictionsIn(config), ...proxyContradictionsIn(config)];
  if (excluded.length > 0) throw new ConfigError(excluded);
  return config;
}

/** What is right alone and wrong together. */
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
