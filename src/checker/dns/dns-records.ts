import type { Answer } from 'dns-packet';
import { bareName, type DnsQuestion, type DnsReply } from './dns-message';

/** One record of a reply. */
export interface DnsRecord {
  type: string;
  /** The data alone, as in a zone file: `192.0.2.1`, `10 mail.example.com`. */
  value: string;
  ttlSeconds: number;
}

/** What a reply says about its question. */
export type DnsFinding =
  /** At least one record of the asked type. `chain` are the aliases that lead to them. */
  | { kind: 'records'; records: DnsRecord[]; chain: DnsRecord[] }
  /** The name exists, but not with this type, or only as aliases that lead nowhere. */
  | { kind: 'no_records' }
  /** The name does not exist. */
  | { kind: 'no_name' }
  /** The aliases lead back to themselves. */
  | { kind: 'alias_loop' }
  /** The resolver failed: `SERVFAIL`, `REFUSED`, … */
  | { kind: 'failed'; rcode: string };

const LONGEST_VALUE = 255;

/** Follows the aliases in a reply from the name that was asked for and keeps the records at their end, sorted by value. */
export function findRecords(reply: DnsReply, question: DnsQuestion): DnsFinding {
  if (reply.rcode === 'NXDOMAIN') return { kind: 'no_name' };
  if (reply.rcode !== 'NOERROR') return { kind: 'failed', rcode: reply.rcode };
  const byName = answersByName(reply.answers);
  const chain: DnsRecord[] = [];
  for (let name = question.name; ;) {
    const here = byName.get(bareName(name)) ?? [];
    const records = here.filter(({ type }) => type === question.type).map(toRecord);
    if (records.length > 0) return { kind: 'records', records: records.sort(byValue), chain };
    const alias = here.find(({ type }) => type === 'CNAME');
    if (!alias) return { kind: 'no_records' };
    if (chain.length >= reply.answers.length) return { kind: 'alias_loop' };
    const record = toRecord(alias);
    chain.push(record);
    name = record.value;
  }
}

function answersByName(answers: readonly Answer[]): Map<string, Answer[]> {
  const byName = new Map<string, Answer[]>();
  for (const answer of answers) {
    const name = bareName(answer.name);
    const here = byName.get(name);
    if (here) here.push(answer);
    else byName.set(name, [answer]);
  }
  return byName;
}

/** One line of a result: `MX 10 mail.example.com ttl 300`. */
export const recordLine = ({ type, value, ttlSeconds }: DnsRecord): string => `${type} ${value} ttl ${ttlSeconds}`;

const toRecord = (answer: Answer): DnsRecord => ({
  type: answer.type,
  value: printable(valueOf(answer)),
  ttlSeconds: 'ttl' in answer ? (answer.ttl ?? 0) : 0,
});

function valueOf(answer: Answer): string {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return answer.data;
    case 'MX':
      return `${answer.data.preference ?? 0} ${answer.data.exchange}`;
    case 'TXT':
      return textOf(answer.data);
    case 'SOA': {
      const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = answer.data;
      return `${mname} ${rname} ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
    }
    case 'SRV': {
      const data: typeof answer.data & { weight?: number } = answer.data;
      return `${data.priority ?? 0} ${data.weight ?? 0} ${data.port} ${data.target}`;
    }
    case 'CAA':
      return `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value}"`;
    default:
      return '';
  }
}

/** The pieces of a TXT record are one text (RFC 7208, section 3.3). */
function textOf(data: string | Buffer | (string | Buffer)[]): string {
  const pieces = Array.isArray(data) ? data : [data];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString('utf8');
}

/** A record is the text of a stranger and is shown to people. */
const printable = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?').slice(0, LONGEST_VALUE);

const byValue = (one: DnsRecord, other: DnsRecord) => (one.value < other.value ? -1 : 1);
