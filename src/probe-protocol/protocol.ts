import type { Assertion } from '../checker/assertion/assertion';
import type { ErrorCode, CheckPhase, Outcome } from '../checker/checker';
import type { TlsSettings } from '../checker/tls-settings';

/**
 * What probe and service say to each other: protocol 1, docs/probe-protocol.md. Both sides ignore fields they do not know. Times are
 * milliseconds since the epoch by the clock of the service's database.
 */
export const PROTOCOL = 1;
/** What the service speaks: this one and the one before. */
export const SUPPORTED_PROTOCOLS: readonly number[] = [PROTOCOL];

export const POLL_PATH = '/api/v1/probe/poll';
export const RESULTS_PATH = '/api/v1/probe/results';

/** Seconds that a poll may wait: below what every proxy allows a response to take. */
export const MAX_WAIT_SECONDS = 20;
/** Results of one request. */
export const MAX_RESULTS = 1000;
/** Definitions of one response, and about the bytes of their JSON. */
export const MAX_DEFINITIONS = 500;
export const MAX_DEFINITIONS_BYTES = 1024 * 1024;
/** Of a request: as sent, and unpacked. */
export const MAX_SENT_BYTES = 256 * 1024;
export const MAX_UNPACKED_BYTES = 512 * 1024;
/** How long a probe goes on without hearing of the service. */
export const LEASE_MS = 15 * 60_000;
/** A probe counts as online for so long after it was heard. */
export const ONLINE_MS = 60_000;
/** A standby takes over from a session that was not heard for so long. */
export const SESSION_MS = 45_000;
export const SESSION_FORM = /^[0-9a-zA-Z-]{16,64}$/;

/** "What shall I do?" */
export interface PollRequest {
  protocol: number;
  /** Of this process, `SESSION_FORM`: the newest one of a token is the one that works. */
  session: string;
  /** It was replaced and waits for the session that did to fall silent. */
  standby: boolean;
  /** Of the response before, opaque; `null` at first. */
  cursor: string | null;
  /** Seconds, 0 to `MAX_WAIT_SECONDS`. */
  wait: number;
  /** The program's. */
  version: string;
  types: string[];
  /** Its own wall clock. */
  clock: number;
  /** Every ten minutes: how many definitions it holds, and `digestOf` them; else 0 and `null`. */
  count: number;
  digest: string | null;
  /** Results that it holds; given up, and slots skipped, since its start. */
  buffered: number;
  dropped: number;
  skipped: number;
  /** Age of the oldest result that it holds. */
  lag_ms: number;
  rtt_ms: number;
}

export interface PollResponse {
  now: number;
  /** It begins no check after this. */
  lease_until: number;
  cursor: string;
  /** `endpoints` of this response and of those that follow it while `more` are all there are. */
  full: boolean;
  more: boolean;
  removed: string[];
  /** How long to wait before the next request. */
  pause_ms: number;
  endpoints: AssignedEndpoint[];
  asks: Ask[];
}

/** An endpoint to be checked. */
export interface AssignedEndpoint {
  endpoint_id: string;
  organization: string;
  revision: number;
  /** Seconds. */
  interval: number;
  /** Its slots are `phase_ms` + k · `interval`, since the epoch. */
  phase_ms: number;
  /** New or changed: the newest slot is run now, spread over the lesser of the interval and 30 s. */
  at_once: boolean;
  /** A failure is repeated once where its streak reaches this; `null`: never. */
  confirm_at: number | null;
  allow_private: boolean;
  definition: Definition;
}

/** What a check consists of, with its secrets, as `toCheckRequest` takes it. */
export interface Definition {
  type: string;
  url: string;
  /** Seconds. */
  timeout: number;
  method: string;
  headers: { key: string; value: string }[];
  body: string | null;
  follow_redirects: boolean;
  assertions: Assertion[];
  tls: TlsSettings | null;
  certificate_warn_days?: number | null;
}

/** A check that somebody waits for. */
export interface Ask {
  ask: string;
  /** `null` for a try-out, which has a `definition`. */
  endpoint_id: string | null;
  definition: Definition | null;
  /** Of a try-out: as of an endpoint. */
  organization?: string;
  allow_private?: boolean;
  expires_at: number;
}

export interface ResultsRequest {
  protocol: number;
  session: string;
  /** At most `MAX_RESULTS`, those of one endpoint in their order. */
  results: SentResult[];
}

export interface SentResult {
  /** `null` for that of a try-out. */
  endpoint_id: string | null;
  /** `null` for that of a try-out. */
  revision: number | null;
  /** `null` for that of an ask. */
  slot: number | null;
  ask: string | null;
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

/** A `CheckResult`. */
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

/** Why a result was not taken: of another probe, deleted or paused; of an older revision; no slot of the endpoint; a time ahead; a time long past; not readable. */
export const REFUSALS = ['not_assigned', 'stale_revision', 'not_a_slot', 'in_future', 'too_old', 'invalid'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** Committed: what is neither refused nor a duplicate is stored. */
export interface ResultsResponse {
  now: number;
  recorded: number;
  duplicates: number;
  /** Of those recorded: later than their location may be silent, so they wake nobody. */
  late: number;
  refused: { index: number; code: Refusal }[];
  pause_ms: number;
}
