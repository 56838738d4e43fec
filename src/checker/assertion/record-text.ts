import ipaddr from 'ipaddr.js';

/** A DNS record as assertions see it: as it was sent. */
export interface RecordFact {
  /** `TXT`, `MX`, …; it decides what counts as the same. */
  type: string;
  value: string;
}

/**
 * The form in which a record equals what means the same: addresses however they are written, and names without regard to case
 * and final dots. A text is compared as it is.
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

/** Tags, and the names of authorities, have no case (RFC 8659, section 4.1); the address of a report has one. */
function authorizationForm(text: string): string {
  const [, flags, tag = '', value] = /^(\s*\d+\s+)?(\w+)(\s[^]*)?$/.exec(text) ?? [];
  if (flags === undefined && value === undefined) return text.toLowerCase();
  const isReport = /^(iodef|contactemail|contactphone)$/i.test(tag);
  return `${flags ?? ''}${tag.toLowerCase()}${isReport ? (value ?? '') : (value ?? '').toLowerCase()}`;
}

/** The records equal the target: one of them as a whole, or all of them the members of a list. */
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

/** Every record is a member of the list. */
export function recordsAreIn(records: readonly RecordFact[], target: string): boolean {
  const members = new Map<string, Set<string>>();
  return records.every(({ type, value }) => {
    if (value.includes(',')) return memberAt(target, value) !== null;
    let known = members.get(type);
    if (!known) members.set(type, (known = new Set(membersOf(target).map((member) => recordForm(type, member)))));
    return known.has(recordForm(type, value));
  });
}

/** Whether a text is a member of a list that is written with commas; it may hold commas itself. */
export const isMember = (target: string, text: string): boolean =>
  text.includes(',') ? memberAt(target, text) !== null : membersOf(target).includes(text);

/** The members of a list of which none holds a comma. */
export const membersOf = (target: string): string[] => target.split(',').map((part) => part.trim());

/** Where in a list a member stands, between commas or at an end; `null` when it is none. */
function memberAt(target: string, member: string): number | null {
  for (let at = target.indexOf(member); at >= 0; at = target.indexOf(member, at + 1)) {
    if (/(?:^|,)\s*$/.test(target.slice(0, at)) && /^\s*(?:,|$)/.test(target.slice(at + member.length))) return at;
  }
  return null;
}

const holdsComma = ({ value }: RecordFact): boolean => value.includes(',');
const longestFirst = (one: RecordFact, other: RecordFact): number => other.value.length - one.value.length;
