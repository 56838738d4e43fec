import type { Assertion } from '../checker/assertion/assertion';
import type { ErrorCode, CheckPhase, Outcome } from '../checker/checker';
import type { WireTls } from '../checker/tls-settings';

/**
 * Version 1 of the protocol between probe and service. See docs/reference/probe-protocol.md. Both sides ignore unknown fields.
 * Times are milliseconds since the epoch, according to the clock of the service's database.
 */
export const PROTOCOL = 1;
/** The protocol versions that the service supports: the current and the previous one. */
export const SUPPORTED_PROTOCOLS: readonly number[] = [PROTOCOL];

/** A probe with this capability applies the settings of a definition. Others would ignore them. */
export const SETTINGS_CAPABILITY = 'settings';

export const POLL_PATH = '/api/v1/probe/poll';
export const RESULTS_PATH = '/api/v1/probe/results';

/** The longest time that a poll may wait, in seconds. It is shorter than the response timeout of every proxy. */
export const MAX_WAIT_SECONDS = 20;
export const MAX_RESULTS = 1000;
/** The maximum number of definitions in one response, and approximately the maximum number of bytes of their JSON. */
export const MAX_DEFINITIONS = 500;
export const MAX_DEFINITIONS_BYTES = 1024 * 1024;
/** The maximum size of a request, compressed and decompressed. */
export const MAX_SENT_BYTES = 256 * 1024;
export const MAX_UNPACKED_BYTES = 512 * 1024;
/** How long a probe continues without a response from the service. */
export const LEASE_MS = 15 * 60_000;
/** How long a probe counts as online after its last request. */
export const ONLINE_MS = 60_000;
/** A standby takes over from a session that hasn't sent a request for this long. */
export const SESSION_MS = 45_000;
export const SESSION_FORM = /^[0-9a-zA-Z-]{16,64}$/;

/** A probe's request for work. */
export interface PollRequest {
  protocol: number;
  /** The ID of this process, in `SESSION_FORM`. A token's newest session is the active one. */
  session: string;
  /** Whether it was replaced and is waiting for the other session to stop responding. */
  standby: boolean;
  /** The opaque cursor from the previous response, or `null` at first. */
  cursor: string | null;
  /** How long to wait in seconds, from 0 to `MAX_WAIT_SECONDS`. */
  wait: number;
  version: string;
  types: string[];
  /** The features that not every probe supports, such as `settings`. */
  capabilities: string[];
  /** The probe's own wall clock. */
  clock: number;
  /** The number of its definitions and their `digestOf`, sent every ten minutes. Otherwise, 0 and `null`. */
  count: number;
  digest: string | null;
  /** The number of buffered results. `dropped` and `skipped` count results and slots since the probe started. */
  buffered: number;
  dropped: number;
  skipped: number;
  /** The age of the oldest buffered result. */
  lag_ms: number;
  rtt_ms: number;
}

export interface PollResponse {
  now: number;
  /** The probe doesn't start checks after this time. */
  lease_until: number;
  cursor: string;
  /** Whether the `endpoints` in this response are complete, together with the next responses while `has_more` is set. */
  full_sync: boolean;
  has_more: boolean;
  removed: string[];
  /** How long to pause before the next request. */
  pause_ms: number;
  endpoints: AssignedEndpoint[];
  requests: Ask[];
}

export interface AssignedEndpoint {
  endpoint_id: string;
  organization: string;
  revision: number;
  /** The interval in seconds. */
  interval: number;
  /** Its slots are at `phase_ms` + k · `interval` since the epoch. */
  phase_ms: number;
  /**
   * Whether it is new or changed. If so, the newest slot runs now, spread over the shorter of the interval and 30 s.
   */
  run_now: boolean;
  /** The streak at which a failure is confirmed by a second check, or `null` for never. */
  confirm_at: number | null;
  allow_private: boolean;
  definition: Definition;
}

/** The content of a check, with its secrets, as accepted by `toCheckRequest`. */
export interface Definition {
  type: string;
  url: string;
  /** The timeout in seconds. */
  timeout: number;
  method: string;
  headers: { key: string; value: string }[];
  body: string | null;
  follow_redirects: boolean;
  assertions: Assertion[];
  tls: WireTls | null;
  certificate_warn_days?: number | null;
  /** The settings of the type with their secrets. Only sent to a probe with the capability `settings`. */
  settings?: object;
}

/** A check that a caller is waiting for. */
export interface Ask {
  request_id: string;
  /** The endpoint, or `null` for a test check, which has a `definition`. */
  endpoint_id: string | null;
  definition: Definition | null;
  /** Only for a test check, with the same meaning as for an endpoint. */
  organization?: string;
  allow_private?: boolean;
  expires_at: number;
}

export interface ResultsRequest {
  protocol: number;
  session: string;
  /** At most `MAX_RESULTS` results. Results for one endpoint are in order. */
  results: SentResult[];
}

export interface SentResult {
  /** The endpoint, or `null` for a test check. */
  endpoint_id: string | null;
  /** The endpoint's revision, or `null` for a test check. */
  revision: number | null;
  /** The slot, or `null` if the result is for an ask. */
  slot: number | null;
  request_id: string | null;
  checked_at: number;
  attempts: 1 | 2;
  first_error: SentError | null;
  result: SentCheck;
}

export interface SentError {
  code: ErrorCode;
  phase: CheckPhase;
  message: string;
}

/** A `CheckResult` as sent to the service. */
export interface SentCheck {
  outcome: Outcome;
  duration_ms: number;
  phases: {
    dns_ms: number | null;
    connect_ms: number | null;
    tls_ms: number | null;
    first_byte_ms: number | null;
    transfer_ms: number | null;
  };
  status_code: number | null;
  address: string | null;
  certificate: { expires_at: string; issuer: string; subject: string; names: string[]; authority?: string } | null;
  records: string[] | null;
  redirects: string[];
  error: SentError | null;
  warning: SentError | null;
}

/**
 * Why a result was rejected. In order: the endpoint isn't assigned to this probe (deleted or paused), the revision is
 * old, the time isn't one of the endpoint's slots, it is in the future, it is too long ago, or the result can't be
 * parsed.
 */
export const REFUSALS = ['not_assigned', 'stale_revision', 'not_a_slot', 'in_future', 'too_old', 'invalid'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** The committed outcome. Every result that is neither rejected nor a duplicate is stored. */
export interface ResultsResponse {
  now: number;
  recorded: number;
  duplicates: number;
  /**
   * The number of recorded results that came too late to notify anyone, because their location may count as not
   * responding.
   */
  late: number;
  refused: { index: number; code: Refusal }[];
  pause_ms: number;
}
