import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

/**
 * The TLS context that all outgoing connections share: building one costs as much as several requests. Trusts Node's
 * roots (with `NODE_EXTRA_CA_CERTS`) and the given ones; TLS 1.2 or newer.
 */
export class TrustedRoots {
  readonly context: SecureContext;

  /** `extra`: further root certificates in PEM. Throws when one cannot be read. */
  constructor(extra: readonly string[] = []) {
    this.context = createSecureContext({
      minVersion: 'TLSv1.2',
      ...(extra.length > 0 ? { ca: [...rootCertificates, ...extra] } : {}),
    });
  }
}
