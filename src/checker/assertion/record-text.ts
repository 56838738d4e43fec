import ipaddr from 'ipaddr.js';

/** A DNS record for assertions, as the server sent it. */
export interface RecordFact {
  /** The record type, such as `TXT` or `MX`. It determines which values count as equal. */
  type: string;
  value: string;
}

/**
 * Returns a form that is the same for equivalent records: addresses in any spelling, and names regardless of case and
 * trailing dots. Other texts are returned unchanged.
 */
export function recordForm(type: string, text: string): string {
  switch (type) {
    case 'TXT':
      return text;
    case 'A':
    case 'AAAA':
      return addressForm(text);
    case 'CAA':
      return authorizationForm(text);
    default:
      return text.toLowerCase().replace(/\.(?=\s|$)/g, '');
  }
}

const addressForm = (text: string): string =>
  ipaddr.isValid(text) && (text.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(text))
    ? ipaddr.parse(text).toString()
    : text.toLowerCase();

/** Tags and authority names are case-insensitive (RFC 8659, section 4.1). The report URL is case-sensitive. */
function authorizationForm(text: string): string {
  const [, flags, tag = '', value] = /^(\s*\d+\s+)?(\w+)(\s[^]*)?$/.exec(text) ?? [];
  if (flags === undefined && value === undefined) return text.toLowerCase();
  const isReport = /^(iodef|contactemail|contactphone)$/i.test(tag);
  return `${flags ?? ''}${tag.toLowerCase()}${isReport ? (value ?? '') : (value ?? '').toLowerCase()}`;
}

/**
 * Returns true if the records equal the target. Either every record equals the whole target, or the records are
 * together the members of a list.
 */
export function recordsEqual(records: readonly RecordFact[], target: string): boolean {
  const [only] = records;
  if (only === undefined) return false;
  const isSame = (record: RecordFact, text: string) =>
    recordForm(record.type, record.value) === recordForm(record.type, text);
  if (records.every((record) => isSame(record, target))) return true;
  let rest = target;
  for (const { value } of records.filter(holdsComma).sort(longestFirst)) {
    const place = memberAt(rest, value);
    if (place === null && memberAt(target, value) === null) return false;
    if (place !== null) rest = `${rest.slice(0, place)}${rest.slice(place + value.length)}`;
  }
  const members = membersOf(rest).filter((member) => member !== '' || rest === target);
  const others = records.filter((record) => !holdsComma(record));
  return (
    others.every((record) => members.some((member) => isSame(record, member))) &&
    members.every((member) => others.some((record) => isSame(record, member)))
  );
}

/** Returns true if every record is a member of the list. */
export function recordsAreIn(records: readonly RecordFact[], target: string): boolean {
  const members = new Map<string, Set<string>>();
  return records.every(({ type, value }) => {
    if (value.includes(',')) return memberAt(target, value) !== null;
    let known = members.get(type);
    if (!known) members.set(type, (known = new Set(membersOf(target).map((member) => recordForm(type, member)))));
    return known.has(recordForm(type, value));
  });
}

/** Returns true if a text is a member of a comma-separated list. The text may contain commas itself. */
export const isMember = (target: string, text: string): boolean =>
  text.includes(',') ? memberAt(target, text) !== null : membersOf(target).includes(text);

/** Returns the members of a list. The members must not contain commas. */
export const membersOf = (target: string): string[] => target.split(',').map((part) => part.trim());

/**
 * Returns the position of a member that is delimited by commas or the ends of the list, or `null` if it isn't in the
 * list.
 */
function memberAt(target: string, member: string): number | null {
  for (let at = target.indexOf(member); at >= 0; at = target.indexOf(member, at + 1)) {
    if (/(?:^|,)\s*$/.test(target.slice(0, at)) && /^\s*(?:,|$)/.test(target.slice(at + member.length))) return at;
  }
  return null;
}

const holdsComma = ({ value }: RecordFact): boolean => value.includes(',');
const longestFirst = (one: RecordFact, other: RecordFact): number => other.value.length - one.value.length;
