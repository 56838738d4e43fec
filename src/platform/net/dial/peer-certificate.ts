import type { PeerCertificate as NodeCertificate } from 'node:tls';
import type { CertificateProblem } from './dial-error';

/** The leaf certificate that a server presented, valid or not. */
export interface ShownCertificate {
  /** ISO 8601 with milliseconds, UTC. */
  expiresAt: string;
  issuer: string;
  subject: string;
  /** Subject alternative names, at most 20. */
  names: string[];
}

const MAX_NAMES = 20;
const MAX_TEXT = 200;

/** `null` when the server presented none or its dates cannot be read. */
export function describeCertificate(certificate: NodeCertificate): ShownCertificate | null {
  const expiresAt = new Date(certificate.valid_to);
  if (Number.isNaN(expiresAt.getTime())) return null;
  return {
    expiresAt: expiresAt.toISOString(),
    issuer: nameOf(certificate.issuer),
    subject: nameOf(certificate.subject),
    names: alternativeNames(certificate.subjectaltname ?? ''),
  };
}

/** What is wrong with a certificate, by the code that OpenSSL or the check of its names gave (`authorizationError`). */
export function certificateProblem(
  code: string,
  host: string,
  certificate: NodeCertificate | null,
): CertificateProblem {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return { code: 'tls_expired', message: `The certificate of ${host} expired${on(certificate?.valid_to)}.` };
    case 'CERT_NOT_YET_VALID':
      return {
        code: 'tls_not_yet_valid',
        message: `The certificate of ${host} is not valid yet; it starts${on(certificate?.valid_from)}.`,
      };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return { code: 'tls_hostname_mismatch', message: `The certificate is not made for ${host}.` };
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return { code: 'tls_untrusted', message: `The certificate of ${host} is self-signed.` };
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return { code: 'tls_untrusted', message: `The certificate of ${host} comes from an authority we do not trust.` };
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return {
        code: 'tls_untrusted',
        message: `The certificate chain of ${host} is incomplete or its authority is not trusted.`,
      };
    default:
      return { code: 'tls_untrusted', message: `The certificate of ${host} is not trusted (${code.slice(0, 60)}).` };
  }
}

/** Node gives the parts of a name as an object, and a repeated part as an array. */
function nameOf(parts: NodeCertificate['subject'] | undefined): string {
  return clean(first(parts?.CN) ?? first(parts?.O) ?? first(parts?.OU) ?? '');
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

/** `DNS:a.example, IP Address:1.2.3.4`; a name that holds a comma is quoted by Node. */
function alternativeNames(text: string): string[] {
  const entries = text.match(/(?:"(?:\\.|[^"\\])*"|[^,"])+/g) ?? [];
  return entries
    .map((entry) => /^\s*(?:DNS|IP Address):(.*)$/s.exec(entry)?.[1])
    .filter((name) => name !== undefined)
    .slice(0, MAX_NAMES)
    .map(clean);
}

const on = (date: string | undefined): string => {
  const time = new Date(date ?? '');
  return Number.isNaN(time.getTime()) ? '' : ` on ${time.toISOString().slice(0, 10)}`;
};

/** The target writes its certificate: control characters are removed and long names cut. */
const clean = (text: string): string => text.replace(/\p{C}/gu, '').slice(0, MAX_TEXT);
