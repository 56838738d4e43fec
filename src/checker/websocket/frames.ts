import { randomBytes } from 'node:crypto';
import { type Reader, Refused } from '../dialogue';

/** A frame of RFC 6455 from a server, with its payload. */
export interface Frame {
  isLast: boolean;
  opcode: number;
  payload: Buffer;
}

export const CONTINUATION = 0;
export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

const MAX_PAYLOAD = 64 * 1024;
const MAX_CONTROL = 125;
const KNOWN: readonly number[] = [CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG];

/** Reads one frame. Servers must not mask, and extensions were not negotiated. */
export const frame: Reader<Frame> = (received) => {
  const [first, second] = received;
  if (first === undefined || second === undefined) return null;
  const opcode = first & 0x0f;
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0 || !KNOWN.includes(opcode))
    throw new Refused('The server sent an invalid WebSocket frame.');
  const short = second & 0x7f;
  const head = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (received.length < head) return null;
  const length = short === 126 ? received.readUInt16BE(2) : short === 127 ? Number(received.readBigUInt64BE(2)) : short;
  if (opcode >= CLOSE && (length > MAX_CONTROL || (first & 0x80) === 0))
    throw new Refused('The server sent an invalid WebSocket frame.');
  if (length > MAX_PAYLOAD) throw new Refused('The server sent a message of more than 64 KiB.');
  if (received.length < head + length) return null;
  const payload = received.subarray(head, head + length);
  return { value: { isLast: (first & 0x80) !== 0, opcode, payload }, used: head + length };
};

/** Returns a complete frame of a client, which is masked. The payload has at most 64 KiB. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const short = payload.length < 126;
  const head = Buffer.alloc(short ? 2 : 4);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (short ? payload.length : 126);
  if (!short) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))]);
}
