import ipaddr from 'ipaddr.js';
import { textFromBytes } from '../../platform/text/bytes-as-text';
import type { DnsRecordType } from './dns-target';
import { MalformedReply, type PacketReader } from './packet-reader';

/** A record in a reply, as the server sent it. */
export interface DnsAnswer {
  /** The name that the record belongs to. */
  name: string;
  type: DnsRecordType;
  /** The record data as in a zone file: `192.0.2.1`, `10 mail.example.com`. */
  data: string;
}

const TYPES = new Map<number, DnsRecordType>([
  [1, 'A'],
  [2, 'NS'],
  [5, 'CNAME'],
  [6, 'SOA'],
  [12, 'PTR'],
  [15, 'MX'],
  [16, 'TXT'],
  [28, 'AAAA'],
  [33, 'SRV'],
  [257, 'CAA'],
]);

/** Returns the record type with this number if checks can query it. */
export const typeOf = (code: number): DnsRecordType | undefined => TYPES.get(code);

/** Reads `count` records and keeps the aliases and the records of the wanted type. Throws: `MalformedReply`. */
export function readAnswers(reader: PacketReader, count: number, wanted: DnsRecordType): DnsAnswer[] {
  const answers: DnsAnswer[] = [];
  for (let read = 0; read < count; read++) {
    const name = reader.name();
    const type = typeOf(reader.uint16());
    reader.bytes(6); // class and time to live
    const length = reader.uint16();
    const end = reader.offset + length;
    if (type === wanted || type === 'CNAME') answers.push({ name, type, data: readData(reader, type, length) });
    else reader.bytes(length);
    if (reader.offset > end) throw new MalformedReply();
    reader.offset = end;
  }
  return answers;
}

function readData(reader: PacketReader, type: DnsRecordType, length: number): string {
  switch (type) {
    case 'A':
    case 'AAAA':
      return addressOf(reader.bytes(length), type === 'A' ? 4 : 16);
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return reader.name();
    case 'MX':
      return `${reader.uint16()} ${reader.name()}`;
    case 'TXT':
      return textOf(reader.bytes(length));
    case 'SOA': {
      const numbers = () => Array.from({ length: 5 }, () => reader.uint32());
      return [reader.name(), reader.name(), ...numbers()].join(' ');
    }
    case 'SRV':
      return `${reader.uint16()} ${reader.uint16()} ${reader.uint16()} ${reader.name()}`;
    case 'CAA':
      return authorizationOf(reader, length);
    default:
      return type satisfies never;
  }
}

function addressOf(bytes: Buffer, length: number): string {
  if (bytes.length !== length) throw new MalformedReply();
  return length === 4 ? bytes.join('.') : ipaddr.fromByteArray([...bytes]).toString();
}

/** Joins the strings of a TXT record into one text (RFC 7208, section 3.3). */
function textOf(bytes: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + (bytes[at] ?? 0);
    if (end > bytes.length) throw new MalformedReply();
    if (end > at + 1) pieces.push(bytes.subarray(at + 1, end));
    at = end;
  }
  return textFromBytes(Buffer.concat(pieces));
}

function authorizationOf(reader: PacketReader, length: number): string {
  const [flags, tagLength] = [reader.uint8(), reader.uint8()];
  if (2 + tagLength > length) throw new MalformedReply();
  const tag = reader.bytes(tagLength).toString('utf8');
  return `${flags} ${tag} "${textFromBytes(reader.bytes(length - 2 - tagLength))}"`;
}
