import { randomBytes, randomInt } from 'node:crypto';

/** Every prefix there is. A secret and its handle never share one. */
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
} as const;
export type IdKind = keyof typeof ID_PREFIXES;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const HEX = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Sorts before every id: where a list without a cursor begins. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

let lastMs = 0;
let sequence = 0;

/**
 * A UUIDv7 (RFC 9562), the form in which every row id is stored: sortable by creation, also within one millisecond of
 * one process (the 12 bits of rand_a count), 62 random bits.
 */
export function newUuid(atMs: number = Date.now()): string {
  if (atMs > lastMs) {
    lastMs = atMs;
    sequence = randomInt(0x800);
  } else if (++sequence > 0xfff) {
    lastMs += 1;
    sequence = 0;
  }
  const bytes = randomBytes(16);
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return toUuid(bytes);
}

export function toUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** `ws_` + 26 characters of Crockford base32 (the TypeID form): the public face of a stored uuid. */
export function formatId(kind: IdKind, uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = ALPHABET.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return `${ID_PREFIXES[kind]}_${text}`;
}

/** The uuid of a public id, or `null` when the text is not an id of that kind (exact lower case, no overflow). */
export function parseId(kind: IdKind, text: unknown): string | null {
  const prefix = `${ID_PREFIXES[kind]}_`;
  if (typeof text !== 'string' || text.length !== prefix.length + 26 || !text.startsWith(prefix)) return null;
  let value = 0n;
  for (const character of text.slice(prefix.length)) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = (value << 5n) | BigInt(digit);
  }
  if (value >> 128n) return null;
  const hex = value.toString(16).padStart(32, '0');
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return HEX.test(uuid) ? uuid : null;
}
