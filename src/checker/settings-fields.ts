import type { ValueRule } from '../channel/config/config-validation';
import { readEscapes } from './escaped-text';

const MAX_BYTES = 1024;
const MAX_PEM = 32 * 1024;

/** Accepts the text of a message with at most 1 KiB, with escapes. See `readEscapes`. */
export const message: ValueRule = (value) => {
  if (typeof value !== 'string') return [{ pointer: '', code: 'wrong_type', message: 'must be a string' }];
  const bytes = readEscapes(value);
  if (bytes === null)
    return [
      {
        pointer: '',
        code: 'invalid_format',
        message: 'contains an invalid escape: use \\r, \\n, \\t, \\0, \\\\, or \\x and two hex digits',
      },
    ];
  if (bytes.length === 0) return [{ pointer: '', code: 'required', message: 'must not be empty' }];
  return bytes.length > MAX_BYTES
    ? [{ pointer: '', code: 'too_long', message: `must have at most ${MAX_BYTES} bytes` }]
    : [];
};

/** Accepts a text of several lines, without other control characters. */
export const lines =
  (max: number): ValueRule =>
  (value) => {
    if (typeof value !== 'string') return [{ pointer: '', code: 'wrong_type', message: 'must be a string' }];
    if (value.trim() === '') return [{ pointer: '', code: 'required', message: 'must not be empty' }];
    if (Buffer.byteLength(value) > max)
      return [{ pointer: '', code: 'too_long', message: `must have at most ${max} bytes` }];
    // oxlint-disable-next-line no-control-regex -- control characters are what is being refused.
    return /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\p{Surrogate}/u.test(value)
      ? [{ pointer: '', code: 'invalid_characters', message: 'must not contain control characters' }]
      : [];
  };

/** Accepts certificates or a key in PEM. */
export const pem =
  (form: string): ValueRule =>
  (value) => {
    const found = lines(MAX_PEM)(value);
    if (found.length > 0 || typeof value !== 'string') return found;
    // prose: the markers of the PEM format
    return value.includes('-----BEGIN ') && value.includes('-----END ')
      ? []
      : [{ pointer: '', code: 'invalid_format', message: `must be ${form} in PEM` }];
  };
