import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { BoundedMap } from '../../cache/bounded-map';

const MIN_VERSION = 'TLSv1.2';
/** Contexts of given certificates that are kept, and bytes of their PEM: 50 KiB of memory each, or four times the PEM. */
const MAX_KEPT = 250;
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/**
 * The TLS context that outgoing connections share: building one costs as much as several requests. Trusts Node's roots
 * (with `NODE_EXTRA_CA_CERTS`) and the given ones; TLS 1.2 or newer. Contexts keep no sessions: each handshake is a full one.
 */
export class TrustedRoots {
  readonly context: SecureContext;
  private readonly kept = new BoundedMap<string, SecureContext>(MAX_KEPT, {
    max: MAX_KEPT_BYTES,
    of: (_context, ca) => ca.length,
  });

  /** `extra`: further root certificates in PEM. Throws when one cannot be read. */
  constructor(extra: readonly string[] = []) {
    this.context = createSecureContext({
      minVersion: MIN_VERSION,
      ...(extra.length > 0 ? { ca: [...rootCertificates, ...extra] } : {}),
    });
  }

  /**
   * The context that trusts these certificates in PEM and no others, each by itself: also an intermediate authority, or the
   * server's own. `null`: the shared one. Throws when one cannot be read.
   */
  contextFor(ca: string | null): SecureContext {
    if (ca === null) return this.context;
    const known = this.kept.get(ca);
    if (known) return known;
    const context = createSecureContext({ minVersion: MIN_VERSION, ca, allowPartialTrustChain: true });
    this.kept.set(ca, context);
    return context;
  }
}
