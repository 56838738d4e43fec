import { X509Certificate } from 'node:crypto';
import {
  type DetailedPeerCertificate,
  type PeerCertificate,
  rootCertificates,
  type SecureContext,
  TLSSocket,
} from 'node:tls';
import { BoundedMap } from '../../cache/bounded-map';
import type { Authority } from './dial-error';
import { clean } from './peer-certificate';

/** Chains are not longer. */
const MAX_DEPTH = 10;
/** Certificates of servers whose chain is remembered, and for how long: looking at a chain costs a third of a handshake. */
const MAX_KEPT = 5000;
const KEPT_MS = 3_600_000;

/** Certificates that are trusted by themselves. Nothing is read before it is needed. */
export class TrustAnchors {
  private bySubject: Map<string, X509Certificate[]> | null = null;

  /** PEM, each with one certificate or several. */
  constructor(private readonly pems: readonly string[]) {}

  has(certificate: X509Certificate): boolean {
    const same = this.subjects().get(certificate.subject) ?? [];
    return same.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256);
  }

  /** The trusted certificate that has issued this one. */
  issuerOf(certificate: X509Certificate): X509Certificate | undefined {
    return this.subjects()
      .get(certificate.issuer)
      ?.find((issuer) => certificate.checkIssued(issuer));
  }

  private subjects(): Map<string, X509Certificate[]> {
    if (this.bySubject) return this.bySubject;
    this.bySubject = new Map();
    for (const certificate of this.pems.flatMap(certificatesIn)) {
      const same = this.bySubject.get(certificate.subject);
      if (same) same.push(certificate);
      else this.bySubject.set(certificate.subject, [certificate]);
    }
    return this.bySubject;
  }
}

/** The roots that Node trusts, with these. */
export const systemAnchors = (extra: readonly string[]): TrustAnchors =>
  new TrustAnchors([...rootCertificates, ...extra]);

/**
 * The authorities by which the certificate of a server is verified, from its issuer to one that is trusted. What a server sends
 * beyond that is not needed: a root may be there a second time, signed by an older one that has ended.
 */
export function authoritiesOf(socket: TLSSocket, anchors: TrustAnchors): Authority[] {
  const found: Authority[] = [];
  // Sockets of ours give only the certificate itself.
  let sent: PeerCertificate = TLSSocket.prototype.getPeerCertificate.call(socket, true);
  // Without a certificate there is an empty object.
  for (let depth = 0; depth < MAX_DEPTH && 'raw' in sent; depth++) {
    const certificate = new X509Certificate(sent.raw);
    if (depth > 0) found.push(authorityOf(certificate));
    if (anchors.has(certificate)) return found;
    const anchor = anchors.issuerOf(certificate);
    if (anchor) return [...found, authorityOf(anchor)];
    const issuer = issuerIn(sent);
    if (issuer === undefined || issuer === sent) return found;
    sent = issuer;
  }
  return found;
}

const issuerIn = (sent: PeerCertificate | DetailedPeerCertificate): PeerCertificate | undefined =>
  'issuerCertificate' in sent ? sent.issuerCertificate : undefined;

function authorityOf(certificate: X509Certificate): Authority {
  const parts = new Map(
    certificate.subject.split('\n').map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')]),
  );
  return {
    name: clean(parts.get('CN') ?? parts.get('O') ?? parts.get('OU') ?? ''),
    startsAt: Date.parse(certificate.validFrom),
    endsAt: Date.parse(certificate.validTo),
  };
}

/** Finds the authority that ends before the certificate of a server itself does: then the server's name ends with it. */
export class ChainEnds {
  private readonly kept = new WeakMap<SecureContext, BoundedMap<string, { until: number }>>();

  /**
   * `leaf`: the server's certificate, of which the fingerprint is known. `null` when it ends first. That is remembered for an
   * hour; an authority that ends first is looked for each time, so that a renewed one is noticed at once.
   */
  endsFirst(
    socket: TLSSocket,
    leaf: { fingerprint256: string; endsAt: number },
    { context, anchors }: { context: SecureContext; anchors: TrustAnchors },
    now = Date.now(),
  ): Authority | null {
    const kept = this.keptFor(context);
    const known = kept.get(leaf.fingerprint256);
    if (known && known.until > now) return null;
    const earlier = authoritiesOf(socket, anchors).filter(({ endsAt }) => endsAt < leaf.endsAt);
    const [first] = earlier.sort((one, other) => one.endsAt - other.endsAt);
    if (first) return first;
    kept.set(leaf.fingerprint256, { until: now + KEPT_MS });
    return null;
  }

  private keptFor(context: SecureContext): BoundedMap<string, { until: number }> {
    const known = this.kept.get(context);
    if (known) return known;
    const kept = new BoundedMap<string, { until: number }>(MAX_KEPT);
    this.kept.set(context, kept);
    return kept;
  }
}

function certificatesIn(pem: string): X509Certificate[] {
  const blocks =
    pem.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}
