import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, type SecureContext, TLSSocket } from 'node:tls';
import { arrivalMs } from '../../time/arrival-clock';
import { ignoreError } from './happy-eyeballs';
import { type CertificateProblem, DialError, type DialPhases, socketFault } from './dial-error';
import { certificateProblem, describeCertificate, type ShownCertificate } from './peer-certificate';

/** A finished handshake. Look at `problem` before anything is written: the peer may be an impostor. */
export interface Secured {
  socket: TLSSocket;
  certificate: ShownCertificate | null;
  problem: CertificateProblem | null;
}

export interface UpgradeRequest {
  socket: Socket;
  /** The name or address that the certificate must be made for; also the SNI unless it is an address. */
  host: string;
  alpn: string[] | undefined;
  context: SecureContext;
  signal: AbortSignal;
  /** `tlsMs` is filled in. */
  phases: DialPhases;
  address: string;
}

const leafOf = (socket: TLSSocket): PeerCertificate => TLSSocket.prototype.getPeerCertificate.call(socket, false);

/**
 * Starts TLS on a connected socket. An invalid certificate is a result, not an error, so that it can be reported. Rejects
 * with a `DialError` and destroys the socket when the handshake fails.
 */
export function secure(request: UpgradeRequest): Promise<Secured> {
  const { host, signal, phases } = request;
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let leaf: PeerCertificate | null = null;
    const socket = connect({
      socket: request.socket,
      secureContext: request.context,
      rejectUnauthorized: false,
      ...(isIP(host) ? {} : { servername: host }),
      ...(request.alpn ? { ALPNProtocols: request.alpn } : {}),
      checkServerIdentity: (_name, certificate) => {
        leaf = certificate;
        return checkServerIdentity(host, certificate);
      },
    });
    // Node builds the whole chain, which costs more than the rest of its work on a handshake; the leaf is enough here.
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
      refuse(failure(request, 'aborted', false, `The TLS handshake with ${host} was not done in time.`));
    const onError = (error: NodeJS.ErrnoException) => refuse(handshakeFailure(request, error));
    socket.on('error', onError);
    socket.once('secureConnect', () => {
      leave();
      phases.tlsMs = Math.max(0, arrivalMs() - startedAt);
      leaf ??= leafOf(socket);
      const code = socket.authorized ? null : String(socket.authorizationError);
      resolve({
        socket,
        certificate: describeCertificate(leaf),
        problem: code === null ? null : certificateProblem(code, host, leaf),
      });
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

function handshakeFailure(request: UpgradeRequest, error: NodeJS.ErrnoException): DialError {
  const { host } = request;
  if (error.code === 'ECONNRESET' && error.syscall === undefined) {
    return failure(request, 'tls_handshake_failed', false, `${host} closed the connection during the TLS handshake.`);
  }
  if (error.syscall !== undefined) {
    const fault = socketFault(error);
    return failure(request, fault.code, fault.local, `The connection to ${host} ${fault.text} (TLS handshake).`);
  }
  return failure(request, 'tls_handshake_failed', false, `The TLS handshake with ${host} failed: ${reasonOf(error)}.`);
}

/** OpenSSL's messages hold file names and line numbers; its code says the same without them. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const code = error.code ?? '';
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD_LAYER|BAD_RECORD_TYPE/.test(code)) {
    return 'the other side does not speak TLS';
  }
  if (/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION/.test(code)) return 'it offers only outdated versions of TLS';
  if (/NO_SHARED_CIPHER|HANDSHAKE_FAILURE/.test(code))
    return 'there is no common cipher or no certificate for the name';
  if (/UNRECOGNIZED_NAME/.test(code)) return 'it has no certificate for the name';
  return (
    code
      .replace(/^ERR_SSL_/, '')
      .replace(/[^A-Za-z0-9]+/g, ' ')
      .trim()
      .toLowerCase()
      .slice(0, 80) || 'unknown reason'
  );
}

const failure = (request: UpgradeRequest, code: DialError['code'], local: boolean, message: string): DialError =>
  new DialError(code, 'tls', message, local, request.phases, request.address);
