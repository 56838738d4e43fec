import { isIP } from 'node:net';
import {
  type CheckError,
  type CheckPhase,
  type CheckPhases,
  type CheckResult,
  ERROR_CODES,
  type ErrorCode,
  type Outcome,
} from '../../../checker/checker';
import { completeResult } from '../../../checker/complete-result';
import { storableText } from '../../../platform/database/postgres-text';
import { parseId } from '../../../platform/ids/id';
import { problems } from '../../../platform/problem/problem';
import { isRecord } from '../../../platform/text/json';
import { MAX_RESULTS, PROTOCOL } from '../../../probe-protocol/protocol';
import { FieldReader, fieldsOfRequest, MAX_TIME, PROTOCOL_RULE, type Rule, SESSION_RULE } from '../request-fields';
import { cut } from '../../../platform/text/text-limits';

/**
 * A parsed probe result. It is untrusted input, truncated and with defaults filled in. Times are milliseconds since the
 * epoch.
 */
export interface ReadResult {
  /** UUID, or `null` for a test result. */
  endpointId: string | null;
  revision: number | null;
  /** The slot, or `null` if the result responds to a request. */
  slotMs: number | null;
  /** UUID of the request that the result responds to. */
  ask: string | null;
  checkedMs: number;
  attempts: 1 | 2;
  firstError: CheckError | null;
  result: CheckResult;
}

export interface ReadBatch {
  session: string;
  /** The rows in order, with `null` for each row that can't be parsed. */
  rows: (ReadResult | null)[];
}

const list: Rule<unknown[]> = { is: (value): value is unknown[] => Array.isArray(value), must: 'a list' };

