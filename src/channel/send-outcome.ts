import { cut, oneLine } from '../platform/text/text-limits';
import type { SendOutcome } from './channel';
import { isPublicAddress } from '../platform/net/egress/address-class';
import { isRecord } from '../platform/text/json';
import { readUrl } from '../platform/text/read-url';

const MIN_RETRY_AFTER_MS = 5000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** The maximum length of an error that a delivery stores. */
const MAX_ERROR = 300;
const MAX_DETAIL = 160;
/** The number of characters of a provider's text that are searched for secrets. */
const MAX_WORDS = 8192;
/** Shorter parts of a secret are too common in ordinary text to be removed. */
const MIN_HIDDEN = 4;
const MIN_HIDDEN_PART = 8;
const HIDDEN = '[hidden]';

const HTTP_DATE = /^[A-Z][a-z]{2,8}, ?\d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns how long a provider asks clients to wait, based on a `Retry-After` header (seconds or an HTTP date) or a
 * number of seconds in its body. At least 5 s, at most 1 h. Returns `null` if there is no usable value (absent,
 * negative, or invalid), so that the service's own schedule applies.
 */
export function retryAfterMs(value: unknown, nowMs: number): number | null {
  const requested = requestedMs(value, nowMs);
  if (requested === null) return null;
  return Math.min(Math.max(Math.ceil(requested), MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS);
}

function requestedMs(value: unknown, nowMs: number): number | null {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value * 1000 : null;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return null;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date - nowMs;
}

/** Returns true if a channel from another package returned a valid outcome. */
export function isOutcome(value: unknown): value is SendOutcome {
  if (!isRecord(value)) return false;
  const { result, status, error, warning, retryAfterMs, mayHaveArrived, gone } = value;
  if (status !== null && !Number.isSafeInteger(status)) return false;
  switch (result) {
    case 'delivered':
      return warning === undefined || typeof warning === 'string';
    case 'retry': {
      const waits = retryAfterMs === null || (typeof retryAfterMs === 'number' && retryAfterMs >= 0);
      return typeof error === 'string' && waits && typeof mayHaveArrived === 'boolean';
    }
    case 'rejected':
      return typeof error === 'string' && typeof gone === 'boolean';
    default:
      return false;
  }
}

/** A channel's interpretation of a response. Everything except `delivered` and `warning` describes a failure. */
export interface Reading {
  /** True if the response meets the provider's rule for success. */
  delivered: boolean;
  /** A more specific status from the body, which overrides the status of the response. */
  status?: number;
  /** The provider's short error text. */
  detail?: unknown;
  /** The number of seconds to wait, if the body contains it. Otherwise the header is used. */
  retryAfterSeconds?: unknown;
  /** The destination no longer exists, and another attempt would only do harm. */
  gone?: boolean;
  /** The message may have been sent despite this response. */
  mayHaveArrived?: boolean;
  /** A problem to fix although the message was delivered. */
  warning?: string;
}

const RETRIED = new Set([408, 425, 429]);
/** Status codes of a proxy that lost the provider's response. The message may have been accepted. */
const AMBIGUOUS = new Set([502, 504]);

/** Returns the outcome for a response, for all channels. Error texts are public. */
export function outcomeOfResponse(
  provider: string,
  response: { status: number; headers: Readonly<Record<string, string>> },
  reading: Reading,
  nowMs: number,
  quote: Quote,
): SendOutcome {
  if (reading.delivered) {
    const { warning } = reading;
    return { result: 'delivered', status: response.status, ...(warning === undefined ? {} : { warning }) };
  }
  const status = reading.status ?? response.status;
  const error = responseText(provider, response.status, quote(reading.detail));
  if (RETRIED.has(status) || status >= 500)
    return {
      result: 'retry',
      status: response.status,
      error,
      retryAfterMs:
        retryAfterMs(reading.retryAfterSeconds, nowMs) ?? retryAfterMs(response.headers['retry-after'], nowMs),
      mayHaveArrived: reading.mayHaveArrived ?? AMBIGUOUS.has(status),
    };
  return { result: 'rejected', status: response.status, error, gone: reading.gone === true || status === 410 };
}

function responseText(provider: string, status: number, quoted: string): string {
  if (status >= 300 && status < 400) return `${provider} answered ${status}: redirects are not followed`;
  const odd = status >= 200 && status < 300 ? ', which does not mean success here' : '';
  return `${provider} answered ${status}${odd}${quoted ? `: ${quoted}` : ''}`;
}

/** Returns the part of a peer's text that may be quoted: one short line without secrets, or an empty string. */
export type Quote = (words: unknown) => string;

/**
 * Returns the rule for quoting a peer at this IP address. Nothing from a private address is quoted. Otherwise, users
 * with permission to change alerts could read responses of services in the operator's network.
 */
export const quoting = (address: string | null, hidden: readonly string[]): Quote =>
  address !== null && isPublicAddress(address) ? quotingAnybody(hidden) : () => '';

/**
 * Works like `quoting`, but passes text that is omitted to `log`, where the operator can find out why a message was
 * refused.
 */
export function quotingOrLogging(address: string, hidden: readonly string[], log: (words: string) => void): Quote {
  const [shown, all] = [quoting(address, hidden), quotingAnybody(hidden)];
  return (words) => {
    const [text, said] = [shown(words), all(words)];
    if (text === '' && said !== '') log(said);
    return text;
  };
}

/**
 * Returns the rule for quoting a peer at any address. Secrets are hidden before the text is truncated. HTML pages are
 * dropped, because they aren't helpful.
 */
export const quotingAnybody =
  (hidden: readonly string[]): Quote =>
  (words) => {
    if (typeof words !== 'string') return '';
    const line = withoutHidden(cut(words, MAX_WORDS, ''), hidden);
    // The end of a truncated text may contain part of a secret, which would not be recognized.
    const unsure = words.length > MAX_WORDS ? (spellings(hidden)[0]?.length ?? 0) : 0;
    return line.startsWith('<') ? '' : cut(cut(line, Math.max(0, line.length - unsure), ''), MAX_DETAIL);
  };

/**
 * Returns an error text that may be stored and shown: one line of at most 300 characters, without URLs, hidden values,
 * or parts of them.
 */
export function publicError(text: string, hidden: readonly string[]): string {
  return cut(withoutHidden(text, hidden).replace(/\bhttps?:\/\/\S+/gi, '[url]'), MAX_ERROR);
}

/** Returns one line with every hidden value replaced. */
function withoutHidden(text: string, hidden: readonly string[]): string {
  let line = oneLine(text);
  for (const secret of spellings(hidden)) line = line.replaceAll(secret, HIDDEN);
  return line;
}

export function publicOutcome(outcome: SendOutcome, hidden: readonly string[]): SendOutcome {
  if (outcome.result !== 'delivered') return { ...outcome, error: publicError(outcome.error, hidden) };
  return outcome.warning === undefined ? outcome : { ...outcome, warning: publicError(outcome.warning, hidden) };
}

/**
 * Returns the forms of each value on one line: as in URLs, forms, JSON, and base64, and the secret parts of a URL,
 * longest first.
 */
function spellings(hidden: readonly string[]): readonly string[] {
  const known = spelled.get(hidden);
  if (known) return known;
  const parts = hidden.flatMap((value) => [value, ...urlParts(value)]);
  const forms = parts.flatMap((part) => [
    oneLine(part),
    encodeURIComponent(part),
    new URLSearchParams([[part, '']]).toString().slice(0, -1),
    JSON.stringify(part).slice(1, -1),
    Buffer.from(part).toString('base64'),
  ]);
  const found = [...new Set(forms)].filter((form) => form.length >= MIN_HIDDEN).sort((a, b) => b.length - a.length);
  spelled.set(hidden, found);
  return found;
}

/** Caches the result during an attempt, which needs it twice. */
const spelled = new WeakMap<readonly string[], readonly string[]>();

function urlParts(value: string): string[] {
  if (!/^https?:\/\//i.test(value) || readUrl(value) === null) return [];
  const url = new URL(value);
  return [
    url.pathname + url.search,
    ...url.pathname.split('/'),
    ...url.searchParams.values(),
    ...url.search.slice(1).split(/[&=]/),
  ].filter((part) => part.length >= MIN_HIDDEN_PART);
}
