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

const MAX_DEPTH = 10;
/** How many server certificates are cached, and for how long. Inspecting a chain costs a third of a handshake. */
const MAX_KEPT = 5000;
const KEPT_MS = 3_600_000;

/** Certificates that are trusted directly. They are parsed on first use. */
export class TrustAnchors {
  private bySubject: Map<string, X509Certificate[]> | null = null;

  /** Each PEM string contains one or more certificates. */
  constructor(private readonly pems: readonly string[]) {}

  has(certificate: X509Certificate): boolean {
    const same = this.subjects().get(certificate.subject) ?? [];
    return same.some(({ fingerprint256 }) => fingerprint256 === certificate.fingerprint256);
  }

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

/** Returns the roots that Node trusts plus these additional ones. */
export const systemAnchors = (extra: readonly string[]): TrustAnchors =>
  new TrustAnchors([...rootCertificates, ...extra]);

/**
 * Returns the authorities that verify a server's certificate, from its issuer to a trusted one. Ignores any other
 * certificates that the server sends. A root may appear twice, the second time signed by an older root that has
 * expired.
 */
export function authoritiesOf(socket: TLSSocket, anchors: TrustAnchors): Authority[] {
  const found: Authority[] = [];
  // The service's sockets override this method and return only the leaf certificate.
  let sent: PeerCertificate = TLSSocket.prototype.getPeerCertificate.call(socket, true);
  // If there is no certificate, Node returns an empty object.
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

/** Finds an authority that expires before the server's certificate. The certificate becomes invalid at that time. */
export class ChainEnds {
  private readonly kept = new WeakMap<SecureContext, BoundedMap<string, { until: number }>>();

  /**
   * Returns the authority that expires before `leaf`, the server's certificate with a known fingerprint. Returns `null`
   * if `leaf` expires first, and caches that for an hour. An authority that expires first is looked up each time, so
   * that a renewed one is noticed immediately.
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
