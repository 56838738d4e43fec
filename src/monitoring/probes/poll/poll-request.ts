import { problems } from '../../../platform/problem/problem';
import { MAX_WAIT_SECONDS, type PollRequest, PROTOCOL } from '../../../probe-protocol/protocol';
import { FieldReader, fieldsOfRequest, MAX_TIME, PROTOCOL_RULE, type Rule, SESSION_RULE } from '../request-fields';

const MAX_CURSOR = 1000;
const MAX_VERSION = 32;
const MAX_TYPES = 64;
/** The maximum of an integer column. */
const MAX_COUNT = 2 ** 31 - 1;

const number = (least: number, most: number): Rule<number> => ({
  is: (value): value is number => typeof value === 'number' && value >= least && value <= most,
  must: `a number from ${least} to ${most}`,
});
const count: Rule<number> = {
  is: (value): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COUNT,
  must: `a whole number from 0 to ${MAX_COUNT}`,
};
const flag: Rule<boolean> = { is: (value) => typeof value === 'boolean', must: 'true or false' };
const textOrNull = (form: RegExp, must: string): Rule<string | null> => ({
  is: (value): value is string | null => value === null || (typeof value === 'string' && form.test(value)),
  must: `${must}, or null`,
});
export const VERSION_RULE: Rule<string> = {
  is: (value): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,32}$/.test(value),
  must: `a string of 1 to ${MAX_VERSION} printable characters`,
};
const types: Rule<string[]> = {
  is: (value): value is string[] =>
    Array.isArray(value) &&
    value.length <= MAX_TYPES &&
    value.every((type) => typeof type === 'string' && /^[A-Z0-9_-]{1,32}$/.test(type)),
  must: `a list of up to ${MAX_TYPES} types of checks`,
};
const capabilities: Rule<string[]> = {
  is: (value): value is string[] =>
    Array.isArray(value) &&
    value.length <= MAX_TYPES &&
    value.every((name) => typeof name === 'string' && /^[a-z0-9_-]{1,32}$/.test(name)),
  must: `a list of up to ${MAX_TYPES} names of capabilities`,
};
const cursor = textOrNull(new RegExp(`^[\\w-]{1,${MAX_CURSOR}}$`), 'the cursor of an earlier response');
const digest = textOrNull(/^[0-9a-f]{64}$/, 'a SHA-256 hash in hex');

/**
 * Parses the body of a poll. Only `protocol` and `session` are required. Throws `validation_failed` with all errors.
 */
export function readPoll(body: unknown): PollRequest {
  const reader = new FieldReader(fieldsOfRequest(body));
  const request: PollRequest = {
    protocol: reader.read('protocol', PROTOCOL_RULE, PROTOCOL, true),
    session: reader.read('session', SESSION_RULE, '', true),
    standby: reader.read('standby', flag, false),
    cursor: reader.read('cursor', cursor, null),
    wait: reader.read('wait', number(0, MAX_WAIT_SECONDS), 0),
    version: reader.read('version', VERSION_RULE, 'unknown'),
    types: reader.read('types', types, []),
    capabilities: reader.read('capabilities', capabilities, []),
    clock: reader.read('clock', number(-MAX_TIME, MAX_TIME), NaN),
    count: reader.read('count', count, 0),
    digest: reader.read('digest', digest, null),
    buffered: reader.read('buffered', count, 0),
    dropped: reader.read('dropped', number(0, Number.MAX_SAFE_INTEGER), 0),
    skipped: reader.read('skipped', number(0, Number.MAX_SAFE_INTEGER), 0),
    lag_ms: reader.read('lag_ms', number(0, MAX_COUNT), 0),
    rtt_ms: reader.read('rtt_ms', number(0, MAX_COUNT), 0),
  };
  if (reader.problems.length > 0) throw problems.validationFailed(reader.problems);
  return request;
}
