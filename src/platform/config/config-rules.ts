import { IsIn, ValidateBy, type ValidationOptions } from 'class-validator';
import ipaddr from 'ipaddr.js';
import { readUrl } from '../text/read-url';

const rule =
  (name: string, holds: (text: string) => boolean, message: string) =>
  (options?: ValidationOptions): PropertyDecorator =>
    ValidateBy(
      {
        name,
        validator: {
          validate: (value: unknown) => typeof value === 'string' && holds(value),
          defaultMessage: () => message,
        },
      },
      options,
    );

const parses = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};

export const IsDatabaseUrl = rule(
  'isDatabaseUrl',
  (text) => text === 'embedded:memory' || (/^postgres(ql)?:\/\//.test(text) && readUrl(text) !== null),
  'must be a postgres:// URL or embedded:memory',
);

const MAX_PUBLIC_URL = 255;
/** What no mail, chat or shell takes for markup or for the end of an address. */
const PLAIN_PATH = /^[\w.~%/-]*$/;

export const IsPublicUrl = rule(
  'isPublicUrl',
  (text) => {
    const url = readUrl(text);
    if (url === null || text.length > MAX_PUBLIC_URL || !/^https?:$/.test(url.protocol)) return false;
    return url.username === '' && url.password === '' && !/[?#]/.test(text) && PLAIN_PATH.test(url.pathname);
  },
  'must be an http(s) URL such as https://uptime.example.com/monitor: no user name, no query, no fragment, a path of letters, digits and - . _ ~ only',
);

/** The address in its usual form without a slash at its end: what a path is added to. */
export const publicBaseOf = (text: string): string => (readUrl(text)?.href ?? text).replace(/\/+$/, '');

export const IsCidr = rule(
  'isCidr',
  (text) => parses(() => ipaddr.parseCIDR(text)),
  'must be networks such as 10.0.0.0/8, separated by commas',
);

export const IsHostPort = rule(
  'isHostPort',
  (text) =>
    /^(\[[0-9a-fA-F:]+\]|[^\s:[\]/]+):\d{1,5}$/.test(text) && Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535,
  'must be pairs of host:port such as 1.1.1.1:443, separated by commas',
);

export const IsSecretsKey = rule(
  'isSecretsKey',
  (text) => /^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=$/.test(text),
  'must be pairs of id:key, the key being 32 bytes in base64 (openssl rand -base64 32), separated by commas',
);

export const OneOf = (words: readonly string[]): PropertyDecorator =>
  IsIn(words, { message: `must be one of ${words.join(', ')}` });
