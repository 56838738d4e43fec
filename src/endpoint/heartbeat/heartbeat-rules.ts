import type { FieldProblem } from '../../platform/problem/problem';
import { readCron } from '../../platform/time/cron-calendar';
import { isTimeZone } from '../../platform/time/time-zone';
import { HEARTBEAT, HEARTBEAT_URL, timesOfCron } from './heartbeat-schedule';
import { type HeartbeatDto, sentAddress } from './heartbeat.dto';

/** The fields that only other types have. They are `null` for heartbeats. */
export const FIELDS_OF_CHECKS = [
  'method',
  'interval',
  'timeout',
  'headers',
  'body',
  'follow_redirects',
  'assertions',
  'tls',
  'settings',
] as const;
/** For other types, `null` is a valid value of these fields. */
const NULLABLE: readonly string[] = ['body', 'tls', 'settings'];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Matches IDs of only zeros, which are never used as a ping ID because they are the easiest to guess. */
const NIL = /^[0-]+$/;
const TOKEN = /^[A-Za-z0-9_-]{10,64}$/;

interface Sent {
  readonly url?: string | null;
  readonly type?: string;
  readonly heartbeat?: HeartbeatDto | null;
}

type SentFields = Sent & { readonly [Field in (typeof FIELDS_OF_CHECKS)[number]]?: unknown };

/**
 * Returns the problems in a body that depend on whether the endpoint is a heartbeat. `type` is the type after the
 * change. `before` is the stored type, or `null` on create.
 */
export function typeProblems(sent: SentFields, type: string, before: string | null): FieldProblem[] {
  if (before !== null && before !== type && (before === HEARTBEAT || type === HEARTBEAT)) return [IMMUTABLE];
  return type === HEARTBEAT ? problemsOfHeartbeat(sent, before === null) : problemsOfOthers(sent);
}

const IMMUTABLE: FieldProblem = {
  pointer: '/type',
  code: 'immutable',
  message: `type cannot be changed to or from ${HEARTBEAT}; create a new endpoint instead`,
};

function problemsOfOthers(sent: SentFields): FieldProblem[] {
  const problems: FieldProblem[] = FIELDS_OF_CHECKS.filter(
    (name) => sent[name] === null && !NULLABLE.includes(name),
  ).map((name) => ({ pointer: `/${name}`, code: 'wrong_type', message: `${name} must not be null for this type` }));
  if (sent.heartbeat)
    problems.push({
      pointer: '/heartbeat',
      code: 'unknown_field',
      message: `heartbeat is only allowed for type ${HEARTBEAT}`,
    });
  return problems;
}

function problemsOfHeartbeat(sent: SentFields, isNew: boolean): FieldProblem[] {
  const problems: FieldProblem[] = FIELDS_OF_CHECKS.filter((name) => (sent[name] ?? null) !== null).map((name) => ({
    pointer: `/${name}`,
    code: 'unknown_field',
    message: `${name} must be null for ${HEARTBEAT}, because no request is sent`,
  }));
  if (typeof sent.url === 'string' && sent.url.trim() !== HEARTBEAT_URL)
    problems.push({ pointer: '/url', code: 'invalid_format', message: `url must be ${HEARTBEAT_URL}, or be left out` });
  if (sent.heartbeat) problems.push(...problemsOfFields(sent.heartbeat));
  else if (isNew || sent.heartbeat === null)
    problems.push({ pointer: '/heartbeat', code: 'required', message: 'heartbeat is required for this type' });
  return problems;
}

function problemsOfFields(sent: HeartbeatDto): FieldProblem[] {
  const { every = null, cron = null, timezone = null } = sent;
  const problems: FieldProblem[] = [];
  const add = (field: string, code: FieldProblem['code'], message: string): void => {
    problems.push({ pointer: `/heartbeat/${field}`, code, message });
  };
  if (every === null && cron === null) add('every', 'required', 'every or cron is required');
  if (every !== null && cron !== null) add('cron', 'invalid_format', 'send every or cron, not both');
  if (cron !== null && timezone === null) add('timezone', 'required', 'timezone is required with cron');
  if (cron === null && timezone !== null) add('timezone', 'invalid_format', 'timezone is only allowed with cron');
  if (cron !== null && readCron(cron) === null)
    add(
      'cron',
      'invalid_format',
      'cron must have five fields: minute, hour, day of the month, month and day of the week',
    );
  else if (cron !== null && timesOfCron(cron, 'UTC', new Date(0), 1).length === 0)
    add('cron', 'never_due', 'cron never matches a date');
  if (timezone !== null && !isTimeZone(timezone))
    add('timezone', 'unknown_zone', 'timezone must be a name in the IANA database such as Europe/Berlin');
  const { pingId, pushToken } = sentAddress(sent);
  if (pingId !== undefined && (!UUID.test(pingId) || NIL.test(pingId)))
    add('ping_id', 'invalid_format', 'ping_id must be a UUID');
  if (pushToken !== undefined && !TOKEN.test(pushToken))
    add('push_token', 'invalid_format', 'push_token must be 10 to 64 of A-Z a-z 0-9 _ -');
  return problems;
}
