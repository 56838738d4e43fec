import { hash } from 'node:crypto';
import type { Certificate, CheckError, CheckPhase } from '../../checker/checker';
import type { FinishedCheck } from '../../endpoint/finished-check';
import { storableText } from '../../platform/database/postgres-text';

/** What of a check repeats from check to check. Absent keys stand for "nothing". */
export interface CheckDetail {
  address?: string;
  certificate?: Certificate;
  records?: readonly string[];
  redirects?: readonly string[];
  error?: { phase: CheckPhase; message: string };
  firstError?: CheckError;
}

/** A detail ready to be stored: `hash` is a signed 64-bit number as text, `text` its JSON. */
export interface StoredDetail {
  hash: string;
  text: string;
}

/** Stored instead of a hash when there is nothing worth a detail row. */
export const NO_DETAIL = '0';

/** The keys are set in one order, so that equal details have equal JSON. */
function detailOf({ result: report, firstError }: FinishedCheck): CheckDetail {
  const detail: CheckDetail = {};
  if (report.address !== null) detail.address = report.address;
  if (report.certificate !== null) {
    const { expiresAt, issuer, subject, names } = report.certificate;
    detail.certificate = { expiresAt, issuer, subject, names };
  }
  if (report.records !== null && report.records.length > 0) detail.records = report.records;
  if (report.redirects.length > 0) detail.redirects = report.redirects;
  if (report.error !== null) detail.error = { phase: report.error.phase, message: report.error.message };
  if (firstError !== null) {
    detail.firstError = { code: firstError.code, phase: firstError.phase, message: firstError.message };
  }
  return detail;
}

/** JSON.stringify writes NUL and half surrogate pairs as \u escapes, which jsonb refuses. */
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
