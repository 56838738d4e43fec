import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, TLSSocket } from 'node:tls';
import { arrivalMs } from '../../time/arrival-clock';
import { authoritiesOf, type ChainEnds } from './certificate-chain';
import { ignoreError } from './happy-eyeballs';
import { type Authority, type CertificateProblem, DialError, type DialPhases, socketFault } from './dial-error';
import { certificateProblem, describeCertificate, isAboutDates, type ShownCertificate } from './peer-certificate';
import { isTlsError, tlsReason } from './tls-reason';
import type { Trust } from './trusted-roots';

/** A completed handshake. Check `problem` before sending anything, because the peer may be an impostor. */
export interface Secured {
  socket: TLSSocket;
  certificate: ShownCertificate | null;
  problem: CertificateProblem | null;
}

export interface UpgradeRequest {
  socket: Socket;
  /** The name or address for which the certificate must be valid. Also used for SNI, unless it is an IP address. */
  host: string;
  alpn: string[] | undefined;
  trust: Trust;
  /** The cache of chains that were inspected before. */
  chains: ChainEnds;
  signal: AbortSignal;
  /** This function sets `tlsMs`. */
  phases: DialPhases;
  address: string;
}

const leafOf = (socket: TLSSocket): PeerCertificate => TLSSocket.prototype.getPeerCertificate.call(socket, false);

/**
 * Starts TLS on a connected socket. An invalid certificate is returned in the result and isn't an error, so that it can
 * be reported. If the handshake fails, rejects with a `DialError` and destroys the socket.
 */
export function secure(request: UpgradeRequest): Promise<Secured> {
  const { host, signal, phases } = request;
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let leaf: PeerCertificate | null = null;
    const socket = connect({
      socket: request.socket,
      secureContext: request.trust.context,
      rejectUnauthorized: false,
      ...(isIP(host) ? {} : { servername: host }),
      ...(request.alpn ? { ALPNProtocols: request.alpn } : {}),
      checkServerIdentity: (_name, certificate) => {
        leaf = certificate;
        return checkServerIdentity(host, certificate);
      },
    });
    // Node builds the whole chain here, which costs more than all its other work on a handshake. The leaf certificate
    // is enough.
    socket.getPeerCertificate = (() => leafOf(socket)) as TLSSocket['getPeerCertificate'];
    const leave = () => {
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('error', onError).on('error', ignoreError);
    };
    const refuse = (error: DialError) => {
      leave();
      phases.tlsMs = performance.now() - startedAt;
      socket.destroy();
      request.socket.destroy();
      reject(error);
    };
    const onAbort = () =>
      refuse(failure(request, 'aborted', false, `The TLS handshake with ${host} did not finish in time.`));
    const onError = (error: NodeJS.ErrnoException) => refuse(handshakeFailure(request, error));
    socket.on('error', onError);
    socket.once('secureConnect', () => {
      leave();
      phases.tlsMs = Math.max(0, arrivalMs() - startedAt);
      leaf ??= leafOf(socket);
      resolve({ socket, ...judged(socket, leaf, request) });
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

/**
 * Inspects the whole chain only if the problem involves dates or the chain isn't cached. The inspection costs a third
 * of a handshake.
 */
function judged(socket: TLSSocket, leaf: PeerCertificate, { host, trust, chains }: UpgradeRequest) {
  if (socket.authorized) {
    const { fingerprint256, valid_to } = leaf;
    const first = fingerprint256
      ? chains.endsFirst(socket, { fingerprint256, endsAt: Date.parse(valid_to) }, trust)
      : null;
    return { certificate: describeCertificate(leaf, first), problem: null };
  }
  const code = String(socket.authorizationError);
  const authorities: Authority[] = isAboutDates(code) ? authoritiesOf(socket, trust.anchors) : [];
  const ended = authorities.find(({ endsAt }) => endsAt < Math.min(Date.now(), Date.parse(leaf.valid_to)));
  return {
    certificate: describeCertificate(leaf, ended ?? null),
    problem: certificateProblem(code, host, leaf, authorities),
  };
}

function handshakeFailure(request: UpgradeRequest, error: NodeJS.ErrnoException): DialError {
  const { host } = request;
  if (error.code === 'ECONNRESET' && error.syscall === undefined) {
    return failure(request, 'tls_handshake_failed', false, `${host} closed the connection during the TLS handshake.`);
  }
  if (!isTlsError(error)) {
    const fault = socketFault(error);
    return failure(
      request,
      fault.code,
      fault.telling === 'ours',
      `The connection to ${host} ${fault.text} (TLS handshake).`,
    );
  }
  return failure(request, 'tls_handshake_failed', false, `The TLS handshake with ${host} failed: ${tlsReason(error)}.`);
}

const failure = (request: UpgradeRequest, code: DialError['code'], local: boolean, message: string): DialError =>
  new DialError(code, 'tls', message, local, request.phases, request.address);
