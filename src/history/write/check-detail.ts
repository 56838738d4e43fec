import { hash } from 'node:crypto';
import type { Certificate, CheckError, CheckPhase } from '../../checker/checker';
import { type FinishedCheck, isDegraded } from '../../engine/finished-check';
import { storableText } from '../../platform/database/postgres-text';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { cut } from '../../platform/text/text-limits';

/** Enough for two details for each of 100,000 endpoints. Takes about 30 MB when full. */
const CAPACITY = 200_000;

/**
 * A cache of stored details that this process knows, with the day until which each is marked as seen. When the cache is
 * full, it evicts the least recently used entries, which costs one redundant write each.
 */
export class DetailCache {
  private readonly days: BoundedMap<string, number>;

  constructor(capacity: number = CAPACITY) {
    this.days = new BoundedMap(capacity);
  }

  /** Returns whether the detail is stored and marked as seen on `day` (days since 1970) or later. */
  knows(endpointKey: string, hash: string, day: number): boolean {
    return (this.days.get(`${endpointKey}/${hash}`) ?? -Infinity) >= day;
  }

  /** Call this only after the commit, because a rolled-back detail is not stored. */
  remember(endpointKey: string, hash: string, day: number): void {
    this.days.set(`${endpointKey}/${hash}`, day);
  }
}

/**
 * The part of a check that is usually the same as in the previous check. Equal details are stored only once. Absent
 * fields are empty.
 */
export interface CheckDetail {
  address?: string;
  certificate?: Certificate;
  records?: string[];
  redirects?: string[];
  error?: { phase: CheckPhase; message: string };
  /** Includes the code, because the code column is used only for errors. */
  warning?: CheckError;
  firstError?: CheckError;
}

/** A detail in its stored form. `hash` is a signed 64-bit number as a string, and `text` is JSON. */
export interface StoredDetail {
  hash: string;
  text: string;
}

/** Stored instead of a hash if a check has no detail row. */
export const NO_DETAIL = '0';

/** Adds the fields in a fixed order, so that equal details have equal JSON. */
function detailOf(check: FinishedCheck): CheckDetail {
  const { result, firstError } = check;
  const detail: CheckDetail = {};
  if (result.address !== null) detail.address = result.address;
  if (result.certificate !== null) {
    const { expiresAt, issuer, subject, names, authority } = result.certificate;
    detail.certificate = { expiresAt, issuer, subject, names };
    if (authority) detail.certificate.authority = authority;
  }
  if (result.records !== null && result.records.length > 0) detail.records = result.records;
  if (result.redirects.length > 0) detail.redirects = result.redirects;
  if (result.error !== null) detail.error = { phase: result.error.phase, message: result.error.message };
  if (result.warning !== null && isDegraded(check)) {
    const { code, phase, message } = result.warning;
    detail.warning = { code, phase, message };
  }
  if (firstError !== null) {
    detail.firstError = { code: firstError.code, phase: firstError.phase, message: firstError.message };
  }
  return detail;
}

/**
 * The maximum size of a stored detail in bytes. Each distinct detail from a target is kept for `RAW_RETENTION_DAYS`.
 */
const MAX_DETAIL_BYTES = 16 * 1024;
const MAX_REDIRECTS = 5;
/** The maximum number of characters in a redirect, record, name, or error or warning message. */
const MAX_TEXT = 300;

const fits = (text: string): boolean =>
  text.length * 3 <= MAX_DETAIL_BYTES || Buffer.byteLength(text) <= MAX_DETAIL_BYTES;

const shortened = (text: string): string => cut(text, MAX_TEXT);

/** Returns at most `most` strings, each truncated. If some are omitted, the last string contains their number. */
const few = (texts: readonly string[], most: number): string[] =>
  texts.length <= most
    ? texts.map(shortened)
    : [...texts.slice(0, most - 1).map(shortened), `… ${texts.length - most + 1} more`];

/** Returns the detail with at most `most` redirects, records, and names. Truncated strings end with an ellipsis. */
function cutDetail(
  { address, certificate, records, redirects, error, warning, firstError }: CheckDetail,
  most: number,
) {
  const made: CheckDetail = {};
  if (address !== undefined) made.address = shortened(address);
  if (certificate) {
    const { expiresAt, issuer, subject, names, authority } = certificate;
    made.certificate = { expiresAt, issuer: shortened(issuer), subject: shortened(subject), names: few(names, most) };
    if (authority) made.certificate.authority = shortened(authority);
  }
  if (records) made.records = few(records, most);
  if (redirects) made.redirects = few(redirects, Math.min(MAX_REDIRECTS, most));
  if (error) made.error = { ...error, message: shortened(error.message) };
  if (warning) made.warning = { ...warning, message: shortened(warning.message) };
  if (firstError) made.firstError = { ...firstError, message: shortened(firstError.message) };
  return made;
}

/**
 * Returns valid JSON for the detail, at most 16 KiB. A detail hardly ever exceeds that size. Only hostile targets cause
 * one that does.
 */
function boundedJson(detail: CheckDetail): string {
  let text = storableJson(detail);
  for (let most = 16; most >= 1 && !fits(text); most >>= 1) text = storableJson(cutDetail(detail, most));
  return text;
}

/** JSON.stringify writes NUL and lone surrogates as \u escapes, which jsonb rejects. */
function storableJson(detail: CheckDetail): string {
  const text = JSON.stringify(detail);
  if (!text.includes('\\u')) return text;
  return JSON.stringify(detail, (_, value: unknown) => (typeof value === 'string' ? storableText(value) : value));
}

/** Returns a check's detail with its content hash, or `null` if the check has no detail. */
export function storedDetail(check: FinishedCheck): StoredDetail | null {
  const text = boundedJson(detailOf(check));
  if (text === '{}') return null;
  const number = hash('sha256', text, 'buffer').readBigInt64BE(0);
  return { hash: number === 0n ? '1' : number.toString(), text };
}
