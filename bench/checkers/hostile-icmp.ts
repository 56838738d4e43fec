import { LINUX, loadKernelSocketCalls } from '../../src/checker/icmp/kernel-calls';

/** The replies to one echo request: ICMP messages, each with its claimed source address. */
type EchoScript = (request: Buffer, target: Buffer) => { message: Buffer; from?: Buffer }[];

const ECHO_REQUEST = 8;
const ECHO_REPLY = 0;
const UNREACHABLE = 3;
const IP_HDRINCL = 3;
const POLL_MS = 2;
const OTHER_HOST = Buffer.from([127, 9, 9, 9]);

const changed = (request: Buffer, change: (reply: Buffer) => void): Buffer => {
  const reply = Buffer.from(request);
  reply[0] = ECHO_REPLY;
  change(reply);
  return reply;
};
const honest = (request: Buffer): Buffer => changed(request, () => {});

/** RFC 792: the error header, followed by the IP packet that caused the error. */
const unreachable = (quoted: Buffer): Buffer =>
  Buffer.concat([Buffer.from([UNREACHABLE, 1, 0, 0, 0, 0, 0, 0]), quoted]);

/** Returns the packet as it was sent, with as much of its header as is needed to read the error. */
function asSent(request: Buffer, destination: Buffer): Buffer {
  return Buffer.concat([ipHeader(destination, Buffer.from([127, 0, 0, 1]), request.length), request]);
}

const scripts: Record<string, EchoScript> = {
  silence: () => [],
  'a reply with another token': (request) => [{ message: changed(request, (reply) => reply.fill(0xee, 8)) }],
  'a reply cut after its header': (request) => [{ message: honest(request).subarray(0, 8) }],
  'a reply of four bytes': (request) => [{ message: honest(request).subarray(0, 4) }],
  'a reply of sixty kilobytes': (request) => [{ message: Buffer.concat([honest(request), Buffer.alloc(60_000)]) }],
  'a hundred replies': (request) => Array.from({ length: 100 }, () => ({ message: honest(request) })),
  'a hundred unsolicited replies': (request) =>
    Array.from({ length: 100 }, (_, index) => ({
      message: changed(request, (reply) => reply.writeUInt16BE(index, 6)),
    })),
  "another process's identifier": (request) => [
    { message: changed(request, (reply) => reply.writeUInt16BE(reply.readUInt16BE(4) ^ 1, 4)) },
  ],
  'a reply from another address': (request) => [{ message: honest(request), from: OTHER_HOST }],
  'unreachable, with the request': (request, target) => [{ message: unreachable(asSent(request, target)) }],
  'unreachable, with half the request': (request, target) => [
    { message: unreachable(asSent(request, target).subarray(0, 30)) },
  ],
  'unreachable, with garbage': () => [{ message: unreachable(Buffer.alloc(64, 0xff)) }],
  'unreachable, with nothing': () => [{ message: unreachable(Buffer.alloc(0)) }],
};

/**
 * Replies to echo requests instead of this machine's kernel, whose replies must be turned off (`icmp_echo_ignore_all`).
 * Returns the behaviors with their addresses, or why raw sockets aren't available.
 */
export function startHostileHosts(): { name: string; address: string }[] | string {
  const calls = loadKernelSocketCalls();
  if (typeof calls === 'string') return calls;
  const fd = calls.open(4, 'raw');
  if (typeof fd === 'string') return fd;
  const yes = Buffer.from([1, 0, 0, 0]);
  calls.setOption(fd, LINUX.SOL_IP, IP_HDRINCL, yes);
  calls.setOption(fd, LINUX.SOL_RAW, LINUX.ICMP_FILTER, Buffer.from(Int32Array.of(~(1 << ECHO_REQUEST)).buffer));
  calls.setOption(fd, LINUX.SOL_SOCKET, LINUX.SO_RCVBUF, Buffer.from(Int32Array.of(1 << 20).buffer));
  const behaviours = Object.entries(scripts);
  setInterval(() => {
    for (const { data } of calls.receive(fd, false)) {
      const [sender, target] = [data.subarray(12, 16), data.subarray(16, 20)];
      const script = behaviours[(target[3] ?? 0) - 1]?.[1];
      for (const { message, from = target } of script?.(Buffer.from(data.subarray(20)), target) ?? []) {
        calls.send(fd, Buffer.concat([ipHeader(sender, from, message.length), summed(message)]), socketAddress(sender));
      }
    }
  }, POLL_MS);
  return behaviours.map(([name], index) => ({ name, address: `127.0.77.${index + 1}` }));
}

/** RFC 791, without options. The kernel fills in the checksum. */
function ipHeader(to: Buffer, from: Buffer, payloadBytes: number): Buffer {
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header.writeUInt16BE(20 + payloadBytes, 2);
  header[8] = 64;
  header[9] = 1;
  from.copy(header, 12);
  to.copy(header, 16);
  return header;
}

/** A Linux `sockaddr_in`. */
const socketAddress = (address: Buffer): Buffer => Buffer.concat([Buffer.from([2, 0, 0, 0]), address, Buffer.alloc(8)]);

/** Adds the checksum (RFC 1071). */
function summed(message: Buffer): Buffer {
  message.fill(0, 2, 4);
  let sum = 0;
  for (let at = 0; at + 1 < message.length; at += 2) sum += message.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  message.writeUInt16BE(~sum & 0xffff, 2);
  return message;
}
