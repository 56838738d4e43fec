import { randomBytes, randomInt } from 'node:crypto';

/** The prefix for each kind of ID. The ID of a secret never has the same prefix as the secret itself. */
export const ID_PREFIXES = {
  website: 'ws',
  endpoint: 'ep',
  alert: 'al',
  event: 'ev',
  delivery: 'dl',
  check: 'ck',
  organization: 'org',
  apiKey: 'key',
  audit: 'au',
  statusPage: 'sp',
  maintenanceWindow: 'mw',
  contact: 'ct',
  ping: 'pg',
  person: 'per',
  invitation: 'inv',
  session: 'ses',
  incident: 'inc',
  incidentUpdate: 'iu',
  probe: 'pr',
  reportLink: 'rpl',
} as const;
/** The service's kinds, and kinds that extensions have registered. */
export type IdKind = keyof typeof ID_PREFIXES | (string & Record<never, never>);

const prefixes: Record<string, string> = { ...ID_PREFIXES };

/**
 * Registers kinds of IDs and their prefixes for the whole process. Throws if a kind or prefix is already used
 * differently, because two applications in one process share them.
 */
export function registerIdKinds(kinds: Readonly<Record<string, string>>): void {
  for (const [kind, prefix] of Object.entries(kinds)) {
    const [owner] = Object.entries(prefixes).find((known) => known[0] === kind || known[1] === prefix) ?? [];
    if (owner !== undefined && (owner !== kind || prefixes[kind] !== prefix))
      throw new Error(`The id prefix "${prefix}" of "${kind}" conflicts with "${owner}" (${prefixes[owner]})`);
    prefixes[kind] = prefix;
  }
}

/** Returns the ID prefix for a kind. Throws if the kind isn't registered. */
export function prefixOf(kind: IdKind): string {
  const prefix = prefixes[kind];
  if (prefix === undefined) throw new Error(`There is no kind of id "${kind}": add it to the "ids" of its extension`);
  return prefix;
}

export const exampleId = (kind: IdKind): string => `${prefixOf(kind)}_01jd3k6q7be5y9x4v2m8n0r1st`;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** The value of each character code, or -1 for invalid characters. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));
/**
 * Two characters for each 10-bit number. Twice as fast as BigInt, which matters because a list of 1000 items contains
 * thousands of IDs.
 */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31));

/** Sorts before every ID, so a list without a cursor starts here. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Returns when the ID was created, based on the milliseconds at the start of a UUIDv7. */
export const madeAtMs = (uuid: string): number => parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);

let lastMs = 0;
let sequence = 0;

/**
 * Random bytes for 256 IDs at a time, because calling the system's generator costs more than all other work for an ID.
 */
let pool = Buffer.alloc(0);
function random16(): Buffer {
  if (pool.length === 0) pool = randomBytes(256 * 16);
  const bytes = pool.subarray(0, 16);
  pool = pool.subarray(16);
  return bytes;
}

/**
 * Returns a UUIDv7 (RFC 9562), the stored form of every row ID. IDs sort by creation, even if one process creates them
 * within the same millisecond, because the 12 bits of rand_a are a counter. Each ID has 62 random bits.
 */
export function newUuid(atMs: number = Date.now()): string {
  if (atMs > lastMs) {
    lastMs = atMs;
    sequence = randomInt(0x800);
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  const bytes = random16();
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return toUuid(bytes);
}

export const toUuid = (bytes: Buffer): string => dashed(bytes.toString('hex'));

/** Returns the public form of a stored UUID: `ws_` plus 26 characters of Crockford base32, as in TypeID. */
export function formatId(kind: IdKind, uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  let text = `${prefixOf(kind)}_${pairOf(parseInt(hex.slice(0, 2), 16))}`;
  for (let i = 2; i < 32; i += 5) {
    const bits = parseInt(hex.slice(i, i + 5), 16);
    text += pairOf(bits >> 10) + pairOf(bits & 0x3ff);
  }
  return text;
}

/**
 * Returns the UUID for a public ID, or `null` if the string isn't an ID of that kind (exact lower case, no overflow).
 */
export function parseId(kind: IdKind, text: unknown): string | null {
  const prefix = `${prefixOf(kind)}_`;
  if (typeof text !== 'string' || text.length !== prefix.length + 26 || !text.startsWith(prefix)) return null;
  const head = bitsOf(text, prefix.length, 2);
  if (head < 0 || head > 0xff) return null;
  let hex = hexOf(head, 2);
  for (let i = prefix.length + 2; i < text.length; i += 4) {
    const bits = bitsOf(text, i, 4);
    if (bits < 0) return null;
    hex += hexOf(bits, 5);
  }
  return dashed(hex);
}

/** Returns the number that `count` characters encode, or a negative number if a character isn't in the alphabet. */
function bitsOf(text: string, from: number, count: number): number {
  let bits = 0;
  for (let i = from; i < from + count; i++) {
    const digit = DIGITS[text.charCodeAt(i)] ?? -1;
    if (digit < 0) return -1;
    bits = (bits << 5) | digit;
  }
  return bits;
}

const pairOf = (bits: number): string => PAIRS[bits] ?? '';
const hexOf = (bits: number, length: number): string => bits.toString(16).padStart(length, '0');
const dashed = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;

/**
 * Returns the smallest UUIDv7 for a millisecond. IDs sort by creation, so a time range corresponds to a range of IDs.
 */
export function firstUuidAt(time: Date): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(0, time.getTime()), 0, 6);
  return toUuid(bytes);
}
