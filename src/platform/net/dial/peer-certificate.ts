import type { PeerCertificate as NodeCertificate } from 'node:tls';
import type { Authority, CertificateProblem } from './dial-error';
import { cut } from '../../text/text-limits';

export interface ShownCertificate {
  /**
   * In ISO 8601 format with milliseconds, UTC. If an authority in the chain expires earlier, this is the authority's
   * expiry.
   */
  expiresAt: string;
  /** The name of the authority that expires first, or `null` if the certificate itself does. */
  authority: string | null;
  issuer: string;
  subject: string;
  /** Subject alternative names, at most 20. */
  names: string[];
}

const MAX_NAMES = 20;
const MAX_TEXT = 200;

/**
 * Returns `null` if the server presented no certificate or the certificate's dates can't be parsed. `first` is an
 * authority that expires before the certificate.
 */
export function describeCertificate(
  certificate: NodeCertificate,
  first: Authority | null = null,
): ShownCertificate | null {
  const expiresAt = new Date(certificate.valid_to);
  if (Number.isNaN(expiresAt.getTime())) return null;
  return {
    expiresAt: new Date(first?.endsAt ?? expiresAt).toISOString(),
    authority: first?.name ?? null,
    issuer: nameOf(certificate.issuer),
    subject: nameOf(certificate.subject),
    names: alternativeNames(certificate.subjectaltname ?? ''),
  };
}

/** Returns true for codes that can refer to any certificate in the chain. */
export const isAboutDates = (code: string): boolean => code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID';

/**
 * Returns the problem with a certificate, based on a code from OpenSSL or the name check (`authorizationError`).
 * `authorities` are the certificates that verify it. Each of them must be valid too (RFC 5280, section 6.1.3).
 */
export function certificateProblem(
  code: string,
  host: string,
  certificate: NodeCertificate | null,
  authorities: readonly Authority[] = [],
  now = Date.now(),
): CertificateProblem {
  switch (code) {
    case 'CERT_HAS_EXPIRED': {
      if (isPast(certificate?.valid_to, now))
        return { code: 'tls_expired', message: `The certificate of ${host} expired${on(certificate?.valid_to)}.` };
      const ended = authorities.find(({ endsAt }) => endsAt < now);
      return { code: 'tls_expired', message: `${inChain(ended, host)} expired${on(ended?.endsAt)}.` };
    }
    case 'CERT_NOT_YET_VALID': {
      if (!isPast(certificate?.valid_from, now))
        return {
          code: 'tls_not_yet_valid',
          message: `The certificate of ${host} is not valid yet; it starts${on(certificate?.valid_from)}.`,
        };
      const future = authorities.find(({ startsAt }) => startsAt > now);
      const start = future ? `; it starts${on(future.startsAt)}` : '';
      return { code: 'tls_not_yet_valid', message: `${inChain(future, host)} is not valid yet${start}.` };
    }
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return { code: 'tls_hostname_mismatch', message: `The certificate is not valid for ${host}.` };
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return { code: 'tls_untrusted', message: `The certificate of ${host} is self-signed.` };
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return {
        code: 'tls_untrusted',
        message: `The certificate of ${host} was issued by an authority that is not trusted.`,
      };
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return {
        code: 'tls_untrusted',
        message: `The certificate chain of ${host} is incomplete or its authority is not trusted.`,
      };
    case 'EE_KEY_TOO_SMALL':
    case 'CA_KEY_TOO_SMALL':
    case 'CA_MD_TOO_WEAK':
      return {
        code: 'tls_untrusted',
        message: `A key or signature in the certificate chain of ${host} is too weak (${code}).`,
      };
    case 'INVALID_CA':
    case 'INVALID_PURPOSE':
    case 'PATH_LENGTH_EXCEEDED':
      return {
        code: 'tls_untrusted',
        message: `A certificate in the chain of ${host} is used for a purpose that it was not issued for (${code}).`,
      };
    default:
      return { code: 'tls_untrusted', message: `The certificate of ${host} is not trusted (${cut(code, 60, '')}).` };
  }
}

/** Node returns the parts of a name as an object, with repeated parts as an array. */
function nameOf(parts: NodeCertificate['subject'] | undefined): string {
  return clean(first(parts?.CN) ?? first(parts?.O) ?? first(parts?.OU) ?? '');
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

/** Parses `DNS:a.example, IP Address:1.2.3.4`. Node quotes names that contain a comma. */
function alternativeNames(text: string): string[] {
  const entries = text.match(/(?:"(?:\\.|[^"\\])*"|[^,"])+/g) ?? [];
  return entries
    .map((entry) => /^\s*(?:DNS|IP Address):(.*)$/s.exec(entry)?.[1])
    .filter((name) => name !== undefined)
    .slice(0, MAX_NAMES)
    .map(clean);
}

/**
 * Returns the subject for a sentence about an authority. If there is no authority or it has no name, the subject
 * contains no name.
 */
const inChain = (authority: Authority | undefined, host: string): string =>
  authority === undefined || authority.name === ''
    ? `The certificate of an authority in the chain of ${host}`
    : `The certificate of the authority "${cut(authority.name, 100, '')}" in the chain of ${host}`;

const isPast = (date: string | undefined, now: number): boolean => Date.parse(date ?? '') < now;

const on = (date: string | number | undefined): string => {
  const time = new Date(date ?? '');
  return Number.isNaN(time.getTime()) ? '' : ` on ${time.toISOString().slice(0, 10)}`;
};

/** Removes control characters and truncates long names, because the target controls the content of its certificate. */
export const clean = (text: string): string => cut(text.replace(/\p{C}/gu, ''), MAX_TEXT, '');
