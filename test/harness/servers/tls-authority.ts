import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** The certificate and key for `tls.createServer`, in PEM format. */
export interface ServerIdentity {
  key: string;
  cert: string;
}

export interface LeafOptions {
  /** Hostnames and IP addresses. Default: localhost with 127.0.0.1 and ::1. */
  names?: string[];
  /** In days from now. Negative values are in the past. */
  fromDays?: number;
  untilDays?: number;
  /** Certificates that the server sends in addition to the intermediate authority's. */
  alsoSent?: x509.X509Certificate[];
}

/** A certificate authority with one root, created on the fly. */
export class TlsAuthority {
  private constructor(
    private readonly keys: webcrypto.CryptoKeyPair,
    private readonly root: x509.X509Certificate,
  ) {}

  static async create(name = 'Test Root', rootDays = { from: -1, until: 3650 }): Promise<TlsAuthority> {
    const keys = await newKeys();
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      ...validity(rootDays.from, rootDays.until),
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
    return new TlsAuthority(keys, root);
  }

  /** The root in PEM format, for clients to trust. */
  get rootPem(): string {
    return this.root.toString('pem');
  }

  async issue(options: LeafOptions = {}): Promise<ServerIdentity> {
    return this.issueBelow(this.root.subject, this.keys, options, []);
  }

  /** Issues a server certificate under an intermediate authority, whose certificate the server also sends. */
  async issueWithIntermediate(
    options: LeafOptions & { intermediate: { fromDays: number; untilDays: number } },
  ): Promise<ServerIdentity> {
    const between = await newKeys();
    const name = 'CN=Test Intermediate';
    const { fromDays, untilDays } = options.intermediate;
    const intermediate = await x509.X509CertificateGenerator.create({
      subject: name,
      issuer: this.root.subject,
      publicKey: between.publicKey,
      signingKey: this.keys.privateKey,
      ...validity(fromDays, untilDays),
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
    return this.issueBelow(name, between, options, [intermediate, ...(options.alsoSent ?? [])]);
  }

  /** Returns the root signed by another authority, as servers send it for old clients. */
  async crossSigned(by: TlsAuthority, days: { fromDays: number; untilDays: number }): Promise<x509.X509Certificate> {
    return x509.X509CertificateGenerator.create({
      subject: this.root.subject,
      issuer: by.root.subject,
      publicKey: this.keys.publicKey,
      signingKey: by.keys.privateKey,
      ...validity(days.fromDays, days.untilDays),
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
  }

  /** Issues a server certificate under an intermediate authority, whose certificate the server doesn't send. */
  async issueWithoutIntermediate(options: LeafOptions = {}): Promise<ServerIdentity> {
    const between = await newKeys();
    return this.issueBelow('CN=Missing Intermediate', between, options, []);
  }

  private async issueBelow(
    issuer: string,
    issuerKeys: webcrypto.CryptoKeyPair,
    options: LeafOptions,
    chain: x509.X509Certificate[],
  ): Promise<ServerIdentity> {
    const keys = await newKeys();
    const leaf = await x509.X509CertificateGenerator.create({
      subject: `CN=${options.names?.[0] ?? 'localhost'}`,
      issuer,
      publicKey: keys.publicKey,
      signingKey: issuerKeys.privateKey,
      ...validity(options.fromDays ?? -1, options.untilDays ?? 10),
      signingAlgorithm: ALGORITHM,
      extensions: leafExtensions(options.names),
    });
    return identity(keys, [leaf, ...chain]);
  }
}

export async function selfSigned(options: LeafOptions = {}): Promise<ServerIdentity> {
  const keys = await newKeys();
  const leaf = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${options.names?.[0] ?? 'localhost'}`,
    keys,
    ...validity(options.fromDays ?? -1, options.untilDays ?? 10),
    signingAlgorithm: ALGORITHM,
    extensions: leafExtensions(options.names),
  });
  return identity(keys, [leaf]);
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

function validity(fromDays: number, untilDays: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now + fromDays * DAY_MS), notAfter: new Date(now + untilDays * DAY_MS) };
}

function leafExtensions(names = ['localhost', '127.0.0.1', '::1']): x509.Extension[] {
  const entries = names.map((value) => ({
    type: /^[\d.]+$|:/.test(value) ? ('ip' as const) : ('dns' as const),
    value,
  }));
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.SubjectAlternativeNameExtension(entries),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
  ];
}

async function identity(keys: webcrypto.CryptoKeyPair, chain: x509.X509Certificate[]): Promise<ServerIdentity> {
  const exported = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const key = x509.PemConverter.encode(exported, 'PRIVATE KEY');
  return { key, cert: chain.map((certificate) => certificate.toString('pem')).join('\n') };
}
