import type { DnsAnswer } from './dns-answers';
import { bareName, type DnsQuestion, type DnsReply } from './dns-message';
import { cut } from '../../platform/text/text-limits';

export interface DnsRecord {
  type: string;
  /**
   * The value as in a zone file: `192.0.2.1`, `10 mail.example.com`. For a TXT record, it is the whole unescaped text.
   */
  value: string;
}

/** The finding from a reply to a question. */
export type DnsFinding =
  /** At least one record of the requested type. `chain` contains the aliases that point to it. */
  | { kind: 'records'; records: DnsRecord[]; chain: DnsRecord[] }
  /** The name exists, but has no record of this type, or its aliases have no target. */
  | { kind: 'no_records' }
  | { kind: 'no_name' }
  | { kind: 'alias_loop' }
  | { kind: 'too_many_aliases' }
  /** The reply reveals something about a network that must not be shown. */
  | { kind: 'hidden' }
  /** The resolver failed with `SERVFAIL`, `REFUSED`, or a similar code. */
  | { kind: 'failed'; rcode: string };

/** The maximum number of aliases to follow. Resolvers follow about as many. */
export const MAX_ALIASES = 16;

const LONGEST_VALUE = 255;

/** Returns true if a record must be hidden from the organization that runs the check. */
export type Hides = (answer: DnsAnswer) => boolean;

const nothing: Hides = () => false;

/**
 * Follows the aliases in a reply, starting with the queried name, and returns the records that they resolve to, sorted
 * by value. An alias that points to a hidden name hides everything, even the fact that there are no records.
 */
export function findRecords(reply: DnsReply, question: DnsQuestion, hides: Hides = nothing): DnsFinding {
  if (reply.answers.some((answer) => answer.type === 'CNAME' && hides(answer))) return { kind: 'hidden' };
  if (reply.rcode === 'NXDOMAIN') return { kind: 'no_name' };
  if (reply.rcode !== 'NOERROR') return { kind: 'failed', rcode: reply.rcode };
  const byName = answersByName(reply.answers);
  const chain: DnsRecord[] = [];
  const visited = new Set<string>();
  for (let name = bareName(question.name); ;) {
    if (visited.has(name)) return { kind: 'alias_loop' };
    visited.add(name);
    const here = byName.get(name) ?? [];
    const found = here.filter(({ type }) => type === question.type);
    const shown = found.filter((answer) => !hides(answer));
    if (shown.length > 0) return { kind: 'records', records: shown.map(toRecord).sort(byValue), chain };
    if (found.length > 0) return { kind: 'hidden' };
    const alias = here.find(({ type }) => type === 'CNAME');
    if (!alias) return { kind: 'no_records' };
    if (chain.length === MAX_ALIASES) return { kind: 'too_many_aliases' };
    chain.push(toRecord(alias));
    name = bareName(alias.data);
  }
}

function answersByName(answers: readonly DnsAnswer[]): Map<string, DnsAnswer[]> {
  const byName = new Map<string, DnsAnswer[]>();
  for (const answer of answers) {
    const name = bareName(answer.name);
    const here = byName.get(name);
    if (here) here.push(answer);
    else byName.set(name, [answer]);
  }
  return byName;
}

/**
 * Returns a record as one line of a result: `MX 10 mail.example.com`. Omits the time to live, which differs each time
 * if the resolver caches. Every different result is stored as a new entry.
 */
export const recordLine = ({ type, value }: DnsRecord): string => `${type} ${printable(value)}`;

const toRecord = ({ type, data }: DnsAnswer): DnsRecord => ({ type, value: data });

/** Sanitizes the text of a record, which is untrusted and shown to users. */
const printable = (text: string) => cut(text, LONGEST_VALUE, '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');

const byValue = (one: DnsRecord, other: DnsRecord) => (one.value < other.value ? -1 : 1);
