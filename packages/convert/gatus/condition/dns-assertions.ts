import { textAssertions } from './body-assertions';
import { argumentOf, type Condition } from './condition';
import { type Judged, lost } from './judged';

/** Record types whose line is the value itself, and of which a name usually has only a few, all known. */
const ADDRESSES = new Set(['A', 'AAAA', 'CNAME', 'PTR']);

/** Converts conditions on the `[BODY]` of a DNS query, which is the last record of the response. */
export function dnsAssertions({ subject, operator, value }: Condition, recordType: string): Judged {
  const place = { source: 'dns_record' } as const;
  if (subject.path !== '') return lost('DNS records are not JSON');
  if (subject.wrapper !== null || (operator !== '==' && operator !== '!='))
    return lost('DNS records can only be compared as texts');
  // Matches every IPv4 address, so it only asserts that there is a record.
  if (operator === '==' && value === 'pat(*.*.*.*)' && recordType === 'A') return { assertions: [] };
  const isName = argumentOf(value, 'pat') === null && argumentOf(value, 'any') === null;
  if (isName && !ADDRESSES.has(recordType))
    return {
      assertions: [{ ...place, comparison: operator === '==' ? 'contains' : 'not_contains', target: value }],
      difference: `looks at every ${recordType} record, not only at the last one`,
    };
  return textAssertions(place, operator === '==', value);
}
