import { Injectable } from '@nestjs/common';
import { isIP, type Socket } from 'node:net';
import { raceToConnect } from './happy-eyeballs';
import { arrivalMs } from '../../time/arrival-clock';
import { ChainEnds } from './certificate-chain';
import { type CertificateProblem, DialError, type DialPhases } from './dial-error';
import {
  type EgressRule,
  isLocalhostName,
  refusalOfInternalName,
  refusalOfName,
  refusalText,
} from '../egress/egress-policy';
import { normalizeHost } from '../egress/host-name';
import { HostResolver } from '../dns/host-resolver';
import { ResolveError } from '../dns/resolve-error';
import type { Inflow } from './inflow';
import type { ShownCertificate } from './peer-certificate';
import { hasRoute } from './routes';
import { secure } from './tls-upgrade';
import { type TlsIdentity, TrustedRoots } from './trusted-roots';

/** How TLS is started on a connection. See `DialRequest.tls`. */
export interface TlsOptions {
  servername?: string | undefined;
  alpn?: string[];
  ca?: string | null;
  verify?: boolean;
  /** The certificate and key with which the client identifies itself, if the server asks for one. */
  identity?: TlsIdentity | null | undefined;
}

export interface DialRequest {
  /** A hostname or an IP address. IPv6 may have brackets. */
  host: string;
  port: number;
  /**
   * If set, TLS is started after connecting. `servername` is the name that the certificate must contain (default:
   * `host`). `ca` is the only trusted PEM (default: the trusted roots). If `verify` is false, any certificate is
   * accepted.
   */
  tls?: TlsOptions | undefined;
  /** If set, only addresses of this IP version are used. */
  family?: 4 | 6 | undefined;
  /** Leaves the socket paused, for callers that only test whether it connects. */
  unread?: boolean;
  /** Receives the bytes of a plain connection, never of a TLS connection. If unset, the socket emits `data` events. */
  inflow?: Inflow | undefined;
  egress: EgressRule;
  signal: AbortSignal;
}

/** An open connection. The caller must destroy it. */
export interface Dialed {
  /**
   * A `TLSSocket` if TLS was requested. The socket already has an `error` listener, so a late error can't crash the
   * process.
   */
  socket: Socket;
  /** The IP address that was connected to, without the port. */
  address: string;
  phases: DialPhases;
  /** The certificate that the server presented, valid or not. `null` without TLS. */
  certificate: ShownCertificate | null;
  /** The problem with the certificate. If it isn't `null`, don't send any secrets to this peer. */
  authorizationError: CertificateProblem | null;
}

const MAX_ATTEMPTS = 8;

/**
 * Opens all of the service's outgoing connections. Every connection is new. The egress rule checks every address of a
 * name, and a single refused address means that the name is refused. A socket connects to an address that was checked,
 * never to a name. Addresses are raced (RFC 8305). Throws: only `DialError`, and nothing is left open afterwards.
 */
@Injectable()
export class Dialer {
  private readonly chains = new ChainEnds();

  constructor(
    private readonly resolver: HostResolver,
    private readonly roots: TrustedRoots,
  ) {}

  async dial(request: DialRequest): Promise<Dialed> {
    const phases: DialPhases = { dnsMs: null, connectMs: null, tlsMs: null };
    const host = normalizeHost(request.host);
    if (host === null) throw new DialError('dns_not_found', 'dns', 'The host is not a valid name.', false, phases);
    const found = isIP(host) ? [host] : await this.addressesOf(host, request, phases);
    const addresses = ofFamily(found, request.family, host, phases);
    for (const address of addresses) refuseBlocked(address, host, request.egress, phases);
    const candidates = addresses.length > 1 ? interleave(addresses).slice(0, MAX_ATTEMPTS) : addresses;
    const { port, signal, unread = false, inflow } = request;
    const { socket, address, connectMs } = await raceToConnect(candidates, { port, signal, phases, unread, inflow });
    phases.connectMs = connectMs;
    if (!request.tls) return { socket, address, phases, certificate: null, authorizationError: null };
    return this.startTls({ socket, address, host, tls: request.tls, signal, phases });
  }

  /**
   * Starts TLS on a connection that was opened without it, as STARTTLS does. On failure, the socket is destroyed.
   * Throws: only `DialError`.
   */
  async startTls({ socket, address, host, tls, signal, phases }: Upgrade): Promise<Dialed> {
    const trust = this.roots.trustFor(tls.ca ?? null, tls.verify ?? true, tls.identity ?? null);
    const secured = await secure({
      socket,
      host: tls.servername ?? host,
      alpn: tls.alpn,
      trust,
      chains: this.chains,
      signal,
      phases,
      address,
    });
    return {
      socket: secured.socket,
      address,
      phases,
      certificate: secured.certificate,
      authorizationError: secured.problem,
    };
  }

