import { applyDecorators } from '@nestjs/common';
import { ValidateBy, ValidateIf } from 'class-validator';
import { HOST_FORM, normalizeHost } from '../../platform/net/egress/host-name';
import type { FieldProblem } from '../../platform/problem/problem';
import { countCodePoints, hasUnprintable } from '../text-limits';
import { readUrl } from '../../platform/text/read-url';

/** What is wrong with a value; `pointer` is relative to it, empty for the value itself. */
export type Finding = FieldProblem;

/** Judges one value of a config. Finds nothing when the value is fine. */
export type ValueRule = (value: unknown) => Finding[];

export const RULE_CONTEXT = 'configRule';

/** How a failed rule is found again in what class-validator reports. */
export interface RuleContext {
  judged: ValueRule;
}

const finding = (code: Finding['code'], message: string, pointer = ''): Finding[] => [{ pointer, code, message }];

/**
 * A key that must be sent and must satisfy the rule. Unlike single class-validator constraints a rule chooses its code
 * and points into lists; both kinds may be mixed on one class.
 */
export const Rule = (rule: ValueRule): PropertyDecorator => {
  const judged: ValueRule = (value) => (value === undefined ? finding('required', 'is required') : rule(value));
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

/** The same for a key that may be left out. */
export const OptionalRule = (rule: ValueRule): PropertyDecorator =>
  applyDecorators(
    ValidateIf((_, value) => value !== undefined),
    Rule(rule),
  );

/** Text on one line. `form` completes "must be …" when the pattern does not match. */
export function text(options: { max: number; min?: number; pattern?: RegExp; form?: string }): ValueRule {
  return (value) => {
    if (typeof value !== 'string') return finding('wrong_type', 'must be a string');
    if (value.trim().length < (options.min ?? 1)) return finding('required', 'must not be empty');
    if (countCodePoints(value) > options.max) return finding('too_long', `must have at most ${options.max} characters`);
    if (hasUnprintable(value)) return finding('invalid_characters', 'must not contain control characters');
    if (options.pattern && !options.pattern.test(value))
      return finding('invalid_format', `must be ${options.form ?? 'of another form'}`);
    return [];
  };
}

/** An http(s) URL without credentials, at most 2048 characters, safe to hand to the HTTP client as it is. */
export function httpUrl(judge: (url: URL) => string | null = () => null): ValueRule {
  const asText = text({ max: 2048 });
  return (value) => {
    const asTextFindings = asText(value);
    if (asTextFindings.length > 0 || typeof value !== 'string') return asTextFindings;
    if (/\s/.test(value)) return finding('invalid_characters', 'must not contain spaces');
    if (readUrl(value) === null)
      return finding('invalid_format', 'must be an absolute URL such as https://example.com/hook');
    const url = new URL(value);
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      return finding('unsupported_scheme', 'must begin with https:// or http://');
    if (!/^https?:\/\/[^/]/i.test(value) || url.port === '0')
      return finding('invalid_format', 'must be an absolute URL such as https://example.com/hook');
    if (url.username || url.password) return finding('credentials_in_url', 'must not contain a user name or password');
    const refusal = judge(url);
    return refusal ? finding('invalid_config', refusal) : [];
  };
}

export const oneOf =
  (allowed: readonly string[]): ValueRule =>
  (value) => {
    if (typeof value !== 'string') return finding('wrong_type', 'must be a string');
    return allowed.includes(value) ? [] : finding('invalid_format', `must be one of: ${allowed.join(', ')}`);
  };

export const flag: ValueRule = (value) =>
  typeof value === 'boolean' ? [] : finding('wrong_type', 'must be true or false');

export const integer =
  (min: number, max: number): ValueRule =>
  (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return finding('wrong_type', 'must be an integer');
    return value >= min && value <= max ? [] : finding('out_of_range', `must be between ${min} and ${max}`);
  };

/** Each item by the rule, with the item's position in the pointer; 1 to `max` items, none twice. */
export const list =
  (rule: ValueRule, max: number, min = 1): ValueRule =>
  (value) => {
    if (!Array.isArray(value)) return finding('wrong_type', 'must be an array');
    if (value.length < min) return finding('required', `must contain at least ${min} item${min === 1 ? '' : 's'}`);
    if (value.length > max) return finding('too_long', `must contain at most ${max} items`);
    return value.flatMap((item: unknown, index) =>
      rule(item).map((found) => ({ ...found, pointer: `/${index}${found.pointer}` })),
    );
  };

/** A single value or a list of them. */
export const oneOrMany =
  (rule: ValueRule, max: number): ValueRule =>
  (value) =>
    Array.isArray(value) ? list(rule, max)(value) : rule(value);

const MAIL_ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/** True for exactly one plain address: no display name, no list, no quoting, so that it can add no recipient. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && MAIL_ADDRESS.test(text);

/** `ops@example.com`. */
export const mailAddress: ValueRule = text({
  max: 254,
  pattern: MAIL_ADDRESS,
  form: 'exactly one e-mail address such as ops@example.com',
});

/** E.164: `+` and 7 to 15 digits. */
export const phoneNumber: ValueRule = text({
  max: 16,
  pattern: /^\+[1-9][0-9]{6,14}$/,
  form: 'a phone number with country code such as +15005550006',
});

/** A host name or an address literal without port, in any notation that the dialer reads. */
export const hostName: ValueRule = (value) => {
  if (typeof value !== 'string') return finding('wrong_type', 'must be a string');
  return normalizeHost(value) === null ? finding('invalid_format', `must be ${HOST_FORM}`) : [];
};
