import { encode, RECURSION_DESIRED } from 'dns-packet';
import { type DnsAnswer, readAnswers, typeOf } from './dns-answers';
import type { DnsRecordType } from './dns-target';
import { MalformedReply, PacketReader } from './packet-reader';

export interface DnsQuestion {
  name: string;
  type: DnsRecordType;
}

export interface DnsReply {
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL`, and so on, as in the RFCs. */
  rcode: string;
  /** The resolver truncated the reply, so it must be fetched over TCP. `answers` is empty in that case. */
  truncated: boolean;
  answers: readonly DnsAnswer[];
}

/** The size of the largest UDP reply to accept, which fits into one packet on ordinary paths (DNS flag day 2020). */
const UDP_PAYLOAD_BYTES = 1232;

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
const HEADER_BYTES = 12;
const CLASS_IN = 1;
const RESPONSE_FLAG = 0x8000;
const TRUNCATED_FLAG = 0x0200;

/** Returns the query packet. Omit EDNS only for resolvers that reject it with a format error. */
export function encodeQuery(id: number, question: DnsQuestion, edns: boolean): Buffer {
  const opt = {
    type: 'OPT' as const,
    name: '.',
    udpPayloadSize: UDP_PAYLOAD_BYTES,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
  return encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED,
    questions: [{ name: question.name, type: question.type, class: 'IN' }],
    additionals: edns ? [opt] : [],
  });
}

/**
 * Decodes a packet that may be the reply to this query. Returns `null` if it has a different ID, isn't a response, or
 * answers another question. Such packets are ignored, because anyone can send them. Throws: `MalformedReply`.
 */
export function decodeReply(packet: Buffer, id: number, question: DnsQuestion): DnsReply | null {
  if (packet.length < HEADER_BYTES || packet.readUInt16BE(0) !== id) return null;
  const flags = packet.readUInt16BE(2);
  if ((flags & RESPONSE_FLAG) === 0) return null;
  const rcode = rcodeName(flags & 0xf);
  if ((flags & TRUNCATED_FLAG) !== 0) return { rcode, truncated: true, answers: [] };
  const reader = new PacketReader(packet);
  reader.offset = 4;
  const [questions, answers] = [reader.uint16(), reader.uint16()];
  reader.offset = HEADER_BYTES;
  if (questions > 1) throw new MalformedReply();
  // An error reply may omit the question, as some servers do for FORMERR. A reply with records must contain it.
  const echoes = questions === 1 ? echoesQuestion(reader, question) : rcode !== 'NOERROR' && rcode !== 'NXDOMAIN';
  return echoes ? { rcode, truncated: false, answers: readAnswers(reader, answers, question.type) } : null;
}

function echoesQuestion(reader: PacketReader, asked: DnsQuestion): boolean {
  const [name, type, rrClass] = [reader.name(), reader.uint16(), reader.uint16()];
  return typeOf(type) === asked.type && rrClass === CLASS_IN && bareName(name) === bareName(asked.name);
}

/** Returns the form of a DNS name that is used for comparisons: lowercase, without the trailing dot. */
export const bareName = (name: string): string => name.toLowerCase().replace(/(?<=.)\.$/, '');

const rcodeName = (code: number) => RCODES[code] ?? `RCODE${code}`;