  /**
   * Returns a host's addresses after the egress check, in the order in which to try them. For checks that send without
   * a connection. Addresses without a local route come last, because it is normal that one address family is unusable
   * (RFC 6724, section 5, rule 1). Throws `DialError` with the phase `dns`, or `target_blocked`.
   */
  async resolve(
    host: string,
    egress: EgressRule,
    signal: AbortSignal,
    family?: 4 | 6,
  ): Promise<{ addresses: string[]; dnsMs: number | null }> {
    const phases: DialPhases = { dnsMs: null, connectMs: null, tlsMs: null };
    const name = normalizeHost(host);
    if (name === null) throw new DialError('dns_not_found', 'dns', 'The host is not a valid name.', false, phases);
    const found = isIP(name) ? [name] : await this.addressesOf(name, { egress, signal }, phases);
    const addresses = ofFamily(found, family, name, phases);
    for (const address of addresses) refuseBlocked(address, name, egress, phases);
    return { addresses: await routedFirst(interleave(addresses)), dnsMs: phases.dnsMs };
  }

  private async addressesOf(
    name: string,
    { egress, signal }: Pick<DialRequest, 'egress' | 'signal'>,
    phases: DialPhases,
  ): Promise<string[]> {
    const refusal = refusalOfName(name) ?? (isLocalhostName(name) ? null : refusalOfInternalName(name, egress));
    if (refusal !== null) throw blocked(name, refusal, phases, 'dns');
    const startedAt = performance.now();
    try {
      return await this.resolver.resolve(name, egress, signal);
    } catch (error) {
      if (!(error instanceof ResolveError)) throw error;
      if (error.code === 'no_turn') throw new DialError('internal', 'dns', error.message, true, phases);
      const local = error.code === 'monitor_offline' || (error.code === 'aborted' && error.resolverSilent);
      const message = error.code === 'aborted' ? `The lookup of ${name} did not finish in time.` : error.message;
      throw new DialError(error.code, 'dns', message, local, phases);
    } finally {
      phases.dnsMs = Math.max(0, arrivalMs() - startedAt);
    }
  }
}

/** An open connection on which TLS is to be started. */
export interface Upgrade {
  socket: Socket;
  address: string;
  /** The name or address that was dialed. */
  host: string;
  tls: TlsOptions;
  signal: AbortSignal;
  phases: DialPhases;
}

/** Returns the addresses of one IP version, or all of them if any may be used. Throws `DialError` if there are none. */
function ofFamily(
  addresses: readonly string[],
  family: 4 | 6 | undefined,
  host: string,
  phases: DialPhases,
): readonly string[] {
  if (family === undefined) return addresses;
  const wanted = addresses.filter((address) => isIP(address) === family);
  if (wanted.length > 0) return wanted;
  throw new DialError('dns_not_found', 'dns', `${host} has no IPv${family} address.`, false, phases);
}

/**
 * Alternates between IPv6 and IPv4, starting with IPv6 (RFC 8305, section 4). Keeps the lookup's order within each
 * family.
 */
export function interleave(addresses: readonly string[]): string[] {
  const sixes = addresses.filter((address) => address.includes(':'));
  const fours = addresses.filter((address) => !address.includes(':'));
  const turns = Array.from({ length: Math.max(sixes.length, fours.length) }, (_, i) => [sixes[i], fours[i]]);
  return turns.flat().filter((address) => address !== undefined);
}

/**
 * Puts addresses with a local route first. If all addresses belong to one family, keeps the order, because either all
 * of them are usable or none is.
 */
async function routedFirst(addresses: readonly string[]): Promise<string[]> {
  if (new Set(addresses.map(isIP)).size < 2) return [...addresses];
  const [one, other] = [4, 6].map((family) => addresses.find((address) => isIP(address) === family) ?? '');
  const [hasFour, hasSix] = await Promise.all([hasRoute(one ?? ''), hasRoute(other ?? '')]);
  if (hasFour === hasSix) return [...addresses];
  const isUsable = (address: string) => (isIP(address) === 4 ? hasFour : hasSix);
  return [...addresses.filter(isUsable), ...addresses.filter((address) => !isUsable(address))];
}

function refuseBlocked(address: string, host: string, egress: EgressRule, phases: DialPhases): void {
  const refusal = egress.refusal(address);
  if (refusal !== null) throw blocked(host, refusal, phases, 'connect', shown(address, host, egress));
}

/**
 * Hides the address of a name in the operator's network from organizations that are not allowed to reach that network.
 */
const shown = (address: string, host: string, egress: EgressRule): string | null =>
  egress.allowsPrivate || host === address ? address : null;

const blocked = (
  host: string,
  refusal: string,
  phases: DialPhases,
  phase: 'dns' | 'connect',
  address: string | null = null,
): DialError => new DialError('target_blocked', phase, refusalText(host, refusal), false, phases, address);
