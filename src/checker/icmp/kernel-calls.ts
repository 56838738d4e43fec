import { constants } from 'node:os';

/**
 * The few C library calls that an ICMP socket needs and Node doesn't offer, through the optional package koffi. This
 * file contains everything that depends on the memory layout of the kernel's structures.
 */
export interface KernelSocketCalls {
  /** Returns a non-blocking socket, or the name of the system error. */
  open(family: 4 | 6, kind: 'datagram' | 'raw'): number | string;
  setOption(fd: number, level: number, name: number, value: Buffer): boolean;
  /** Returns `null`, or the name of the system error. */
  send(fd: number, packet: Buffer, socketAddress: Buffer): string | null;
  /** Returns the packets that have arrived, up to one batch. */
  receive(fd: number, errorQueue: boolean): ReceivedPacket[];
  /** Returns the wall-clock time in nanoseconds, which the kernel uses for receive times. */
  wallClockNs(): bigint;
  close(fd: number): void;
}

/** A received packet. The buffers are views that the next `receive` overwrites. */
export interface ReceivedPacket {
  data: Buffer;
  /** The `sockaddr` of the sender. For packets from the error queue, it belongs to the destination. */
  name: Buffer;
  /** The wall-clock time in nanoseconds, or `null` if the kernel provided none. */
  receivedNs: bigint | null;
  /** The `sock_extended_err` of a packet from the error queue. */
  extendedError: Buffer | null;
}

/** Linux constants, which are the same on x64 and arm64. */
export const LINUX = {
  SOL_SOCKET: 1,
  SO_SNDBUF: 7,
  SO_RCVBUF: 8,
  SO_TIMESTAMPNS: 35,
  SOL_IP: 0,
  IP_RECVERR: 11,
  SOL_IPV6: 41,
  IPV6_RECVERR: 25,
  SOL_RAW: 255,
  ICMP_FILTER: 1,
  SOL_ICMPV6: 58,
  ICMPV6_FILTER: 1,
} as const;

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const SOCK_NONBLOCK_CLOEXEC = 0o4000 | 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_ERRQUEUE = 0x2000;
const CLOCK_REALTIME = 0;

/**
 * How many times to retry a receive call. It may first report ICMP errors for earlier packets, and only then return the
 * packets that have arrived.
 */
const SOFT_ERRORS = 4;

const BATCH = 64;
const MESSAGE_HEADER = 64;
const IO_VECTOR = 16;
const NAME = 32;
const CONTROL = 256;
const DATA = 576;
const NAME_AT = BATCH * (MESSAGE_HEADER + IO_VECTOR);
const CONTROL_AT = NAME_AT + BATCH * NAME;
const DATA_AT = CONTROL_AT + BATCH * CONTROL;

interface Koffi {
  load(path: null): { func(declaration: string): (...values: unknown[]) => unknown };
  errno(): number;
  address(buffer: Buffer): bigint;
}

/** Loads koffi. Returns a sentence with the reason if it isn't installed or the platform's layouts are unknown. */
export function loadKernelSocketCalls(): KernelSocketCalls | string {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    return `not available on ${process.platform} ${process.arch}`;
  }
  const koffi = loadKoffi();
  return koffi ? bindCalls(koffi) : 'the optional package koffi is not installed';
}

function loadKoffi(): Koffi | null {
  try {
    // oxlint-disable-next-line typescript/no-require-imports -- an optional package must be loaded lazily.
    const koffi: Koffi = require('koffi');
    return koffi;
  } catch {
    return null;
  }
}

function bindCalls(koffi: Koffi): KernelSocketCalls {
  const libc = koffi.load(null);
  const socket = libc.func('int socket(int domain, int type, int protocol)');
  const setsockopt = libc.func('int setsockopt(int fd, int level, int name, void *value, uint32_t length)');
  const sendto = libc.func('int64_t sendto(int fd, void *data, size_t n, int flags, void *address, uint32_t length)');
  const recvmmsg = libc.func('int recvmmsg(int fd, void *messages, unsigned int n, int flags, void *timeout)');
  const clockGettime = libc.func('int clock_gettime(int clock, void *result)');
  const close = libc.func('int close(int fd)');
  const arena = new ReceiveArena(koffi);
  const timespec = Buffer.alloc(16);
  const failure = () => errorName(koffi.errno());
  return {
    open(family, kind) {
      const type = (kind === 'raw' ? SOCK_RAW : SOCK_DGRAM) | SOCK_NONBLOCK_CLOEXEC;
      const fd = family === 4 ? socket(AF_INET, type, 1) : socket(AF_INET6, type, 58);
      return typeof fd === 'number' && fd >= 0 ? fd : failure();
    },
    setOption: (fd, level, name, value) => setsockopt(fd, level, name, value, value.length) === 0,
    send: (fd, packet, address) =>
      Number(sendto(fd, packet, packet.length, MSG_DONTWAIT, address, address.length)) < 0 ? failure() : null,
    receive(fd, errorQueue) {
      const flags = MSG_DONTWAIT | (errorQueue ? MSG_ERRQUEUE : 0);
      for (let attempt = 0; attempt < SOFT_ERRORS; attempt++) {
        arena.prepare();
        const count = Number(recvmmsg(fd, arena.bytes, BATCH, flags, null));
        if (count > 0) return arena.packets(count);
        if (count === 0 || koffi.errno() === constants.errno.EAGAIN) return [];
      }
      return [];
    },
    wallClockNs() {
      clockGettime(CLOCK_REALTIME, timespec);
      return timespec.readBigInt64LE(0) * 1_000_000_000n + timespec.readBigInt64LE(8);
    },
    close: (fd) => void close(fd),
  };
}

