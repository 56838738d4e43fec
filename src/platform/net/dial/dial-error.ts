import type { Telling } from '../telling';
import { hasRoute } from './routes';

/** The phase in which a connection failed. */
export type DialPhase = 'dns' | 'connect' | 'tls';

/**
 * In milliseconds, measured by the monotonic clock. `null` for a phase that was not reached or doesn't exist (an IP
 * address needs no DNS).
 */
export interface DialPhases {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
}

/** A problem with a peer's certificate. `message` is one public sentence. */
export interface CertificateProblem {
  code: 'tls_expired' | 'tls_not_yet_valid' | 'tls_hostname_mismatch' | 'tls_untrusted';
  message: string;
}

/** An authority that verifies a server's certificate. */
export interface Authority {
  name: string;
  /** In milliseconds since the epoch. */
  startsAt: number;
  endsAt: number;
}

/**
 * `aborted`: by the signal. `target_blocked`: by the egress policy. `monitor_offline` and `internal`: the monitor
 * itself is at fault. All other codes: the target is at fault.
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

/**
 * The error for a failed connection. The message is one public sentence, which contains at most the host, address, and
 * port.
 */
export class DialError extends Error {
  constructor(
    readonly code: DialCode,
    readonly phase: DialPhase,
    message: string,
    /**
     * True if the monitor is the cause (no descriptors, no route, no resolver). In that case, nothing is known about
     * the target.
     */
    readonly local: boolean,
    /** The durations of the phases that were completed. */
    readonly phases: DialPhases = { dnsMs: null, connectMs: null, tlsMs: null },
    /** The address that was connected to or tried last. `null` before the first attempt. */
    readonly address: string | null = null,
  ) {
    super(message);
  }

  /** How much the error shows about the target. Used to select one of several errors. */
  get telling(): Telling {
    if (this.local || this.code === 'target_blocked') return 'ours';
    if (this.code === 'aborted' || this.code === 'connection_timeout') return 'silence';
    return this.code === 'host_unreachable' ? 'way' : 'target';
  }
}

/** The meaning of a socket error, and whether the target or the monitor is at fault. */
export interface SocketFault {
  code: DialCode;
  telling: Telling;
  /** The predicate of a sentence that starts with "the connection to …". */
  text: string;
}

const fault = (code: DialCode, telling: Telling, text: string): SocketFault => ({ code, telling, text });
const onTheWay = (text: string): SocketFault => fault('host_unreachable', 'way', text);
const ours = (text: string): SocketFault => fault('internal', 'ours', text);

/** This host has no route to the address. */
export const NO_ROUTE = fault('monitor_offline', 'ours', 'failed: the monitor has no route to the address');

const FORBIDDEN = ours('was forbidden by the operating system of the monitor');

const FAULTS: Readonly<Record<string, SocketFault>> = {
  ECONNREFUSED: fault('connection_refused', 'target', 'was refused'),
  ECONNRESET: fault('connection_reset', 'target', 'was reset by the server'),
  ECONNABORTED: fault('connection_reset', 'target', 'was aborted'),
  EPIPE: fault('connection_reset', 'target', 'was closed by the server while data was being sent'),
  ETIMEDOUT: fault('connection_timeout', 'silence', 'got no response'),
  // The codes that Linux derives from a router's or the host's ICMP errors: icmp(7), ipv6(7), and icmp_err_convert and
  // tab_unreach in the kernel. EACCES comes from an IPv6 firewall that responds with "administratively prohibited".
  // ENOTSUP is another name for EOPNOTSUPP.
  EHOSTUNREACH: onTheWay('failed: the host cannot be reached'),
  EHOSTDOWN: onTheWay('failed: the host is down'),
  ENETUNREACH: onTheWay('failed: the network cannot be reached'),
  ENONET: onTheWay('failed: a router has no connection to the host'),
  EACCES: onTheWay('was prohibited by a firewall on the path'),
  ENOPROTOOPT: onTheWay('failed: the host or a firewall in front of it does not accept the protocol'),
  EOPNOTSUPP: onTheWay('failed: a router cannot follow the route'),
  ENOTSUP: onTheWay('failed: a router cannot follow the route'),
  EPROTO: onTheWay('failed: a router or the host rejects the packets'),
  EMSGSIZE: onTheWay('failed: the packets are too large for a link on the path'),
  ENETDOWN: fault('monitor_offline', 'ours', "failed: the monitor's own network is down"),
  EINVAL: NO_ROUTE,
  EADDRNOTAVAIL: ours('failed: the monitor has no free address or port for it'),
  EADDRINUSE: ours('failed: the monitor has no free address or port for it'),
  EAFNOSUPPORT: ours('failed: the monitor does not support this kind of address'),
  EMFILE: ours('failed: the monitor has too many open files'),
  ENFILE: ours('failed: the machine of the monitor has too many open files'),
  ENOBUFS: ours('failed: the monitor is out of network buffers'),
  ENOMEM: ours('failed: the monitor is out of memory'),
  EPERM: ours("was forbidden by the monitor's own firewall"),
};

/**
 * Returns the meaning of a system error on an established connection, which must have had a route. An unknown error is
 * attributed to the monitor, so that the target isn't blamed for it.
 */
export function socketFault({ code = '' }: NodeJS.ErrnoException): SocketFault {
  return FAULTS[code] ?? ours(`failed with ${code || 'an unknown error'}`);
}

/**
 * Returns the meaning of a system error that occurred when sending to an address. The kernel reports a router's ICMP
 * error with the same code as a missing or prohibited local route. To distinguish them, this function checks the
 * routing table.
 */
export async function faultTowards(address: string, error: NodeJS.ErrnoException): Promise<SocketFault> {
  const found = socketFault(error);
  const mayBeRoute = found.telling === 'way' || error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT';
  // In IPv4, no ICMP error is reported as EACCES.
  if (error.code === 'EACCES' && !address.includes(':')) return FORBIDDEN;
  if (!mayBeRoute || (await hasRoute(address))) return found;
  return error.code === 'EACCES' ? FORBIDDEN : NO_ROUTE;
}
