import { randomInt } from 'node:crypto';
import { LINUX, type KernelSocketCalls, type ReceivedPacket } from './kernel-calls';
import {
  decodeIcmp,
  decodeQuotedEcho,
  encodeEchoRequest,
  stripIpv4Header,
  errorReason,
  ERRORS,
  type IpFamily,
} from './icmp-packet';

/** A reply to an echo request, or an error from a router or host that cannot deliver it. */
export interface IcmpEvent {
  kind: 'reply' | 'unreachable';
  sequence: number;
  /** `null` if an error quoted too little of the request. */
  token: Buffer | null;
  /** The target of the request: the sender of a reply, or the destination quoted in an error. */
  peer: Buffer;
  /** The time when the packet reached this machine, by the clock of `performance.now()`. */
  receivedAtMs: number;
  /** The reason given in an error. Empty for a reply. */
  reason: string;
}

/**
 * How often to read the socket while a reply is expected. This doesn't limit the precision, because the kernel records
 * when each packet arrived.
 */
const POLL_MS = 5;

/** Requests and replies come in bursts when many targets are checked at the same time. */
const BUFFER_BYTES = 1 << 20;

/** An older receive time means that the wall clock was changed in the meantime. */
const OLDEST_PLAUSIBLE_MS = 10_000;

const EVENTS_PER_POLL = 4096;
/** `SO_EE_ORIGIN_LOCAL`: an error on this machine, which `send` has already reported. */
const ORIGIN_LOCAL = 1;
const AF_INET = 2;
const AF_INET6 = 10;

/**
 * An ICMP socket of one IP version for all targets, read through system calls. So the round-trip time ends when the
 * kernel receives the reply, not when this process gets around to reading it. `kind` is what the system permits: a
 * datagram socket (`net.ipv4.ping_group_range`) or a raw one (`CAP_NET_RAW`). The socket keeps the process alive only
 * while a reply is expected.
 */
export class KernelSocket {
  private readonly identifier = randomInt(1, 0x10000);
  private listener: (event: IcmpEvent) => void = () => undefined;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  private constructor(
    private readonly calls: KernelSocketCalls,
    private readonly fd: number,
    private readonly family: IpFamily,
    private readonly kind: 'datagram' | 'raw',
  ) {
    this.configure();
  }

  /** Opens the socket. Returns the name of the system error if it isn't permitted. */
  static open(calls: KernelSocketCalls, family: IpFamily, kind: 'datagram' | 'raw'): KernelSocket | string {
    const fd = calls.open(family, kind);
    return typeof fd === 'string' ? fd : new KernelSocket(calls, fd, family, kind);
  }

  /** Sets the listener for events. Call it once. */
  onEvent(listener: (event: IcmpEvent) => void): void {
    this.listener = listener;
  }

  /**
   * Sends one request. Returns `null`, or the name of the system error (`ENETUNREACH`). All targets share the socket,
   * so the first attempt may report an error from an earlier packet to another target. A second attempt reports its
   * own.
   */
  send(request: { sequence: number; token: Buffer }, address: Buffer): string | null {
    const packet = encodeEchoRequest(this.family, { identifier: this.identifier, ...request });
    const name = socketAddress(this.family, address);
    return this.calls.send(this.fd, packet, name) && this.calls.send(this.fd, packet, name);
  }

  /** Sets whether replies are expected. The socket is read only then. */
  setAwaiting(awaiting: boolean): void {
    if (awaiting && !this.timer && !this.closed) this.timer = setInterval(() => this.poll(), POLL_MS);
    if (!awaiting && this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    }
  }

  /** Reports everything that has already arrived. Call it before deciding that a host isn't responding. */
  drain(): void {
    this.poll();
  }

  close(): void {
    if (this.closed) return;
    this.setAwaiting(false);
    this.closed = true;
    this.calls.close(this.fd);
  }

  private configure(): void {
    const { calls, fd } = this;
    calls.setOption(fd, LINUX.SOL_SOCKET, LINUX.SO_TIMESTAMPNS, int32(1));
    calls.setOption(fd, LINUX.SOL_SOCKET, LINUX.SO_SNDBUF, int32(BUFFER_BYTES));
    calls.setOption(fd, LINUX.SOL_SOCKET, LINUX.SO_RCVBUF, int32(BUFFER_BYTES));
    if (this.kind === 'raw') this.filterRaw();
    else if (this.family === 4) calls.setOption(fd, LINUX.SOL_IP, LINUX.IP_RECVERR, int32(1));
    else calls.setOption(fd, LINUX.SOL_IPV6, LINUX.IPV6_RECVERR, int32(1));
  }

