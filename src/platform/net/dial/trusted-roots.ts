import { constants } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { BoundedMap } from '../../cache/bounded-map';
import { systemAnchors, TrustAnchors } from './certificate-chain';

const MIN_VERSION = 'TLSv1.2';
/** Contexts of given certificates that are kept, and bytes of their PEM: 50 KiB of memory each, or four times the PEM. */
const MAX_KEPT = 250;
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** Whom a connection trusts. */
export interface Trust {
  context: SecureContext;
  anchors: TrustAnchors;
}

/**
 * The TLS context that outgoing connections share: building one costs as much as several requests. Trusts Node's roots
 * (with `NODE_EXTRA_CA_CERTS`) and the given ones; TLS 1.2 or newer. Contexts keep no sessions: each handshake is a full one.
 */
export class TrustedRoots {
  readonly context: SecureContext;
  private readonly anchors: TrustAnchors;
  /** Nothing that it finds out about a certificate is believed. */
  private unverified: Trust | null = null;
  private readonly kept = new BoundedMap<string, Trust>(MAX_KEPT, {
    max: MAX_KEPT_BYTES,
    of: (_trust, ca) => ca.length,
  });

  /** `extra`: further root certificates in PEM. Throws when one cannot be read. */
  constructor(extra: readonly string[] = []) {
    this.context = createSecureContext({
      minVersion: MIN_VERSION,
      ...(extra.length > 0 ? { ca: [...rootCertificates, ...extra] } : {}),
    });
    this.anchors = systemAnchors(extra);
  }

  /**
   * For a connection that trusts these certificates in PEM and no others, each by itself: also an intermediate authority, or
   * the server's own. `null`: the shared roots. With `verify` false nothing is asked of the server but TLS 1.2; it may even lack
   * secure renegotiation, which a check never uses (RFC 5746, section 4.1). Throws when a certificate cannot be read.
   */
  trustFor(ca: string | null, verify: boolean): Trust {
    if (!verify) return (this.unverified ??= this.withoutVerification());
    if (ca === null) return { context: this.context, anchors: this.anchors };
    const known = this.kept.get(ca);
    if (known) return known;
    const context = createSecureContext({ minVersion: MIN_VERSION, ca, allowPartialTrustChain: true });
    const trust = { context, anchors: new TrustAnchors([ca]) };
    this.kept.set(ca, trust);
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
