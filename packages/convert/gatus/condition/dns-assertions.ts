import { textAssertions } from './body-assertions';
import { argumentOf, type Condition } from './condition';
import { type Judged, lost } from './judged';

/**
 * Record types whose line contains only the value. A name usually has just a few of these records, all known in
 * advance.
 */
const ADDRESSES = new Set(['A', 'AAAA', 'CNAME', 'PTR']);

/** Converts conditions on a DNS query's `[BODY]`, which is the last record in the response. */
export function dnsAssertions({ subject, operator, value }: Condition, recordType: string): Judged {
  const place = { source: 'dns_record' } as const;
  if (subject.path !== '') return lost('DNS records are not JSON');
  if (subject.wrapper !== null || (operator !== '==' && operator !== '!='))
    return lost('DNS records can only be compared as strings');
  // The pattern matches every IPv4 address, so it only asserts that a record exists.
  if (operator === '==' && value === 'pat(*.*.*.*)' && recordType === 'A') return { assertions: [] };
  const isName = argumentOf(value, 'pat') === null && argumentOf(value, 'any') === null;
  if (isName && !ADDRESSES.has(recordType))
    return {
      assertions: [{ ...place, comparison: operator === '==' ? 'contains' : 'not_contains', target: value }],
      difference: `looks at every ${recordType} record, not only at the last one`,
    };
  return textAssertions(place, operator === '==', value);
}
