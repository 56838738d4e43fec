import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { normalizeHost } from '../platform/net/egress/host-name';
import { isSensitiveHeader } from './request-headers';
import { credentialParameter } from './url-credentials';
import { cut } from '../platform/text/text-limits';

/** How a check verifies the server's certificate. `null` instead of an object means that all settings are defaults. */
export interface TlsSettings {
  /** If false, the check accepts any certificate. */
  verify: boolean;
  /** The only trusted certificates, in PEM format. `null` means those that the system trusts. */
  ca: string | null;
  /** The name that is requested (SNI) and that the certificate must contain. `null` means the target's hostname. */
  serverName: string | null;
}

/** The same settings under the names that the API, the probe protocol, and documents use. */
export interface WireTls {
  verify: boolean;
  ca: string | null;
  server_name: string | null;
}

/** Converts TLS settings to their public names. */
export const toWireTls = ({ verify, ca, serverName }: TlsSettings): WireTls => ({
  verify,
  ca,
  server_name: serverName,
});

/** Converts TLS settings from their public names. */
export const fromWireTls = ({ verify, ca, server_name: serverName }: WireTls): TlsSettings => ({
  verify,
  ca,
  serverName,
});

/** A problem with one of the settings, alone or in combination with others. */
export interface TlsProblem {
  part: 'verify' | 'ca' | 'server_name';
  code: 'too_long' | 'out_of_range' | 'invalid_characters' | 'invalid_format';
  message: string;
}

/** The maximum size in UTF-8 bytes. */
export const MAX_CA_BYTES = 32 * 1024;
/** Each certificate takes 0.13 ms whenever a TLS context is built. */
export const MAX_CERTIFICATES = 10;
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^]*?-----END \1-----/g;
/** Matches NUL and unpaired surrogates, which no column can store. */
const NO_TEXT = /\0|\p{Surrogate}/u;

/** Returns all problems that can be found from the settings alone. */
export function tlsProblems({ ca, serverName }: TlsSettings): TlsProblem[] {
  const found = [ca === null ? null : caProblem(ca), serverName === null ? null : serverNameProblem(serverName)];
  return found.filter((problem) => problem !== null);
}

function caProblem(ca: string): TlsProblem | null {
  const wrong = (code: TlsProblem['code'], message: string): TlsProblem => ({ part: 'ca', code, message });
  if (Buffer.byteLength(ca) > MAX_CA_BYTES) return wrong('too_long', `ca may have at most ${MAX_CA_BYTES} bytes`);
  if (NO_TEXT.test(ca)) return wrong('invalid_characters', 'ca contains characters that are not text');
  if (/PRIVATE KEY-----/.test(ca)) return wrong('invalid_format', 'ca contains a private key: send only certificates');
  // Count them first, because finding the end of each of a thousand certificates takes too long.
  const begun = ca.split('-----BEGIN ').length - 1;
  if (begun > MAX_CERTIFICATES)
    return wrong('out_of_range', `ca may contain at most ${MAX_CERTIFICATES} certificates, not ${begun}`);
  const blocks = [...ca.matchAll(BLOCK)];
  if (blocks.length === 0) return wrong('invalid_format', `ca must contain certificates in PEM, ${FORM}`);
  if (blocks.length !== begun || blocks.some(([, label]) => label !== 'CERTIFICATE')) {
    return wrong('invalid_format', `ca must contain only complete certificates in PEM, each ${FORM}`);
  }
  const unreadable = blocks.findIndex(([block]) => !isCertificate(block));
  if (unreadable < 0) return null;
  return wrong('invalid_format', `certificate ${unreadable + 1} of ca is not valid; send each complete, ${FORM}`);
}

// prose: BEGIN is part of the format
const FORM = 'from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----';

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** Returns the normalized form of a hostname. Any other text is returned unchanged, to be refused later. */
export const normalServerName = (text: string): string => normalizeHost(text) ?? text;

function serverNameProblem(name: string): TlsProblem | null {
  const host = normalizeHost(name);
  if (host !== null && isIP(host) === 0) return null;
  const message =
    'server_name must be a host name of at most 253 characters, such as shop.example.com, and not an IP address';
  return { part: 'server_name', code: 'invalid_format', message };
}

interface Sent {
  url: string;
  headers: readonly { key: string; value: string }[];
  body: string | null;
  /** True if the settings of the type contain a secret. */
  hasSecrets?: boolean;
}

/**
 * Returns why the server's certificate must be verified before this data is sent, because it may contain a credential.
 * Returns `null` if there is no reason.
 */
export function unverifiedProblem({ verify }: TlsSettings, sent: Sent): TlsProblem | null {
  const credential = verify ? null : credentialIn(sent);
  if (credential === null) return null;
  const message =
    `verify cannot be false for a check that sends ${credential}: a server that pretends to be yours could ` +
    'collect it. Send the certificate of the server or its CA in ca instead, or remove the credential';
  return { part: 'verify', code: 'invalid_format', message };
}

/** Describes the first part of the data that may be a credential. */
function credentialIn({ url, headers, body, hasSecrets = false }: Sent): string | null {
  if (hasSecrets) return 'a secret of its settings';
  const header = headers.find(({ key }) => isSensitiveHeader(key));
  if (header) return `the header ${cut(header.key, 40, '')}, which may be a credential`;
  if (body !== null && body !== '') return 'a body, which may contain a credential';
  const parameter = credentialParameter(url);
  return parameter === null ? null : `the URL's parameter ${cut(parameter, 40, '')}, which may be a credential`;
}
