/** Where in its life a connection ended. */
export type DialPhase = 'dns' | 'connect' | 'tls';

/** Milliseconds by the monotonic clock; `null` for a phase that was not reached or does not exist (a literal has no DNS). */
export interface DialPhases {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
}

/** What is wrong with the certificate of a peer. `message` is one public sentence. */
export interface CertificateProblem {
  code: 'tls_expired' | 'tls_not_yet_valid' | 'tls_hostname_mismatch' | 'tls_untrusted';
  message: string;
}

/**
 * `aborted`: by the signal. `target_blocked`: by the egress policy. `monitor_offline` and `internal`: the monitor's own
 * fault. The others are faults of the target.
 */
export type DialCode =
  | 'dns_not_found'
  | 'dns_timeout'
  | 'dns_failure'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_timeout'
  | 'host_unreachable'
  | 'tls_handshake_failed'
  | CertificateProblem['code']
  | 'target_blocked'
  | 'monitor_offline'
  | 'internal'
  | 'aborted';

/** No connection. The message is one public sentence; it names host, address and port at most. */
export class DialError extends Error {
  constructor(
    readonly code: DialCode,
    readonly phase: DialPhase,
    message: string,
    /** True when the monitor is the cause (no descriptors, no route, no resolver): nothing is known of the target. */
    readonly local: boolean,
    /** How far the connection came. */
    readonly phases: DialPhases = { dnsMs: null, connectMs: null, tlsMs: null },
    /** The address that was connected to, or tried last; `null` before the first attempt. */
    readonly address: string | null = null,
  ) {
    super(message);
  }
}

/** A socket fault in words: what it means for the target, or that it is our own. */
export interface SocketFault {
  code: DialCode;
  local: boolean;
  /** The predicate of a sentence about "the connection to …". */
  text: string;
}

const fault = (code: DialCode, local: boolean, text: string): SocketFault => ({ code, local, text });

const FAULTS: Record<string, SocketFault> = {
  ECONNREFUSED: fault('connection_refused', false, 'was refused'),
  ECONNRESET: fault('connection_reset', false, 'was reset by the other side'),
  ECONNABORTED: fault('connection_reset', false, 'was aborted'),
  EPIPE: fault('connection_reset', false, 'was closed by the other side while we were sending'),
  ETIMEDOUT: fault('connection_timeout', false, 'got no response'),
  EHOSTUNREACH: fault('host_unreachable', false, 'failed: the host cannot be reached'),
  EHOSTDOWN: fault('host_unreachable', false, 'failed: the host is down'),
  ENETUNREACH: fault('host_unreachable', false, 'failed: the network cannot be reached'),
  ENETDOWN: fault('monitor_offline', true, "failed: the monitor's own network is down"),
  ENONET: fault('monitor_offline', true, 'failed: the monitor has no network'),
  EINVAL: fault('monitor_offline', true, 'failed: the monitor has no route to the address'),
  EADDRNOTAVAIL: fault('internal', true, 'failed: the monitor has no free address or port for it'),
  EADDRINUSE: fault('internal', true, 'failed: the monitor has no free address or port for it'),
  EAFNOSUPPORT: fault('internal', true, 'failed: the monitor does not support this kind of address'),
  EMFILE: fault('internal', true, 'failed: the monitor has too many open files'),
  ENFILE: fault('internal', true, 'failed: the machine of the monitor has too many open files'),
  ENOBUFS: fault('internal', true, 'failed: the monitor is out of network buffers'),
  ENOMEM: fault('internal', true, 'failed: the monitor is out of memory'),
  EPERM: fault('internal', true, "was forbidden by the monitor's own firewall"),
  EACCES: fault('internal', true, "was forbidden by the monitor's own system"),
};

/** What a system error on a socket means. An unknown errno counts as ours: a target is not blamed for what we do not understand. */
export function socketFault(error: NodeJS.ErrnoException): SocketFault {
  return FAULTS[error.code ?? ''] ?? fault('internal', true, `failed with ${error.code ?? 'an unknown error'}`);
}

/** The fault of a destination for which this machine has no route at all. */
export const NO_ROUTE = fault('monitor_offline', true, 'failed: the monitor has no route to the address');
