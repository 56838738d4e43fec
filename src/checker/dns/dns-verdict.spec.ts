import { DialError, NO_ROUTE, socketFault } from '../../platform/net/dial/dial-error';
import { DeadlineExceeded } from '../../platform/net/deadline';
import { abortFailure } from '../check-failure';
import { type DnsResult, mostTelling } from './dns-lookup';
import { parseDnsTarget } from './dns-target';
import { type DnsCircumstances, judgeLookup, listRecords } from './dns-verdict';

const server = { address: '192.0.2.53', port: 53 };
const aborted = AbortSignal.abort(new DeadlineExceeded(1000));

const result = (finding: DnsResult['finding'], from: DnsResult['server'] = server): DnsResult => ({
  question: { name: 'www.example.com', type: 'A' },
  server: from,
  elapsedMs: 1,
  finding,
});

const records = result({ kind: 'records', records: [{ type: 'A', value: '192.0.2.1' }], chain: [] });
const noName = result({ kind: 'no_name' });
const noRecords = result({ kind: 'no_records' });
const silent = result({ kind: 'silent', isAlive: false });
const silentAlive = result({ kind: 'silent', isAlive: true });
const failed = (rcode: string) => result({ kind: 'failed', rcode });
const broken = (code: string) =>
  result({ kind: 'fault', fault: socketFault(Object.assign(new Error(code), { code })) });
const unrouted = result({ kind: 'fault', fault: NO_ROUTE });
const refusedOverTcp = result({
  kind: 'fault',
  fault: new DialError('connection_refused', 'connect', 'No TCP.', false),
});
const malformed = result({ kind: 'malformed' });

const circumstances = (url: string, known: Partial<DnsCircumstances> = {}): DnsCircumstances => ({
  target: parseDnsTarget(url),
  assertions: [],
  interruption: null,
  hidesResolver: false,
  ...known,
});
const own = (known: Partial<DnsCircumstances> = {}) => circumstances('www.example.com', known);
const named = (known: Partial<DnsCircumstances> = {}) => circumstances('dns://192.0.2.53/www.example.com', known);
const timedOut = { interruption: abortFailure('dns', aborted) };
const stopped = { interruption: abortFailure('dns', AbortSignal.abort(new Error('shutting down'))) };

