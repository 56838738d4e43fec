import { DiscoveryService } from '@nestjs/core';
import type { EgressRule } from '../platform/net/egress/egress-policy';
import { HOST_FORM, normalizeHost } from '../platform/net/egress/host-name';
import type { Assertion, AssertionSource } from './assertion/assertion';
import type { TlsSettings } from './tls-settings';

/** The built-in types. The service doesn't start if one is missing. Any module may add others. */
export const SPEC_CHECKER_TYPES = ['HTTP', 'HTTPS', 'TCP', 'DNS', 'ICMP', 'SSH'] as const;

/**
 * The built-in types that were added after 0.1.0. If an extension already has a checker of such a type, it stays in use,
 * because the installation's endpoints were made for it.
 */
export const LATER_CHECKER_TYPES: readonly string[] = ['UDP', 'WEBSOCKET', 'GRPC', 'POSTGRES', 'REDIS', 'DOMAIN'];

/**
 * The outcome of a check. `up` and `down` describe the target. `unknown` means that the monitor failed or was not
 * allowed to check. It is recorded, but doesn't count toward uptime or streaks, and never triggers an alert.
 */
export type Outcome = 'up' | 'down' | 'unknown';

/** The phase in which a check ended. */
export type CheckPhase = 'dns' | 'connect' | 'tls' | 'first_byte' | 'transfer' | 'assertion' | 'internal' | 'run';

