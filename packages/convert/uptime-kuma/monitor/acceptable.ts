import { assertionProblems } from '../../../../src/checker/assertion/assertion-rules';
import type { Assertion, AssertionSource } from '../../../../src/checker/assertion/assertion';
import { InvalidTarget, parseHostPort } from '../../../../src/checker/checker';
import { parseDnsTarget } from '../../../../src/checker/dns/dns-target';
import { parseHttpTarget } from '../../../../src/checker/http/http-target';
import { sizeProblems } from '../../../../src/endpoint/settings/settings-size';
import type { Draft } from './draft';

const HTTP_SOURCES: readonly AssertionSource[] = [
  'status_code',
  'response_time',
  'header',
  'body',
  'json',
  'certificate_days',
];
const MAX_URL = 2048;
const MAX_HEADERS = 50;
/** The API's limits for the strings in an assertion. */
const [MAX_PROPERTY, MAX_TARGET] = [500, 1000];

/** Returns why the API would refuse the endpoint, or `null`. Every document must be applicable. */
export function refusalOf({ type, url, headers = [], body, assertions = [] }: Draft): string | null {
  if (url.length > MAX_URL) return `its URL is longer than ${MAX_URL} characters`;
  if (headers.length > MAX_HEADERS) return `it sends more than ${MAX_HEADERS} headers`;
  const target = targetProblem(type, url);
  if (target !== null) return `its URL cannot be checked: ${target}`;
  const list = assertions as Assertion[];
  const sources: readonly AssertionSource[] = /^HTTPS?$/.test(type)
    ? HTTP_SOURCES
    : type === 'DNS'
      ? ['dns_record']
      : [];
  const tooLong = list.some(
    ({ property = '', target: text }) => property.length > MAX_PROPERTY || text.length > MAX_TARGET,
  );
  if (tooLong) return `the value that it expects is longer than ${MAX_TARGET} characters`;
  const [problem] = [
    ...assertionProblems(list, sources),
    ...sizeProblems({ headers, body: body ?? null, assertions: list }, null),
  ];
  return problem ? `its check would be refused: ${problem.message}` : null;
}

function targetProblem(type: string, url: string): string | null {
  try {
    if (type === 'DNS') parseDnsTarget(url);
    else if (type === 'TCP')
      parseHostPort(url, { scheme: 'tcp', what: 'a TCP target must be a host and a port', form: 'tcp://host:port' });
    else if (/^HTTPS?$/.test(type)) parseHttpTarget(url, 'http(s)://host[:port]/path', /^https?:\/\/[^/?#]/i);
    return null;
  } catch (error) {
    if (error instanceof InvalidTarget) return error.message;
    throw error;
  }
}
