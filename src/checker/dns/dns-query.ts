import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { isIPv6, type Socket } from 'node:net';
import { decodeReply, encodeQuery, type DnsQuestion, type DnsReply } from './dns-message';
import { MalformedReply } from './packet-reader';

export interface DnsServer {
  /** An IP address literal. */
  address: string;
  port: number;
}

/** Opens the TCP connection for fetching a truncated reply. Rejects if that fails or `signal` is aborted. */
export type OpenTcp = (server: DnsServer, signal: AbortSignal) => Promise<Socket>;

/** The delay before a query is sent again. It doubles each time. The first reply to any of them counts. */
const RESEND_AFTER_MS = 1000;

/**
 * Sends one question to one resolver. Uses UDP from a new socket with a random port and ID, then TCP if the reply did
 * not fit. Rejects with the signal's reason, the socket's error (`ECONNREFUSED` if the port is closed), or
 * `MalformedReply`. Closes every socket before it settles.
 */
export async function askResolver(
  server: DnsServer,
  question: DnsQuestion,
  openTcp: OpenTcp,
  signal: AbortSignal,
): Promise<DnsReply> {
  let reply = await askOverUdp(server, question, true, signal);
  if (reply.rcode === 'FORMERR' || reply.rcode === 'NOTIMP') reply = await askOverUdp(server, question, false, signal);
  if (!reply.truncated) return reply;
  const socket = await openTcp(server, signal);
  return askOverTcp(socket, question, signal);
}

function askOverUdp(server: DnsServer, question: DnsQuestion, edns: boolean, signal: AbortSignal): Promise<DnsReply> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(asError(signal.reason));
    const id = randomInt(0x10000);
    const query = encodeQuery(id, question, edns);
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
    let resend: NodeJS.Timeout | undefined;
    let isSettled = false;
    const settle = (conclude: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(resend);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners().on('error', ignore).close();
      conclude();
    };
    const onAbort = () => settle(() => reject(asError(signal.reason)));
    const fail = (error: Error) => settle(() => reject(error));
    // If a local firewall rejects the packet, Node reports the error only to a callback.
    const onSent = (error: Error | null) => void (error && fail(error));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', fail);
    socket.on('message', (packet) => {
      try {
        const reply = decodeReply(packet, id, question);
        if (reply) settle(() => resolve(reply));
      } catch (error) {
        fail(asError(error));
      }
    });
    socket.on('connect', () => {
      const send = (pauseMs: number) => {
        resend = setTimeout(send, pauseMs, pauseMs * 2);
        socket.send(query, onSent);
      };
      send(RESEND_AFTER_MS);
    });
    socket.connect(server.port, server.address);
  });
}

/** Takes ownership of the socket and destroys it. */
function askOverTcp(socket: Socket, question: DnsQuestion, signal: AbortSignal): Promise<DnsReply> {
  return new Promise((resolve, reject) => {
    const id = randomInt(0x10000);
    const query = encodeQuery(id, question, true);
    const stream = new PacketStream();
    const settle = (conclude: () => void) => {
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners().on('error', ignore).destroy();
      conclude();
    };
    const fail = (error: Error) => settle(() => reject(error));
    const onAbort = () => fail(asError(signal.reason));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', fail);
    socket.on('close', () => fail(new MalformedReply()));
    socket.on('data', (chunk: Buffer) => {
      const packet = stream.push(chunk);
      if (!packet) return;
      try {
        const reply = decodeReply(packet, id, question);
        settle(() => (reply && !reply.truncated ? resolve(reply) : reject(new MalformedReply())));
      } catch (error) {
        fail(asError(error));
      }
    });
    socket.write(Buffer.concat([uint16(query.length), query]));
  });
}

/** Collects one packet that is preceded by its 16-bit length, which limits it to 64 KiB. */
class PacketStream {
  private readonly chunks: Buffer[] = [];
  private received = 0;
  private expected: number | null = null;

  /** Returns the packet once it is complete. */
  push(chunk: Buffer): Buffer | null {
    this.chunks.push(chunk);
    this.received += chunk.length;
    if (this.received < 2) return null;
    this.expected ??= 2 + Buffer.concat(this.chunks).readUInt16BE(0);
    return this.received < this.expected ? null : Buffer.concat(this.chunks).subarray(2, this.expected);
  }
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

const asError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)));

/** A socket that is being closed may report the error again. */
const ignore = () => undefined;