/** All error codes of checks. They are public and stable. The index is stored, so only append and never reorder. */
export const ERROR_CODES = [
  'dns_not_found',
  'dns_timeout',
  'dns_failure',
  'connection_refused',
  'connection_reset',
  'connection_timeout',
  'host_unreachable',
  'tls_expired',
  'tls_not_yet_valid',
  'tls_hostname_mismatch',
  'tls_untrusted',
  'tls_handshake_failed',
  'tls_timeout',
  'first_byte_timeout',
  'body_timeout',
  'protocol_error',
  'too_many_redirects',
  'status_unexpected',
  'assertion_failed',
  'icmp_timeout',
  'banner_invalid',
  'target_blocked',
  'icmp_unavailable',
  'monitor_offline',
  'internal',
  'certificate_expiring',
  'heartbeat_missed',
  'heartbeat_failed',
  'heartbeat_overran',
  'probe_offline',
  'domain_expiring',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface CheckError {
  code: ErrorCode;
  phase: CheckPhase;
  /**
   * One plain sentence for the person on call. It has at most 300 characters, and never contains a secret or a body.
   */
  message: string;
}

/**
 * The durations in milliseconds, including fractions, on the monotonic clock. `null` for a phase that the check did not
 * reach or does not have.
 */
export interface CheckPhases {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  transferMs: number | null;
}

export interface Certificate {
  /**
   * The time in ISO 8601 format, in UTC with milliseconds. If an authority in the chain expires before the certificate,
   * this is the expiry of the authority.
   */
  expiresAt: string;
  /** The name of the authority that expires first. `null` or absent if the certificate itself expires first. */
  authority?: string | null;
  issuer: string;
  subject: string;
  /** The subject alternative names, at most 20. */
  names: string[];
}

export interface CheckResult {
  outcome: Outcome;
  /** The sum of all phases. The target must not be blamed for the monitor's own scheduling delays. */
  durationMs: number;
  phases: CheckPhases;
  statusCode: number | null;
  /** The remote address of the connection, without the port. */
  address: string | null;
  /** Present even if certificate verification failed. */
  certificate: Certificate | null;
  /**
   * For DNS, the records, one per line. For SSH, the identification and the host key's fingerprint. Otherwise `null`.
   */
  records: string[] | null;
  /** The URLs of redirects, without credentials and query strings. At most 5, with 500 characters each. */
  redirects: string[];
  /** `null` if and only if the outcome is `up`. */
  error: CheckError | null;
  /**
   * The first failed warning assertion, or a warning about a certificate that expires soon. Set only if the outcome is
   * `up`. The target is degraded.
   */
  warning: CheckError | null;
}

/** Everything that one check needs. A result must not repeat any secret in it. */
export interface CheckRequest<Target, Settings extends object = object> {
  target: Target;
  /** The valid settings of the type, with decrypted secrets. Settings that were not sent are absent. */
  settings: Settings;
  /** Only used for HTTP(S). Other types ignore this field and the next four. */
  method: string;
  headers: readonly { key: string; value: string }[];
  body: string | null;
  followRedirects: boolean;
  /** `null` means that all settings are defaults. */
  tls: TlsSettings | null;
  assertions: readonly Assertion[];
  /** The number of days before expiry from which a certificate causes a warning. `null` or absent turns this off. */
  certificateWarnDays?: number | null;
  /** The clock for counting certificate days, in milliseconds since the epoch. Defaults to the system clock. */
  now?: (() => number) | undefined;
  /** The addresses that this organization may connect to. The rule applies to every connection. */
  egress: EgressRule;
}

/** A setting that breaks a rule of `settingsProblems`. */
export interface SettingsProblem {
  /** The setting, such as `password`. */
  key: string;
  code: 'required' | 'invalid_format' | 'out_of_range';
  message: string;
}

/** Thrown by `parseTarget`. `message` is public and describes the problem and the accepted form. */
export class InvalidTarget extends Error {}

export interface HostPort {
  host: string;
  port: number;
}

/** The accepted form of targets that consist of a host and a port. */
export interface HostPortForm {
  /** The scheme before `://`. Targets may omit it. */
  scheme: string;
  /** Without a default, targets must contain the port. With a default, they may also end with a slash, like URLs. */
  defaultPort?: number;
  /** A description of the target for errors, such as "a TCP target is a host and a port". */
  what: string;
  /** The `targetForm` of the checker. */
  form: string;
}

const HOST_PORT = /^(\[[^\]]*\]|[^:[\]/?#@]+)(?::(\d{1,5}))?(\/?)$/;

/** Parses `host:port`, with or without a scheme. Throws: `InvalidTarget`. */
export function parseHostPort(url: string, { scheme, defaultPort, what, form }: HostPortForm): HostPort {
  const invalid = (why: string) => new InvalidTarget(`${why}; the accepted form is ${form}`);
  const hasScheme = url.slice(0, scheme.length + 3).toLowerCase() === `${scheme}://`;
  const [, hostText, portText, slash] = HOST_PORT.exec(hasScheme ? url.slice(scheme.length + 3) : url) ?? [];
  if (hostText === undefined || (defaultPort === undefined && (portText === undefined || slash !== '')))
    throw invalid(what);
  const host = normalizeHost(hostText);
  const port = portText === undefined ? Number(defaultPort) : Number(portText);
  if (host === null) throw invalid(`the host must be ${HOST_FORM}`);
  if (port < 1 || port > 65_535) throw invalid('the port must be 1 to 65535');
  return { host, port };
}

/**
 * A type of check. Put one implementation in each file, decorate it with `@Checker('TYPE')`, and list it once in a
 * module's providers. The registry finds it in any module.
 *
 * `check` never throws for a failed target, because a failure is a result. If it throws, that is a bug. The caller logs
 * it and records `unknown`. `CheckResultBuilder` builds the result and handles anything that ends a check early.
 * `check` must destroy every socket that it opened and settle soon after `signal` aborts. The signal's `reason` is a
 * `DeadlineExceeded` if the endpoint's own timeout expired, which is the target's failure. Any other reason is the
 * monitor's failure.
 */
export interface Checker<Target = unknown, Settings extends object = object> {
  /** The assertion sources that this type supports. Others are refused when the endpoint is saved. */
  readonly assertionSources: readonly AssertionSource[];
  /** The accepted form of the target for errors and the API reference, e.g. `tcp://host:port`. */
  readonly targetForm: string;
  /** Parses a target without using the network. Throws: `InvalidTarget`. */
  parseTarget(url: string): Target;
  /**
   * Returns the hosts (names or addresses) in the target. If the egress policy refuses any of them, the endpoint cannot
   * be saved.
   */
  hostsOf?(target: Target): string[];
  /**
   * The class of the type's settings. Every property has a rule from `field` and an `@ApiProperty`. `field.Secret`
   * properties are encrypted at rest and never returned. If a type has none, all settings are refused.
   */
  readonly settingsClass?: new () => Settings;
  /** Checks rules that involve several settings, or settings and the target. Runs after validation. */
  settingsProblems?(settings: Settings, url: string): SettingsProblem[];
  check(request: CheckRequest<Target, Settings>, signal: AbortSignal): Promise<CheckResult>;
  /**
   * True if nothing ever runs `check`, because results of such endpoints are sent to the monitor. They have no slots,
   * and on-demand checks are refused.
   */
  readonly passive?: boolean;
}

/**
 * Marks a provider as the checker of one type: `@Checker('TCP')`. The type must be uppercase and unique in the
 * application.
 */
export const Checker = DiscoveryService.createDecorator<string>();
