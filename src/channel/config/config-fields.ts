import { applyDecorators } from '@nestjs/common';
import { ValidateBy, ValidateIf } from 'class-validator';
import { HOST_FORM, normalizeHost } from '../../platform/net/egress/host-name';
import type { FieldProblem } from '../../platform/problem/problem';
import { countCodePoints, hasUnprintable } from '../../platform/text/text-limits';
import { isMailAddress } from '../../platform/text/mail-address';
import { readUrl } from '../../platform/text/read-url';
import { aliasKey, type ConfigClass, connectionKey, markedAs, nestedAs } from './config-metadata';
import { configProblems, RULE_CONTEXT, type RuleContext, type ValueRule } from './config-validation';

const problem = (code: FieldProblem['code'], message: string, pointer = ''): FieldProblem[] => [
  { pointer, code, message },
];

/**
 * A key that must be sent and must satisfy the rule. Unlike the single constraints of class-validator a rule chooses its code
 * and points into lists; both kinds may be mixed on one class.
 */
export const Required = (rule: ValueRule): PropertyDecorator => {
  const judged: ValueRule = (value) => (value === undefined ? problem('required', 'is required') : rule(value));
  return ValidateBy(
    {
      name: RULE_CONTEXT,
      validator: {
        validate: (value: unknown) => judged(value).length === 0,
        defaultMessage: (args) => judged(args?.value)[0]?.message ?? 'is not valid',
      },
    },
    { context: { judged } satisfies RuleContext },
  );
};

/** A key that may be left out and otherwise must satisfy the rule. */
export const Optional = (rule: ValueRule): PropertyDecorator =>
  applyDecorators(
    ValidateIf((_, value) => value !== undefined),
    Required(rule),
  );

/** A credential: encrypted at rest, never returned, never logged. A masked value sent back keeps the stored one. */
export const Secret = (): PropertyDecorator => markedAs('secret');

/** A secret that signs and is itself never sent: it is kept when the config is pointed at another host. */
export const SigningSecret = (): PropertyDecorator => markedAs('secret', 'signing');

/** Returned as stored to write and admin keys, masked for read keys; encrypted at rest as well. */
export const Confidential = (): PropertyDecorator => markedAs('confidential');

/** A confidential URL or mail address: read keys see its host, or its domain, and nothing else of it. */
export const ConfidentialAddress = (): PropertyDecorator => markedAs('confidential', 'address');

/** An http(s) URL or a host name that `send` connects to: judged by the egress policy when the alert is saved. */
export const Dialed = (): PropertyDecorator => markedAs('dialed');

/** Tells people whom an alert reaches: lists of alerts show it, of a URL the host, as far as its reader may see it. */
export const Addressee = (): PropertyDecorator => markedAs('addressee');

/** A former name of another key: documented as deprecated, and not in the dashboard's forms. */
export const AliasOf = (name: string): PropertyDecorator => aliasKey(name);

/**
 * Decides how the dialed host of the same object is connected to, such as its port: after a change a masked credential has
 * to be sent again. `unsent` is what counts when the key is left out.
 */
export const Connection = (unsent: string | number | boolean): PropertyDecorator => connectionKey(unsent);

/** The value is an object, or a list of objects, of a class whose keys carry marks of their own. */
export const Nested = (type: () => ConfigClass): PropertyDecorator => nestedAs(type);

/** An object judged by the rules of its own class. */
export const object =
  (type: () => ConfigClass): ValueRule =>
  (value) =>
    configProblems(type(), value);

/** What a text must look like. `form` completes "must be …" when it does not match `pattern` or `accepts`. */
export interface TextOptions {
  max: number;
  min?: number;
  pattern?: RegExp;
  accepts?: (text: string) => boolean;
  form?: string;
}

/** Text on one line. */
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

/** An http(s) URL without credentials, at most 2048 characters, safe to hand to the HTTP client as it is. */
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

/** Each item by the rule, with the item's position in the pointer; 1 to `max` items, none twice. */
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

/** A single value or a list of them. */
export const oneOrMany =
  (rule: ValueRule, max: number): ValueRule =>
  (value) =>
    Array.isArray(value) ? list(rule, max)(value) : rule(value);

/** `ops@example.com`. */
export const mailAddress: ValueRule = text({
  max: 254,
  accepts: isMailAddress,
  form: 'exactly one email address such as ops@example.com',
});

/** E.164: `+` and 7 to 15 digits. */
export const phoneNumber: ValueRule = text({
  max: 16,
  pattern: /^\+[1-9][0-9]{6,14}$/,
  form: 'a phone number with country code such as +15005550006',
});

/** A host name or an address literal without port, in any notation that the dialer reads. */
export const hostName: ValueRule = (value) => {
  if (typeof value !== 'string') return problem('wrong_type', 'must be a string');
  return normalizeHost(value) === null ? problem('invalid_format', `must be ${HOST_FORM}`) : [];
};