/** One block of memory for a whole batch: message headers, I/O vectors, names, control data, and packets. */
class ReceiveArena {
  readonly bytes = Buffer.alloc(DATA_AT + BATCH * DATA);
  private readonly base: bigint;
  private filled = BATCH;

  constructor(koffi: Koffi) {
    this.base = koffi.address(this.bytes);
  }

  /** Resets the messages that were filled, because the kernel overwrites their lengths. */
  prepare(): void {
    for (let index = 0; index < this.filled; index++) this.prepareOne(index);
    this.filled = 0;
  }

  packets(count: number): ReceivedPacket[] {
    this.filled = count;
    return Array.from({ length: count }, (_, index) => {
      const header = index * MESSAGE_HEADER;
      const length = Math.min(this.bytes.readUInt32LE(header + 56), DATA);
      const nameLength = Math.min(this.bytes.readUInt32LE(header + 8), NAME);
      const controlLength = Math.min(Number(this.bytes.readBigUInt64LE(header + 40)), CONTROL);
      return {
        data: this.slice(DATA_AT + index * DATA, length),
        name: this.slice(NAME_AT + index * NAME, nameLength),
        ...readControl(this.slice(CONTROL_AT + index * CONTROL, controlLength)),
      };
    });
  }

  private prepareOne(index: number): void {
    const header = index * MESSAGE_HEADER;
    const vector = BATCH * MESSAGE_HEADER + index * IO_VECTOR;
    this.pointer(header, NAME_AT + index * NAME);
    this.bytes.writeBigUInt64LE(BigInt(NAME), header + 8);
    this.pointer(header + 16, vector);
    this.bytes.writeBigUInt64LE(1n, header + 24);
    this.pointer(header + 32, CONTROL_AT + index * CONTROL);
    this.bytes.writeBigUInt64LE(BigInt(CONTROL), header + 40);
    this.bytes.writeBigUInt64LE(0n, header + 48);
    this.pointer(vector, DATA_AT + index * DATA);
    this.bytes.writeBigUInt64LE(BigInt(DATA), vector + 8);
  }

  private pointer(at: number, to: number): void {
    this.bytes.writeBigUInt64LE(this.base + BigInt(to), at);
  }

  private slice(at: number, length: number): Buffer {
    return this.bytes.subarray(at, at + length);
  }
}

/** A `cmsghdr` consists of a 64-bit length, then level and type. Each starts at a multiple of eight. */
function readControl(control: Buffer): Pick<ReceivedPacket, 'receivedNs' | 'extendedError'> {
  let receivedNs: bigint | null = null;
  let extendedError: Buffer | null = null;
  for (let at = 0; at + 16 <= control.length;) {
    const length = Number(control.readBigUInt64LE(at));
    if (length < 16 || at + length > control.length) break;
    const [level, type] = [control.readInt32LE(at + 8), control.readInt32LE(at + 12)];
    const value = control.subarray(at + 16, at + length);
    if (level === LINUX.SOL_SOCKET && type === LINUX.SO_TIMESTAMPNS && value.length >= 16) {
      receivedNs = value.readBigInt64LE(0) * 1_000_000_000n + value.readBigInt64LE(8);
    } else if (isExtendedError(level, type) && value.length >= 16) {
      extendedError = value;
    }
    at += (length + 7) & ~7;
  }
  return { receivedNs, extendedError };
}

const isExtendedError = (level: number, type: number) =>
  (level === LINUX.SOL_IP && type === LINUX.IP_RECVERR) || (level === LINUX.SOL_IPV6 && type === LINUX.IPV6_RECVERR);

const errorName = (errno: number): string =>
  Object.entries(constants.errno).find(([, value]) => value === errno)?.[0] ?? `errno ${errno}`;