/** Parses a batch. Throws `validation_failed` if the body isn't a batch. An invalid row only becomes `null`. */
export function readResults(body: unknown): ReadBatch {
  const reader = new FieldReader(fieldsOfRequest(body));
  reader.read('protocol', PROTOCOL_RULE, PROTOCOL, true);
  const session = reader.read('session', SESSION_RULE, '', true);
  const rows = reader.read('results', list, [], true);
  if (rows.length > MAX_RESULTS)
    reader.problems.push({
      pointer: '/results',
      code: 'too_large',
      message: `results must have at most ${MAX_RESULTS} items`,
    });
  if (reader.problems.length > 0) throw problems.validationFailed(reader.problems);
  return { session, rows: rows.map(readResult) };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Parses one row. Returns `null` if it is invalid. */
export function readResult(row: unknown): ReadResult | null {
  if (!isRecord(row)) return null;
  const { endpoint_id, revision, slot, request_id, checked_at, attempts, first_error, result } = row;
  const endpointId = endpoint_id === null ? null : parseId('endpoint', endpoint_id);
  const askId = request_id ?? null;
  const isTryOut = endpoint_id === null;
  if (!isTryOut && (endpointId === null || !Number.isSafeInteger(revision))) return null;
  if (askId !== null && (typeof askId !== 'string' || !UUID.test(askId))) return null;
  // A result belongs either to a slot or to a request. A result without an endpoint can't have a slot.
  if ((slot === null) !== (askId !== null) || (isTryOut && askId === null)) return null;
  if (slot !== null && !isTime(slot)) return null;
  if (!isTime(checked_at) || (attempts !== undefined && attempts !== 1 && attempts !== 2)) return null;
  const firstError = readError(first_error ?? null);
  const read = readCheck(result);
  if (firstError === undefined || read === null) return null;
  return {
    endpointId,
    revision: isTryOut ? null : (revision as number),
    slotMs: slot,
    ask: askId,
    checkedMs: Math.round(checked_at),
    attempts: attempts === 2 ? 2 : 1,
    firstError: attempts === 2 ? firstError : null,
    result: read,
  };
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= MAX_TIME;

const OUTCOMES: readonly unknown[] = ['up', 'down', 'unknown'];
const PHASES: readonly unknown[] = [
  'dns',
  'connect',
  'tls',
  'first_byte',
  'transfer',
  'assertion',
  'internal',
] satisfies CheckPhase[];
const CODES: readonly unknown[] = ERROR_CODES;

/** The longest duration that a check can have, because it is stored as microseconds in an integer. */
const MAX_DURATION_MS = 2_147_483.647;
const MAX_MESSAGE = 300;
const MAX_NAME = 300;
const MAX_NAMES = 20;
const MAX_RECORD = 1000;
const MAX_RECORDS = 100;
const MAX_URL = 500;
const MAX_REDIRECTS = 5;
const MAX_ADDRESS = 64;

/** Parses a check result so that all later steps may rely on it. Returns `null` if it is invalid. */
function readCheck(sent: unknown): CheckResult | null {
  if (!isRecord(sent) || !OUTCOMES.includes(sent['outcome'])) return null;
  const outcome = sent['outcome'] as Outcome;
  const phases = readPhases(sent['phases']);
  const durationMs = readMs(sent['duration_ms']);
  const certificate = readCertificate(sent['certificate'] ?? null);
  const records = readTexts(sent['records'] ?? null, MAX_RECORDS, MAX_RECORD);
  const redirects = readTexts(sent['redirects'] ?? [], MAX_REDIRECTS, MAX_URL);
  const error = readError(sent['error'] ?? null);
  const warning = readError(sent['warning'] ?? null);
  const statusCode = sent['status_code'] ?? null;
  const address = sent['address'] ?? null;
  if (!phases || durationMs === null || certificate === undefined || !redirects || records === undefined) return null;
  if (error === undefined || warning === undefined) return null;
  if (statusCode !== null && !isStatus(statusCode)) return null;
  if (address !== null && !isAddress(address)) return null;
  // This is `null` if the outcome and the error don't match.
  return completeResult(
    { outcome, durationMs, phases, statusCode, address, certificate, records, redirects, error, warning },
    null,
  );
}

const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 999;
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_ADDRESS && isIP(value) !== 0;
const readMs = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= MAX_DURATION_MS ? value : null;

const PHASE_NAMES = {
  dnsMs: 'dns_ms',
  connectMs: 'connect_ms',
  tlsMs: 'tls_ms',
  firstByteMs: 'first_byte_ms',
  transferMs: 'transfer_ms',
} as const satisfies Record<keyof CheckPhases, string>;

function readPhases(sent: unknown): CheckPhases | null {
  if (!isRecord(sent)) return null;
  const phases: CheckPhases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null };
  for (const name of Object.keys(PHASE_NAMES) as (keyof CheckPhases)[]) {
    const value = sent[PHASE_NAMES[name]] ?? null;
    phases[name] = readMs(value);
    if (value !== null && phases[name] === null) return null;
  }
  return phases;
}

/** Parses an error. Returns `undefined` if the value isn't one. */
function readError(sent: unknown): CheckError | null | undefined {
  if (sent === null) return null;
  if (!isRecord(sent)) return undefined;
  const { code, phase, message } = sent;
  if (!CODES.includes(code) || !PHASES.includes(phase) || typeof message !== 'string') return undefined;
  return { code: code as ErrorCode, phase: phase as CheckPhase, message: plainText(message, MAX_MESSAGE) };
}

function readCertificate(sent: unknown): CheckResult['certificate'] | undefined {
  if (sent === null) return null;
  if (!isRecord(sent)) return undefined;
  const { expires_at, issuer, subject, authority } = sent;
  const names = readTexts(sent['names'] ?? [], MAX_NAMES, MAX_NAME);
  const expiresMs = typeof expires_at === 'string' ? Date.parse(expires_at) : NaN;
  if (!(Math.abs(expiresMs) <= MAX_TIME) || typeof issuer !== 'string' || typeof subject !== 'string' || !names)
    return undefined;
  return {
    expiresAt: new Date(expiresMs).toISOString(),
    issuer: plainText(issuer, MAX_NAME),
    subject: plainText(subject, MAX_NAME),
    names,
    ...(typeof authority === 'string' ? { authority: plainText(authority, MAX_NAME) } : {}),
  };
}

/** Returns the first strings, each truncated, or `undefined` if the value isn't a list of strings. */
function readTexts(sent: unknown, most: number, longest: number): string[] | null | undefined {
  if (sent === null) return null;
  if (!Array.isArray(sent) || !sent.every((text): text is string => typeof text === 'string')) return undefined;
  return sent.slice(0, most).map((text) => plainText(text, longest));
}

/** Replaces control characters, removes unpaired surrogates, and truncates the string to `longest` characters. */
const plainText = (text: string, longest: number): string =>
  storableText(cut(text, longest, '')).replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ');
