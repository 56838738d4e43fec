/**
 * Explanations of OpenSSL's error codes for the owner of a server. The first match applies. Alerts were sent by the
 * server: `ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED`, or `ERR_SSL_SSL/TLS_ALERT_…` in newer versions.
 */
const REASONS: readonly [code: RegExp, words: string][] = [
  [/UNSAFE_LEGACY_RENEGOTIATION/, 'it does not support secure renegotiation (RFC 5746) and needs an update'],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD_LAYER|BAD_RECORD_TYPE/,
    'the server does not support TLS',
  ],
  [
    /CERTIFICATE_REQUIRED|PEER_DID_NOT_RETURN_A_CERTIFICATE/,
    'it requires a client certificate, which checks do not send',
  ],
  [
    /ALERT_(BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN)|UNKNOWN_CA)/,
    'it rejects the client, probably because it requires a client certificate',
  ],
  [/ACCESS_DENIED/, 'it denied access'],
  [/UNRECOGNIZED_NAME/, 'it has no certificate for the name'],
  [/NO_APPLICATION_PROTOCOL/, 'it does not offer HTTP/1.1'],
  [/INAPPROPRIATE_FALLBACK/, 'it treats the connection as a retry with an older version of TLS'],
  [/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|NO_PROTOCOLS_AVAILABLE/, 'it offers only outdated versions of TLS'],
  [/INSUFFICIENT_SECURITY/, 'it requires ciphers that this client does not offer'],
  [/DH_KEY_TOO_SMALL|BAD_DH|MODULUS_TOO_SMALL/, 'its key exchange is too weak (Diffie-Hellman)'],
  [/(EE|CA)_KEY_TOO_SMALL|MD_TOO_WEAK/, 'a key or signature of its certificates is too weak'],
  [/NO_SHARED_CIPHER|HANDSHAKE_FAILURE/, 'there is no common cipher or no certificate for the name'],
  [
    /SIGNATURE_(TYPE|ALGORITHM)|NO_SHARED_SIGNATURE|WRONG_CURVE|NO_SUITABLE/,
    'there is no common algorithm for signatures or key exchange',
  ],
  [/ALERT_INTERNAL_ERROR/, 'it reported an internal error'],
  [/ALERT_(USER_CANCELLED|CLOSE_NOTIFY)/, 'it ended the handshake'],
  [
    /ALERT_(UNEXPECTED_MESSAGE|BAD_RECORD_MAC|RECORD_OVERFLOW|DECOD\w+|DECRYPT\w+|ILLEGAL_PARAMETER|\w+_EXTENSION)/,
    'it did not accept a message of the handshake',
  ],
  [/UNEXPECTED_EOF/, 'it closed the connection'],
];

/**
 * Returns an explanation of the error. Uses the code, because OpenSSL's messages contain file names and line numbers.
 */
export function tlsReason({ code = '' }: NodeJS.ErrnoException): string {
  const known = REASONS.find(([form]) => form.test(code));
  if (known) return known[1];
  return (
    code
      .replace(/^ERR_SSL_/, '')
      .replace(/[^A-Za-z0-9]+/g, ' ')
      .trim()
      .toLowerCase()
      .slice(0, 80) || 'unknown reason'
  );
}

/**
 * Returns true for a TLS error, as opposed to an error in the connection below it. Node reports a TLS error during a
 * write as `EPROTO`.
 */
export const isTlsError = ({ code = '', syscall, message }: NodeJS.ErrnoException): boolean =>
  syscall === undefined || code.startsWith('ERR_SSL_') || (code === 'EPROTO' && /SSL|:error:/i.test(message));
