import { DiscoveryService } from '@nestjs/core';
import type { EgressRule } from '../platform/net/egress/egress-policy';
import { HOST_FORM, normalizeHost } from '../platform/net/egress/host-name';
import type { Assertion, AssertionSource } from './assertion/assertion';
import type { TlsSettings } from './tls-settings';

/** The built-in types: the service does not start without one of them. Others may be added by any module. */
export const SPEC_CHECKER_TYPES = ['HTTP', 'HTTPS', 'TCP', 'DNS', 'ICMP', 'SSH'] as const;

/**
 * `up` and `down` speak about the target. `unknown` means that the fault is ours or that we were not allowed to look;
 * it is recorded, kept out of uptime and streaks, and never triggers an alert.
 */
export type Outcome = 'up' | 'down' | 'unknown';

/** Where in its life a check ended. */
export type CheckPhase = 'dns' | 'connect' | 'tls' | 'first_byte' | 'transfer' | 'assertion' | 'internal' | 'run';

/**
 * Every reason a check can give; public and stable. The position in this list is what is stored:
 * append only, never reorder.
 */
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
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface CheckError {
  code: ErrorCode;
  phase: CheckPhase;
  /** One plain sentence for the person on call; at most 300 characters, never a secret, never a body. */
  message: string;
}

/** Milliseconds on the monotonic clock, with fractions; `null` for a phase the check did not reach or does not have. */
export interface CheckPhases {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  transferMs: number | null;
}

export interface Certificate {
  /** ISO 8601 with milliseconds, UTC. When an authority in the chain ends before the certificate itself, that is its end. */
  expiresAt: string;
  /** The authority that ends first, by its name; `null` or absent: the certificate itself does. */
  authority?: string | null;
  issuer: string;
  subject: string;
  /** Subject alternative names, at most 20. */
  names: string[];
}

export interface CheckResult {
  outcome: Outcome;
  /** Sum of the phases: our own scheduling gaps are not billed to the target. */
  durationMs: number;
  phases: CheckPhases;
  statusCode: number | null;
  /** The address that was connected to, without port. */
  address: string | null;
  /** Reported also when its verification failed. */
  certificate: Certificate | null;
  /** DNS: the records, one line each. SSH: the identification and the host key's fingerprint. Otherwise `null`. */
  records: string[] | null;
  /** The URLs that were redirected to, without credentials and query, at most 5 of 500 characters. */
  redirects: string[];
  /** `null` exactly when the outcome is `up`. */
  error: CheckError | null;
  /** The first assertion of severity `warning` that failed although the outcome is `up`, or a certificate that ends soon: the target is degraded. */
  warning: CheckError | null;
}

/** Everything that one check needs. Holds no secret that a result may repeat. */
export interface CheckRequest<Target> {
  target: Target;
  /** HTTP(S) only; the other types ignore the next five. */
  method: string;
  headers: readonly { key: string; value: string }[];
  body: string | null;
  followRedirects: boolean;
  /** `null`: the defaults. */
  tls: TlsSettings | null;
  assertions: readonly Assertion[];
  /** A certificate that ends in so many days or fewer is a warning; `null` or absent: it is none. */
  certificateWarnDays?: number | null;
  /** By whose clock the days of a certificate are counted, milliseconds since the epoch; absent: this machine's. */
  now?: (() => number) | undefined;
  /** Which addresses this organization may be connected to. Judged on every address that is dialed. */
  egress: EgressRule;
}

/** Thrown by `parseTarget`. `message` says what is wrong and shows the accepted form; it is public. */
export class InvalidTarget extends Error {}

/** A target that is a port of a host. */
export interface HostPort {
  host: string;
  port: number;
}

/** How the targets of one type are written that are a host and a port. */
export interface HostPortForm {
  /** The scheme before `://`, which may be left out. */
  scheme: string;
  /** Without it the port must be written; with it the target may also end in a slash, as URLs do. */
  defaultPort?: number;
  /** What a target is, such as "a TCP target is a host and a port": said of what is none. */
  what: string;
  /** The `targetForm` of the checker. */
  form: string;
}

const HOST_PORT = /^(\[[^\]]*\]|[^:[\]/?#@]+)(?::(\d{1,5}))?(\/?)$/;

/** Reads `host:port`, with or without a scheme. Throws `InvalidTarget`. */
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
 * One type of check. Implementations live one per file, carry `@Checker('TYPE')` and are listed once in a module's
 * providers; the registry finds them in any module.
 *
 * `check` never throws for a failed target: that is a result. A throw is a bug; the caller logs it and records `unknown`.
 * `CheckResultBuilder` makes the result and deals with whatever ends a check early. It must settle soon after `signal` aborts, with every socket it opened destroyed. The signal's `reason` is a
 * `DeadlineExceeded` when the endpoint's own timeout ran out (that is the target's failure), anything else is ours.
 */
export interface Checker<Target = unknown> {
  /** The assertion sources that make sense for this type; others are refused when the endpoint is saved. */
  readonly assertionSources: readonly AssertionSource[];
  /** Accepted form of the target, shown in errors and in the API reference, e.g. `tcp://host:port`. */
  readonly targetForm: string;
  /** Parses without network. Throws `InvalidTarget`. */
  parseTarget(url: string): Target;
  /** The hosts (names or addresses) in the target; one that the egress policy refuses is refused when the endpoint is saved. */
  hostsOf?(target: Target): string[];
  check(request: CheckRequest<Target>, signal: AbortSignal): Promise<CheckResult>;
  /**
   * Nothing ever runs `check`: the results of such endpoints are sent to the monitor. They have no slots, and checks that a
   * client asks for are refused.
   */
  readonly passive?: boolean;
}

/** Marks a provider as the checker of one type: `@Checker('TCP')`. Upper case, unique over the whole application. */
export const Checker = DiscoveryService.createDecorator<string>();