describe('judgeLookup', () => {
  it('judges a lookup as up with one record of any requested type', () => {
    expect(judgeLookup([noRecords, records], own())).toBeNull();
    expect(judgeLookup([silent, records], own(timedOut))).toBeNull();
  });

  const rows: [string, DnsResult[], DnsCircumstances, string, string][] = [
    ['a missing name', [noName, noName], own(), 'down', 'dns_not_found'],
    ['a missing type', [noRecords, noRecords], own(), 'down', 'dns_not_found'],
    ['aliases that lead back to themselves', [result({ kind: 'alias_loop' })], named(), 'down', 'dns_failure'],
    ['too many aliases', [result({ kind: 'too_many_aliases' })], named(), 'down', 'dns_failure'],
    ['what may not be shown', [noName, result({ kind: 'hidden' })], own(), 'unknown', 'target_blocked'],
    ['SERVFAIL of our resolver', [failed('SERVFAIL')], own(), 'down', 'dns_failure'],
    ['SERVFAIL of the resolver in the target', [failed('SERVFAIL')], named(), 'down', 'dns_failure'],
    ['REFUSED of our resolver', [failed('REFUSED')], own(), 'unknown', 'dns_failure'],
    ['REFUSED of the resolver in the target', [failed('REFUSED')], named(), 'down', 'dns_failure'],
    ['one missing type and a failure', [noRecords, failed('SERVFAIL')], own(), 'down', 'dns_failure'],
    ['no resolver at all', [result({ kind: 'silent', isAlive: false }, null)], own(), 'unknown', 'dns_failure'],
    ['a resolver of ours that is dead', [silent], own(timedOut), 'unknown', 'dns_timeout'],
    ['a resolver of ours that lives', [silentAlive], own(timedOut), 'down', 'dns_timeout'],
    ['a silent resolver in the target', [silent], named(timedOut), 'down', 'dns_timeout'],
    ['a shutdown', [silent], named(stopped), 'unknown', 'internal'],
    ['a shutdown while our own is silent', [silent], own(stopped), 'unknown', 'internal'],
    ['a closed port in the target', [broken('ECONNREFUSED')], named(), 'down', 'connection_refused'],
    ['a closed port of our own', [broken('ECONNREFUSED')], own(), 'unknown', 'dns_failure'],
    ['an unreachable resolver in the target', [broken('EHOSTUNREACH')], named(), 'down', 'host_unreachable'],
    ['an unreachable resolver of our own', [broken('EHOSTUNREACH')], own(), 'unknown', 'dns_failure'],
    ['no route of our own', [unrouted], named(), 'unknown', 'monitor_offline'],
    ['no route for A and silence for AAAA', [unrouted, silentAlive], own(timedOut), 'down', 'dns_timeout'],
    ['silence for A and no route for AAAA', [silentAlive, unrouted], own(timedOut), 'down', 'dns_timeout'],
    ['REFUSED for A and SERVFAIL for AAAA', [failed('REFUSED'), failed('SERVFAIL')], own(), 'down', 'dns_failure'],
    ['a name that does not exist, and no route for AAAA', [noName, unrouted], own(), 'down', 'dns_not_found'],
    ['a missing type, and no route for the other', [noRecords, unrouted], own(), 'unknown', 'monitor_offline'],
    ['a network that a router cannot reach', [broken('ENETUNREACH')], named(), 'down', 'host_unreachable'],
    ['no TCP for a long answer of our own', [refusedOverTcp], own(), 'unknown', 'dns_failure'],
    ['no descriptors left', [broken('EMFILE')], named(), 'unknown', 'internal'],
    ['a garbled answer', [malformed], named(), 'down', 'dns_failure'],
  ];

  it.each(rows)('judges %s', (_, results, known, outcome, code) => {
    expect(judgeLookup(results, known)).toMatchObject({ outcome, error: { code } });
  });

  it('names the resolver, its reply, and the requested name', () => {
    expect(judgeLookup([failed('SERVFAIL')], named())?.error.message).toBe(
      'The resolver 192.0.2.53 answered SERVFAIL for www.example.com.',
    );
    expect(judgeLookup([broken('ECONNREFUSED')], own())?.error.message).toBe(
      "The connection to the monitor's own resolver 192.0.2.53 was refused.",
    );
  });
});

describe('the DNS resolver that decides among several', () => {
  it.each<[string, DnsResult[], boolean, number]>([
    [
      'one of the service that lives and is silent, before one that cannot be reached',
      [unrouted, silentAlive],
      true,
      1,
    ],
    [
      'one of the service that lives and is silent, before one that refuses the request',
      [failed('REFUSED'), silentAlive],
      true,
      1,
    ],
    [
      'one of the service that fails, before one that refuses the request',
      [failed('REFUSED'), failed('SERVFAIL')],
      true,
      1,
    ],
    ['one of the service that fails, before one that is silent', [silentAlive, failed('SERVFAIL')], true, 1],
    ['one of the service that sends nonsense, before one that is dead', [silent, malformed], true, 1],
    [
      'one of the target that refused the connection, before one without a route',
      [unrouted, broken('ECONNREFUSED')],
      false,
      1,
    ],
    ['one of the target that is silent, before one without a route', [unrouted, silent], false, 1],
    ['one of the target that refuses, before one that is silent', [silent, failed('REFUSED')], false, 1],
    ['one that a router cannot reach, before one without a route', [unrouted, broken('EHOSTUNREACH')], false, 1],
  ])('is %s', (_, results, areOwn, place) => {
    expect(mostTelling(results, areOwn)).toBe(results[place]);
  });
});

it.each([failed('REFUSED'), broken('ECONNREFUSED'), broken('EMFILE'), silent])(
  'the resolver of the service itself is hidden from users who may not see it (%#)',
  (troubled) => {
    const failure = judgeLookup([troubled], own({ ...timedOut, hidesResolver: true }));
    expect(failure?.outcome).toBe('unknown');
    expect(failure?.error.message).not.toContain('192.0.2.53');
  },
);

it('a list of DNS records has no duplicate lines and ends after 100', () => {
  const many = Array.from({ length: 150 }, (_, index) => ({ type: 'A', value: `10.0.0.${index}` }));
  const lines = listRecords([result({ kind: 'records', records: [...many, ...many], chain: [] })]);
  expect(lines).toHaveLength(101);
  expect(lines.at(-1)).toBe('and 50 more');
});
