import { decode, encode, RECURSION_DESIRED, type Answer, type DecodedPacket } from 'dns-packet';
import type { DnsRecordType } from './dns-target';

/** One question to one resolver. */
export interface DnsQuestion {
  name: string;
  type: DnsRecordType;
}

/** The reply of a resolver to one question. */
export interface DnsReply {
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL`, … as the RFCs call it. */
  rcode: string;
  /** Cut off by the resolver: the whole reply must be fetched over TCP. Then `answers` is empty. */
  truncated: boolean;
  answers: readonly Answer[];
}

/** The packet claims to be the reply to our query but cannot be decoded. */
export class MalformedReply extends Error {
  constructor() {
    super('the answer is not a valid DNS message');
  }
}

/** Largest UDP reply we offer to take: what fits into one packet on ordinary paths (DNS flag day 2020). */
const UDP_PAYLOAD_BYTES = 1232;

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
const HEADER_BYTES = 12;
const RESPONSE_FLAG = 0x8000;
const TRUNCATED_FLAG = 0x0200;

/** The query packet. EDNS is left out only for resolvers that report it as a format error. */
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
 * Reads a packet that may be the reply to our query. `null` when it is not: another id, not a response, or another
 * question. Such packets are ignored, because anyone can send them. Throws `MalformedReply`.
 */
export function decodeReply(packet: Buffer, id: number, question: DnsQuestion): DnsReply | null {
  if (packet.length < HEADER_BYTES || packet.readUInt16BE(0) !== id) return null;
  const flags = packet.readUInt16BE(2);
  if ((flags & RESPONSE_FLAG) === 0) return null;
  const rcode = rcodeName(flags & 0xf);
  if ((flags & TRUNCATED_FLAG) !== 0) return { rcode, truncated: true, answers: [] };
  const message = decodeOrThrow(packet);
  if (!echoes(message, question, rcode)) return null;
  return { rcode, truncated: false, answers: message.answers ?? [] };
}

/** dns-packet reads past the end of a packet that was cut short without an error, so the end is compared. */
function decodeOrThrow(packet: Buffer): DecodedPacket {
  const message = tryDecode(packet);
  if (!message || decode.bytes > packet.length) throw new MalformedReply();
  return message;
}

function tryDecode(packet: Buffer): DecodedPacket | null {
  try {
    return decode(packet);
  } catch {
    return null;
  }
}

/** An error reply may leave the question out (some servers do so with FORMERR); a reply with records may not. */
function echoes(message: DecodedPacket, asked: DnsQuestion, rcode: string): boolean {
  const [question] = message.questions ?? [];
  if (!question) return rcode !== 'NOERROR' && rcode !== 'NXDOMAIN';
  return question.type === asked.type && question.class === 'IN' && bareName(question.name) === bareName(asked.name);
}

/** The form in which DNS names are compared: lower case, without the final dot. */
export const bareName = (name: string): string => name.toLowerCase().replace(/(?<=.)\.$/, '');

const rcodeName = (code: number) => RCODES[code] ?? `RCODE${code}`;
