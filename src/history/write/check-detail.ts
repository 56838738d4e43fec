import { hash } from 'node:crypto';
import type { Certificate, CheckError, CheckPhase } from '../../checker/checker';
import type { FinishedCheck } from '../../endpoint/finished-check';
import { storableText } from '../../platform/database/postgres-text';

/** The part of a check that is usually the same as in the check before, stored once per content. Absent: empty. */
export interface CheckDetail {
  address?: string;
  certificate?: Certificate;
  records?: string[];
  redirects?: string[];
  error?: { phase: CheckPhase; message: string };
  firstError?: CheckError;
}

/** A detail in its stored form: `hash` is a signed 64-bit number as text, `text` the JSON. */
export interface StoredDetail {
  hash: string;
  text: string;
}

/** Stored instead of a hash when a check has no detail row. */
export const NO_DETAIL = '0';

/** Sets the keys in a fixed order, so that equal details have equal JSON. */
function detailOf({ result, firstError }: FinishedCheck): CheckDetail {
  const detail: CheckDetail = {};
  if (result.address !== null) detail.address = result.address;
  if (result.certificate !== null) {
    const { expiresAt, issuer, subject, names } = result.certificate;
    detail.certificate = { expiresAt, issuer, subject, names };
  }
  if (result.records !== null && result.records.length > 0) detail.records = result.records;
  if (result.redirects.length > 0) detail.redirects = result.redirects;
  if (result.error !== null) detail.error = { phase: result.error.phase, message: result.error.message };
  if (firstError !== null) {
    detail.firstError = { code: firstError.code, phase: firstError.phase, message: firstError.message };
  }
  return detail;
}

/** JSON.stringify writes NUL and lone surrogates as \u escapes, which jsonb refuses. */
function storableJson(detail: CheckDetail): string {
  const text = JSON.stringify(detail);
  if (!text.includes('\\u')) return text;
  return JSON.stringify(detail, (_, value: unknown) => (typeof value === 'string' ? storableText(value) : value));
}

/** The detail of one check with its content hash, or `null` when the check has none. */
export function storedDetail(check: FinishedCheck): StoredDetail | null {
  const text = storableJson(detailOf(check));
  if (text === '{}') return null;
  const number = hash('sha256', text, 'buffer').readBigInt64BE(0);
  return { hash: number === 0n ? '1' : number.toString(), text };
}
