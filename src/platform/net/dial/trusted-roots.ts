import { constants } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { BoundedMap } from '../../cache/bounded-map';
import { systemAnchors, TrustAnchors } from './certificate-chain';

const MIN_VERSION = 'TLSv1.2';
/**
 * How many contexts for custom certificates are cached, and the total bytes of their PEM. Each takes 50 KiB of memory
 * or four times its PEM.
 */
const MAX_KEPT = 250;
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** A client certificate with its chain and its unencrypted key, in PEM. */
export interface TlsIdentity {
  cert: string;
  key: string;
}

export interface Trust {
  context: SecureContext;
  anchors: TrustAnchors;
}

/**
 * The TLS context that outgoing connections share, because creating one costs as much as several requests. Trusts
 * Node's roots (including `NODE_EXTRA_CA_CERTS`) and the given ones. Requires TLS 1.2 or later. Contexts don't store
 * sessions, so every handshake is a full one.
 */
export class TrustedRoots {
  readonly context: SecureContext;
  private readonly anchors: TrustAnchors;
  /** A context whose verification result is ignored. */
  private unverified: Trust | null = null;
  private readonly kept = new BoundedMap<string, Trust>(MAX_KEPT, {
    max: MAX_KEPT_BYTES,
    of: (_trust, ca) => ca.length,
  });

  /** `extra` lists additional root certificates in PEM. Throws if one of them can't be parsed. */
  constructor(private readonly extra: readonly string[] = []) {
    this.context = createSecureContext({
      minVersion: MIN_VERSION,
      ...(extra.length > 0 ? { ca: [...rootCertificates, ...extra] } : {}),
    });
    this.anchors = systemAnchors(extra);
  }

  /**
   * Returns the trust settings for a connection. `ca` is the PEM of the only trusted certificates, each of which may
   * also be an intermediate authority or the server's own certificate. If `ca` is `null`, the shared roots are used. If
   * `verify` is false, the server only needs to support TLS 1.2. It may even lack secure renegotiation, which a check
   * never uses (RFC 5746, section 4.1). `identity` is the client's own certificate. Throws if a certificate can't be
   * parsed.
   */
  trustFor(ca: string | null, verify: boolean, identity: TlsIdentity | null = null): Trust {
    if (identity) return this.trustWith(identity, ca, verify);
    if (!verify) return (this.unverified ??= this.withoutVerification());
    if (ca === null) return { context: this.context, anchors: this.anchors };
    const known = this.kept.get(ca);
    if (known) return known;
    const context = createSecureContext({ minVersion: MIN_VERSION, ca, allowPartialTrustChain: true });
    const trust = { context, anchors: new TrustAnchors([ca]) };
    this.kept.set(ca, trust);
    return trust;
  }

  /** Contexts with a client certificate are kept under a key that contains all of their PEM. */
  private trustWith(identity: TlsIdentity, ca: string | null, verify: boolean): Trust {
    const key = JSON.stringify([identity.cert, identity.key, ca, verify]);
    const known = this.kept.get(key);
    if (known) return known;
    const context = createSecureContext({
      minVersion: MIN_VERSION,
      cert: identity.cert,
      key: identity.key,
      ...(ca === null ? { ca: [...rootCertificates, ...this.extra] } : { ca, allowPartialTrustChain: true }),
      ...(verify ? {} : { secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT }),
    });
    const anchors = ca === null ? this.anchors : new TrustAnchors([ca]);
    const trust = { context, anchors };
    this.kept.set(key, trust);
    return trust;
  }

  private withoutVerification(): Trust {
    const context = createSecureContext({
      minVersion: MIN_VERSION,
      secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    });
    return { context, anchors: new TrustAnchors([]) };
  }
}
