import { HOST_FORM, normalizeHost } from '../../platform/net/egress/host-name';
import type { FieldProblem } from '../../platform/problem/problem';
import { countCodePoints, hasUnprintable } from '../../platform/text/text-limits';
import { isMailAddress } from '../../platform/text/mail-address';
import { readUrl } from '../../platform/text/read-url';
import { aliasKey, type ConfigClass, connectionKey, markedAs, nestedAs } from './config-metadata';
import { configProblems, ruledBy, type ValueRule } from './config-validation';

const problem = (code: FieldProblem['code'], message: string, pointer = ''): FieldProblem[] => [
  { pointer, code, message },
];

/**
 * Marks a required property and sets its rule. Unlike the single constraints of class-validator, a rule chooses its
 * error code and can point to list items. A class may use both kinds.
 */
export const Required = (rule: ValueRule): PropertyDecorator =>
  ruledBy({
    judge: (value) => (value === undefined ? problem('required', 'is required') : rule(value)),
    isOptional: false,
  });

/** Marks an optional property and sets its rule. */
export const Optional = (rule: ValueRule): PropertyDecorator => ruledBy({ judge: rule, isOptional: true });

/**
 * A credential, which is encrypted at rest and never returned or logged. If a masked value is sent back, the stored one
 * is kept.
 */
export const Secret = (): PropertyDecorator => markedAs('secret');

/** A secret that creates signatures and is never sent. It is kept when the config is changed to a different host. */
export const SigningSecret = (): PropertyDecorator => markedAs('secret', 'signing');

/** A value that is shown to write and admin keys and masked for read keys. It is also encrypted at rest. */
export const Confidential = (): PropertyDecorator => markedAs('confidential');

/** A confidential URL or email address. Read keys see only the host or domain. */
export const ConfidentialAddress = (): PropertyDecorator => markedAs('confidential', 'address');

/** An http(s) URL or hostname that `send` connects to. The egress policy checks it when the alert is saved. */
export const Dialed = (): PropertyDecorator => markedAs('dialed');

/**
 * A property that shows who an alert notifies. Lists of alerts include it, limited to what the reader may see. Only the
 * host of a URL is shown.
 */
export const Addressee = (): PropertyDecorator => markedAs('addressee');

/** A former name of another property. The API documents it as deprecated, and the dashboard's forms omit it. */
export const AliasOf = (name: string): PropertyDecorator => aliasKey(name);

/**
 * A setting of the connection to the dialed host in the same object, such as its port. After a change, masked
 * credentials must be sent again. `unsent` is the value that applies if the property is missing.
 */
export const Connection = (unsent: string | number | boolean): PropertyDecorator => connectionKey(unsent);

/** The value is an object, or a list of objects, of a class with its own marks. */
export const Nested = (type: () => ConfigClass): PropertyDecorator => nestedAs(type);

/** Accepts an object that follows the rules of its class. */
export const object =
  (type: () => ConfigClass): ValueRule =>
  (value) =>
    configProblems(type(), value);

/**
 * The requirements for a string. `form` completes the phrase "must be …" if the string does not match `pattern` or
 * `accepts`.
 */
export interface TextOptions {
  max: number;
  min?: number;
  pattern?: RegExp;
  accepts?: (text: string) => boolean;
  form?: string;
}

/** Accepts a single-line string. */
export function text(options: TextOptions): ValueRule {
  return (value) => {
    if (typeof value !== 'string') return problem('wrong_type', 'must be a string');
    if (value.trim().length < (options.min ?? 1)) return problem('required', 'must not be empty');
    if (countCodePoints(value) > options.max) return problem('too_long', `must have at most ${options.max} characters`);
    if (hasUnprintable(value)) return problem('invalid_characters', 'must not contain control characters');
    const accepted = (options.pattern?.test(value) ?? true) && (options.accepts?.(value) ?? true);
    return accepted ? [] : problem('invalid_format', `must be ${options.form ?? 'in another format'}`);
  };
}

/**
 * Accepts an http(s) URL without credentials, with at most 2048 characters. It can be passed to the HTTP client
 * unchanged.
 */
export function httpUrl(judge: (url: URL) => string | null = () => null): ValueRule {
  const asText = text({ max: 2048 });
  return (value) => {
    const problems = asText(value);
    if (problems.length > 0 || typeof value !== 'string') return problems;
    if (/\s/.test(value)) return problem('invalid_characters', 'must not contain spaces');
    if (readUrl(value) === null)
      return problem('invalid_format', 'must be an absolute URL such as https://example.com/hook');
    const url = new URL(value);
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      return problem('unsupported_scheme', 'must start with https:// or http://');
    if (!/^https?:\/\/[^/]/i.test(value) || url.port === '0')
      return problem('invalid_format', 'must be an absolute URL such as https://example.com/hook');
    if (url.username || url.password) return problem('credentials_in_url', 'must not contain a user name or password');
    const refusal = judge(url);
    return refusal ? problem('invalid_config', refusal) : [];
  };
}

export const oneOf =
  (allowed: readonly string[]): ValueRule =>
  (value) => {
    if (typeof value !== 'string') return problem('wrong_type', 'must be a string');
    return allowed.includes(value) ? [] : problem('invalid_format', `must be one of: ${allowed.join(', ')}`);
  };

export const flag: ValueRule = (value) =>
  typeof value === 'boolean' ? [] : problem('wrong_type', 'must be true or false');

export const integer =
  (min: number, max: number): ValueRule =>
  (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return problem('wrong_type', 'must be an integer');
    return value >= min && value <= max ? [] : problem('out_of_range', `must be between ${min} and ${max}`);
  };

/** Accepts a list of 1 to `max` distinct items that follow the rule. Pointers contain the item's index. */
export const list =
  (rule: ValueRule, max: number, min = 1): ValueRule =>
  (value) => {
    if (!Array.isArray(value)) return problem('wrong_type', 'must be an array');
    if (value.length < min) return problem('required', `must contain at least ${min} item${min === 1 ? '' : 's'}`);
    if (value.length > max) return problem('too_long', `must contain at most ${max} items`);
    return value.flatMap((item: unknown, index) =>
      rule(item).map((found) => ({ ...found, pointer: `/${index}${found.pointer}` })),
    );
  };

/** Accepts a single value or a list of values. */
export const oneOrMany =
  (rule: ValueRule, max: number): ValueRule =>
  (value) =>
    Array.isArray(value) ? list(rule, max)(value) : rule(value);

/** Accepts an email address, such as `ops@example.com`. */
export const mailAddress: ValueRule = text({
  max: 254,
  accepts: isMailAddress,
  form: 'exactly one email address such as ops@example.com',
});

/** Accepts a number in E.164 format: `+` and 7 to 15 digits. */
export const phoneNumber: ValueRule = text({
  max: 16,
  pattern: /^\+[1-9][0-9]{6,14}$/,
  form: 'a phone number with country code such as +15005550006',
});

/** Accepts a hostname or an IP address without a port, in any notation that the dialer understands. */
export const hostName: ValueRule = (value) => {
  if (typeof value !== 'string') return problem('wrong_type', 'must be a string');
  return normalizeHost(value) === null ? problem('invalid_format', `must be ${HOST_FORM}`) : [];
};