  /**
   * A raw socket receives all ICMP packets of the machine. Makes the kernel drop everything except replies and errors.
   * A set bit means drop.
   */
  private filterRaw(): void {
    if (this.family === 4) {
      const keep = [0, ...ERRORS[4]].reduce((bits, type) => bits | (1 << type), 0);
      this.calls.setOption(this.fd, LINUX.SOL_RAW, LINUX.ICMP_FILTER, int32(~keep));
      return;
    }
    const filter = Buffer.alloc(32, 0xff);
    for (const type of [129, ...ERRORS[6]]) {
      const word = (type >> 5) * 4;
      filter.writeInt32LE(filter.readInt32LE(word) & ~(1 << (type & 31)), word);
    }
    this.calls.setOption(this.fd, LINUX.SOL_ICMPV6, LINUX.ICMPV6_FILTER, filter);
  }

  private poll(): void {
    for (let seen = 0; seen < EVENTS_PER_POLL && !this.closed;) {
      const packets = this.calls.receive(this.fd, false);
      const nowNs = this.calls.wallClockNs();
      const nowMs = performance.now();
      for (const packet of packets) this.report(this.decode(packet), receivedAt(packet, nowNs, nowMs));
      if (packets.length === 0) break;
      seen += packets.length;
    }
    if (this.kind === 'datagram' && !this.closed) this.pollErrors();
  }

  private pollErrors(): void {
    for (const packet of this.calls.receive(this.fd, true)) {
      this.report(this.decodeQueuedError(packet), performance.now());
    }
  }

  private report(event: Omit<IcmpEvent, 'receivedAtMs'> | null, receivedAtMs: number): void {
    if (event) this.listener({ ...event, receivedAtMs });
  }

  private decode(packet: ReceivedPacket): Omit<IcmpEvent, 'receivedAtMs'> | null {
    const icmp = this.kind === 'raw' && this.family === 4 ? stripIpv4Header(packet.data) : packet.data;
    const message = icmp && decodeIcmp(this.family, icmp);
    if (!message || (this.kind === 'raw' && message.identifier !== this.identifier)) return null;
    const { kind, sequence } = message;
    if (message.kind === 'reply') {
      return { kind, sequence, token: copy(message.token), peer: addressIn(this.family, packet.name), reason: '' };
    }
    const token = message.token && copy(message.token);
    return { kind, sequence, token, peer: copy(message.destination), reason: message.reason };
  }

  /**
   * A `sock_extended_err` consists of errno (4 bytes), origin, type, and code. The packet is the request that was sent,
   * and the name is its target.
   */
  private decodeQueuedError(packet: ReceivedPacket): Omit<IcmpEvent, 'receivedAtMs'> | null {
    const quoted = decodeQuotedEcho(this.family, packet.data);
    const [origin, type, code] = packet.extendedError?.subarray(4, 7) ?? [];
    if (!quoted || type === undefined || code === undefined || origin === ORIGIN_LOCAL) return null;
    return {
      kind: 'unreachable',
      sequence: quoted.sequence,
      token: quoted.token && copy(quoted.token),
      peer: addressIn(this.family, packet.name),
      reason: errorReason(this.family, type, code),
    };
  }
}

/**
 * Returns the kernel's receive time on the monotonic clock. If there is none or the clock was changed, returns the
 * current time.
 */
function receivedAt(packet: ReceivedPacket, nowNs: bigint, nowMs: number): number {
  if (packet.receivedNs === null) return nowMs;
  const ageMs = Number(nowNs - packet.receivedNs) / 1e6;
  return ageMs >= 0 && ageMs < OLDEST_PLAUSIBLE_MS ? nowMs - ageMs : nowMs;
}

/** Returns a `sockaddr_in` or `sockaddr_in6` with port 0. */
function socketAddress(family: IpFamily, address: Buffer): Buffer {
  const name = Buffer.alloc(family === 4 ? 16 : 28);
  name.writeUInt16LE(family === 4 ? AF_INET : AF_INET6, 0);
  address.copy(name, family === 4 ? 4 : 8);
  return name;
}

const addressIn = (family: IpFamily, name: Buffer) => copy(family === 4 ? name.subarray(4, 8) : name.subarray(8, 24));

const copy = (view: Buffer) => Buffer.from(view);

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
