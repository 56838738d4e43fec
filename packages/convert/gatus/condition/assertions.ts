import { assertionProblems, MAX_ASSERTIONS } from '../../../../src/checker/assertion/assertion-rules';
import type { Assertion, AssertionSource } from '../../../../src/checker/assertion/assertion';
import { bodyAssertions } from './body-assertions';
import { type Condition, readCondition } from './condition';
import { dnsAssertions } from './dns-assertions';
import { quoted } from '../fields';
import { ageAssertions, certificateAssertions, statusAssertions } from './number-assertions';
import { asWritten, hasVariable } from '../variables';
import { type Judged, lost } from './judged';

/** The check types that Gatus endpoints are converted to. */
export type CheckType = 'HTTP' | 'HTTPS' | 'TCP' | 'DNS' | 'ICMP' | 'SSH' | 'UDP' | 'WEBSOCKET' | 'GRPC';

export interface JudgedConditions {
  assertions: Assertion[];
  differences: string[];
  /** The condition that makes it impossible to convert the endpoint. */
  contrary: string | null;
}

const WEB: readonly AssertionSource[] = ['status_code', 'response_time', 'header', 'body', 'json', 'certificate_days'];
const SOURCES: Readonly<Record<CheckType, readonly AssertionSource[]>> = {
  HTTP: WEB,
  HTTPS: WEB,
  TCP: ['response_time', 'certificate_days'],
  UDP: ['response_time'],
  WEBSOCKET: ['response_time', 'certificate_days'],
  GRPC: ['response_time', 'certificate_days'],
  DNS: ['dns_record', 'response_time'],
  ICMP: ['response_time'],
  SSH: ['banner', 'response_time'],
};

/** Types other than HTTP that may report a certificate. */
const WITH_TLS: readonly CheckType[] = ['TCP', 'WEBSOCKET', 'GRPC'];

/** Gatus ignores the status code unless a condition uses it. Our checks expect 200 to 299 by default. */
const ANY_STATUS: Assertion = { source: 'status_code', comparison: 'in', target: '100-599' };

/** The API's limit. */
const MAX_TARGET = 1000;

/** Converts an endpoint's conditions, as written in the file, to assertions. */
export function assertionsOf(conditions: readonly string[], type: CheckType, recordType: string): JudgedConditions {
  const found: JudgedConditions = { assertions: [], differences: [], contrary: null };
  const known = new Set<string>();
  for (const text of conditions) {
    const { assertions, difference, isContrary } = judge(text, type, recordType);
    if (isContrary === true) found.contrary ??= asWritten(text);
    if (difference !== undefined) found.differences.push(`the condition ${quoted(text)} ${difference}`);
    for (const assertion of assertions) {
      const problem = problemOf(assertion, type);
      if (problem !== null) found.differences.push(`the condition ${quoted(text)} is left out: ${problem}`);
      else if (!known.has(JSON.stringify(assertion))) found.assertions.push(assertion);
      known.add(JSON.stringify(assertion));
    }
  }
  const looksAtStatus = conditions.some((text) => readCondition(text)?.subject.name === 'STATUS');
  if ((type === 'HTTP' || type === 'HTTPS') && !looksAtStatus) found.assertions.unshift({ ...ANY_STATUS });
  if (found.assertions.length > MAX_ASSERTIONS)
    found.differences.push(`only the first ${MAX_ASSERTIONS} of ${found.assertions.length} assertions are kept`);
  found.assertions.splice(MAX_ASSERTIONS);
  return found;
}

function problemOf(assertion: Assertion, type: CheckType): string | null {
  if (assertion.target.length > MAX_TARGET)
    return `the value that it compares with is longer than ${MAX_TARGET} characters`;
  return assertionProblems([assertion], SOURCES[type])[0]?.message ?? null;
}

function judge(text: string, type: CheckType, recordType: string): Judged {
  if (hasVariable(text)) return lost('an assertion cannot contain a variable or a secret');
  const condition = readCondition(text);
  if (condition === null) return lost('it does not compare a part of the response with a fixed value');
  return lostWrapper(condition) ?? judgeSubject(condition, type, recordType);
}

function lostWrapper({ subject: { name, wrapper } }: Condition): Judged | null {
  return wrapper !== null && name !== 'BODY' ? lost(`${wrapper}() is not supported for [${name}]`) : null;
}

function judgeSubject(condition: Condition, type: CheckType, recordType: string): Judged {
  const isWeb = type === 'HTTP' || type === 'HTTPS';
  switch (condition.subject.name) {
    case 'STATUS':
      if (isWeb) return statusAssertions(condition);
      return type === 'SSH' && condition.operator === '==' && condition.value === '0'
        ? { assertions: [] }
        : lost(`a check of type ${type} has no status`);
    case 'RESPONSE_TIME':
      return ageAssertions(condition);
    case 'CONNECTED':
      return connected(condition);
    case 'CERTIFICATE_EXPIRATION':
      return isWeb || WITH_TLS.includes(type)
        ? certificateAssertions(condition)
        : lost(`a check of type ${type} has no certificate`);
    case 'BODY':
      if (isWeb) return bodyAssertions(condition);
      return type === 'DNS' ? dnsAssertions(condition, recordType) : lost(`a check of type ${type} has no text`);
    case 'DNS_RCODE':
      return type === 'DNS' ? responseCode(condition) : lost(`a check of type ${type} has no DNS response code`);
    case 'DOMAIN_EXPIRATION':
      return lost('the expiry of domain registrations is not monitored');
    case 'IP':
      return lost('the IP address of the connection is recorded, but there is no assertion for it');
    default:
      return lost(`[${condition.subject.name}] is not supported`);
  }
}

/** Without a response, our checks are always down. */
function connected({ operator, value }: Condition): Judged {
  const wants = operator === '==' ? value : operator === '!=' ? (value === 'true' ? 'false' : 'true') : '';
  if (wants === 'true') return { assertions: [] };
  return wants === 'false' ? { assertions: [], isContrary: true } : lost('[CONNECTED] can only be true or false');
}

/** Our checks are down for every response code except NOERROR, or if there are no records. */
function responseCode({ operator, value }: Condition): Judged {
  const code = value.toUpperCase();
  if (operator === '==' && code === 'NOERROR') return { assertions: [] };
  if (operator === '==' && code === 'NXDOMAIN')
    return {
      assertions: [{ source: 'dns_record', comparison: 'exists', target: 'false' }],
      difference: 'also holds if the name exists but has no record of the type',
    };
  if (operator === '==' && /^[A-Z]+$/.test(code)) return { assertions: [], isContrary: true };
  if (operator === '!=' && code !== 'NOERROR') return { assertions: [] };
  if (operator === '!=') return { assertions: [], isContrary: true };
  return lost('a check of type DNS is up only for NOERROR with records');
}
