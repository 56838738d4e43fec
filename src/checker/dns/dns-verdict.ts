import { DialError, type SocketFault } from '../../platform/net/dial/dial-error';
import { bracketed } from '../../platform/net/egress/host-name';
import { type Assertion, isCritical } from '../assertion/assertion';
import { type CheckFailure, down, socketFailure, unknown } from '../check-failure';
import { type DnsResult, isRefusal, mostTelling } from './dns-lookup';
import type { DnsServer } from './dns-query';
import { MAX_ALIASES, recordLine, type DnsRecord } from './dns-records';
import type { DnsTarget } from './dns-target';

/** The context for judging the results of a lookup. */
export interface DnsCircumstances {
  target: DnsTarget;
  assertions: readonly Assertion[];
  /** The reason why a lookup ended without a reply: the endpoint's timeout, or a failure of the monitor. */
  interruption: CheckFailure | null;
  /**
   * True if messages must not name the machine's own resolvers, because the organization must not learn about the
   * monitor's network.
   */
  hidesResolver: boolean;
}

/** The maximum number of records to list. The rest are only counted. */
const LISTED_RECORDS = 100;

const DNS_PORT = 53;

/**
 * Returns `null` (up) if there is a record of any requested type. A resolver in the target is part of the target. If
 * one of the machine's own resolvers is dead, that is the monitor's fault.
 */
export function judgeLookup(results: readonly DnsResult[], known: DnsCircumstances): CheckFailure | null {
  if (results.some(({ finding }) => finding.kind === 'records')) return null;
  const found = decisiveResult(results, known.target);
  return found ? judgeFailure(found, known) : null;
}

/**
 * Returns the result that explains why there is no record. A name that doesn't exist has no records of any type. A
 * missing record of one type says nothing about the other type, so a resolver that failed or didn't respond takes
 * precedence.
 */
export function decisiveResult(results: readonly DnsResult[], { resolver }: DnsTarget): DnsResult | undefined {
  const isHidden = results.some(({ finding }) => finding.kind === 'hidden');
  const noName = isHidden ? undefined : results.find(({ finding }) => finding.kind === 'no_name');
  const troubled = results.filter(({ finding }) => finding.kind !== 'no_name' && finding.kind !== 'no_records');
  return noName ?? mostTelling(troubled, resolver === null) ?? results[0];
}

/** Returns the lines of a result: the aliases, then the records. */
export function listRecords(results: readonly DnsResult[]): string[] {
  const lines = results.flatMap(({ finding }) =>
    finding.kind === 'records' ? [...finding.chain, ...finding.records].map(recordLine) : [],
  );
  const unique = [...new Set(lines)];
  if (unique.length <= LISTED_RECORDS) return unique;
  return [...unique.slice(0, LISTED_RECORDS), `and ${unique.length - LISTED_RECORDS} more`];
}

/** Returns the records of the requested types, without the aliases that point to them. */
export const foundRecords = (results: readonly DnsResult[]): DnsRecord[] =>
  results.flatMap(({ finding }) => (finding.kind === 'records' ? finding.records : []));

function judgeFailure({ finding, server }: DnsResult, known: DnsCircumstances): CheckFailure | null {
  const { name, types } = known.target;
  switch (finding.kind) {
    case 'records':
      return null;
    case 'no_name':
      return absence(known, `The name ${name} does not exist (NXDOMAIN).`);
    case 'no_records':
      return absence(known, `The name ${name} has no ${types.join(' or ')} record.`);
    case 'alias_loop':
      return down('dns_failure', 'dns', `The aliases (CNAME) of ${name} form a loop.`);
    case 'too_many_aliases':
      return down('dns_failure', 'dns', `${name} has a chain of more than ${MAX_ALIASES} aliases (CNAME).`);
    case 'hidden':
      return unknown('target_blocked', 'dns', `${name} points to a network that this monitor may not check for you.`);
    case 'failed':
      return refusal(finding.rcode, nameOf(server, known), known);
    case 'silent':
      return silence(server, finding.isAlive, known);
    case 'malformed':
      return down('dns_failure', 'dns', `${nameOf(server, known)} sent an invalid DNS response.`);
    case 'fault':
      return notAsked(finding.fault, nameOf(server, known), known);
    default:
      return finding satisfies never;
  }
}

/** Returns `null` if a critical assertion may require that the name doesn't exist. */
function absence({ assertions }: DnsCircumstances, message: string): CheckFailure | null {
  const isWanted = assertions.some(
    (assertion) =>
      isCritical(assertion) &&
      assertion.source === 'dns_record' &&
      assertion.comparison === 'exists' &&
      assertion.target === 'false',
  );
  return isWanted ? null : down('dns_not_found', 'dns', message);
}

/** If one of the machine's own resolvers refuses the query, that is the monitor's fault. */
function refusal(rcode: string, resolver: string, { target }: DnsCircumstances): CheckFailure {
  const judge = target.resolver === null && isRefusal({ rcode }) ? unknown : down;
  return judge('dns_failure', 'dns', `${resolver} answered ${rcode} for ${target.name}.`);
}

function silence(server: DnsServer | null, isAlive: boolean, known: DnsCircumstances): CheckFailure {
  const { target, interruption } = known;
  if (server === null || !interruption) return unknown('dns_failure', 'dns', 'The monitor has no DNS resolver.');
  if (interruption.outcome === 'unknown') return interruption;
  const resolver = nameOf(server, known);
  if (target.resolver) return down('dns_timeout', 'dns', `${resolver} did not answer for ${target.name} in time.`);
  return isAlive
    ? down('dns_timeout', 'dns', `The DNS servers of ${target.name} did not answer in time.`)
    : unknown('dns_timeout', 'dns', `${resolver} does not answer.`);
}

/**
 * Returns the failure for a query that could not be sent. For the machine's own resolvers, it is always the monitor's
 * fault.
 */
function notAsked(fault: SocketFault | DialError, resolver: string, known: DnsCircumstances): CheckFailure {
  const failure = connectionFailure(fault, `The connection to ${lowerFirst(resolver)}`);
  const { code, phase, message } = failure.error;
  if (known.target.resolver) return failure;
  const shown = known.hidesResolver ? `${resolver} could not be queried.` : message;
  return unknown(failure.outcome === 'unknown' ? code : 'dns_failure', phase, shown);
}

function connectionFailure(fault: SocketFault | DialError, subject: string): CheckFailure {
  if (!(fault instanceof DialError)) return socketFailure(fault, 'connect', subject);
  const { code, phase, message, telling } = fault;
  return (telling === 'ours' || code === 'aborted' ? unknown : down)(
    code === 'aborted' ? 'internal' : code,
    phase,
    message,
  );
}

function nameOf(server: DnsServer | null, known: DnsCircumstances): string {
  const { target } = known;
  if (known.hidesResolver && !target.resolver) return "The monitor's own resolver";
  const place = server && (server.port === DNS_PORT ? server.address : `${bracketed(server.address)}:${server.port}`);
  return `${target.resolver ? 'The resolver' : "The monitor's own resolver"} ${place ?? ''}`.trimEnd();
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
