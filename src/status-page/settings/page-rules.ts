import { createHash } from 'node:crypto';
import { readUrl } from '../../platform/text/read-url';
import { isLongerThan } from '../../platform/text/text-limits';
import { domainToASCII } from 'node:url';
import { ValidateBy } from 'class-validator';
import type { PageLogo } from '../status-snapshot';

export const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,62}[a-z0-9])$/;
export const SLUG_MESSAGE =
  'slug must be 3 to 64 lower-case letters, digits and dashes, and must not start or end with a dash';

/** Returns a slug for a name: `Example Shop & Söhne` → `example-shop-sohne`. It may be shorter than a slug must be. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|(?<!-)-+$/g, '');

export const MAX_LOGO_BYTES = 64 * 1024;

/**
 * Detects the type by the first bytes of the file. Returns `null` for other types, including SVG, which could contain
 * scripts.
 */
function typeOf(body: Buffer): string | null {
  if (body.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'image/png';
  if (body.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'image/jpeg';
  const isWebp = body.toString('latin1', 0, 4) === 'RIFF' && body.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? 'image/webp' : null;
}

/**
 * Reads an image from a `data:` URL. Determines the type from the bytes instead of the URL. Returns a message if the
 * image is refused.
 */
export function readLogo(text: string): (PageLogo & { hash: string }) | { problem: string } {
  const [, base64] = /^data:image\/[a-z+.-]{1,20};base64,([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (base64 === undefined) return { problem: 'logo must be a data: URL of an image, data:image/png;base64,…' };
  const body = Buffer.from(base64, 'base64');
  const type = typeOf(body);
  if (type === null) return { problem: 'logo must be a PNG, JPEG or WebP image' };
  if (body.length > MAX_LOGO_BYTES) return { problem: 'logo must have at most 64 KiB' };
  return { body, type, hash: createHash('sha256').update(body).digest('base64url').slice(0, 27) };
}

const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Returns a hostname as browsers send it: in lowercase ASCII. Returns `null` for addresses, ports, single words, and
 * other invalid names.
 */
export function readDomain(text: string): string | null {
  // The function would strip a path and decode percent-encoded characters.
  const name = /[/\\?#@:%[\]\s]/.test(text.trim()) ? '' : domainToASCII(text.trim());
  return DOMAIN.test(name) && !/(^|\.)(localhost|local|internal|invalid|onion)$/.test(name) ? name : null;
}

const rule = (name: string, isValid: (text: string) => boolean, message: (text: string) => string): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isValid(value),
      defaultMessage: (args) => message(typeof args?.value === 'string' ? args.value : ''),
    },
  });

export const IsLogo = (): PropertyDecorator =>
  rule(
    'isLogo',
    (text) => !('problem' in readLogo(text)),
    (text) => {
      const logo = readLogo(text);
      return 'problem' in logo ? logo.problem : '';
    },
  );

export const IsDomain = (): PropertyDecorator =>
  rule(
    'isDomain',
    (text) => readDomain(text) !== null,
    () => 'domain must be a host name such as status.example.com, without scheme, port and path',
  );

const MAX_SUPPORT_URL = 2048;

/** Accepts an http or https URL without credentials, or a mailto URL. */
export const isSupportUrl = (text: string): boolean => {
  if (text.length > MAX_SUPPORT_URL || /\s/.test(text)) return false;
  const url = readUrl(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'mailto:') return /^[^@]+@[^@]+$/.test(url.pathname);
  return url.protocol === 'https:' || url.protocol === 'http:';
};

export const IsSupportUrl = (): PropertyDecorator =>
  rule('isSupportUrl', isSupportUrl, () => 'support_url must be an http, https, or mailto URL, without credentials');

/** Accepts multiline text without other control characters and without characters that change the text direction. */
export const IsPlainText = (max: number): PropertyDecorator =>
  ValidateBy({
    name: 'isPlainText',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' &&
        !isLongerThan(value, max) &&
        !/[^\P{Cc}\n\r\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(value),
      defaultMessage: (args) =>
        `${args?.property ?? 'value'} must be a string of at most ${max} characters without control characters`,
    },
  });
