import type { Telling } from '../telling';
import { hasRoute } from './routes';

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

/** An authority that the certificate of a server is verified by. */
export interface Authority {
  name: string;
  /** Milliseconds since the epoch. */
  startsAt: number;
  endsAt: number;
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

  /** What it tells of the target, for the choice between several. */
  get telling(): Telling {
    if (this.local || this.code === 'target_blocked') return 'ours';
    if (this.code === 'aborted' || this.code === 'connection_timeout') return 'silence';
    return this.code === 'host_unreachable' ? 'way' : 'target';
  }
}

/** A socket fault in words: what it means for the target, or that it is our own. */
export interface SocketFault {
  code: DialCode;
  telling: Telling;
  /** The predicate of a sentence about "the connection to …". */
  text: string;
}

const fault = (code: DialCode, telling: Telling, text: string): SocketFault => ({ code, telling, text });
const onTheWay = (text: string): SocketFault => fault('host_unreachable', 'way', text);
const ours = (text: string): SocketFault => fault('internal', 'ours', text);

/** This machine has no route to the address. */
export const NO_ROUTE = fault('monitor_offline', 'ours', 'failed: the monitor has no route to the address');

const FORBIDDEN = ours('was forbidden by the operating system of the monitor');

const FAULTS: Readonly<Record<string, SocketFault>> = {
  ECONNREFUSED: fault('connection_refused', 'target', 'was refused'),
  ECONNRESET: fault('connection_reset', 'target', 'was reset by the server'),
  ECONNABORTED: fault('connection_reset', 'target', 'was aborted'),
  EPIPE: fault('connection_reset', 'target', 'was closed by the server while data was being sent'),
  ETIMEDOUT: fault('connection_timeout', 'silence', 'got no response'),
  // What Linux makes of an ICMP error that a router or the host sent: icmp(7), ipv6(7), icmp_err_convert and tab_unreach of
  // the kernel. EACCES is what an IPv6 firewall with "administratively prohibited" causes, ENOTSUP another name of EOPNOTSUPP.
  EHOSTUNREACH: onTheWay('failed: the host cannot be reached'),
  EHOSTDOWN: onTheWay('failed: the host is down'),
  ENETUNREACH: onTheWay('failed: the network cannot be reached'),
  ENONET: onTheWay('failed: a router has no connection to the host'),
  EACCES: onTheWay('was prohibited by a firewall on the way'),
  ENOPROTOOPT: onTheWay('failed: the host or a firewall in front of it does not accept the protocol'),
  EOPNOTSUPP: onTheWay('failed: a router cannot follow the route'),
  ENOTSUP: onTheWay('failed: a router cannot follow the route'),
  EPROTO: onTheWay('failed: a router or the host rejects the packets'),
  EMSGSIZE: onTheWay('failed: the packets are too large for a link on the way'),
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
 * Returns what a system error means on a connection that was established, over which a route existed. An unknown error counts
 * as ours: a target is not blamed for what we do not understand.
 */
export function socketFault({ code = '' }: NodeJS.ErrnoException): SocketFault {
  return FAULTS[code] ?? ours(`failed with ${code || 'an unknown error'}`);
}

/**
 * Returns what a system error means when something was to be sent to an address. The kernel gives the same error for an ICMP
 * error of a router and for a route of this machine that does not exist or forbids it, so the routing table is asked.
 */
export async function faultTowards(address: string, error: NodeJS.ErrnoException): Promise<SocketFault> {
  const found = socketFault(error);
  const mayBeRoute = found.telling === 'way' || error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT';
  // No ICMP error of IPv4 becomes EACCES.
  if (error.code === 'EACCES' && !address.includes(':')) return FORBIDDEN;
  if (!mayBeRoute || (await hasRoute(address))) return found;
  return error.code === 'EACCES' ? FORBIDDEN : NO_ROUTE;
}
