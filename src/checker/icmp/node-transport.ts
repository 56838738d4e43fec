import { createSocket, type Socket } from 'node:dgram';
import ipaddr from 'ipaddr.js';
import { decodeIcmp, encodeEchoRequest, stripIpv4Header, type IpFamily } from './icmp-packet';
import type { IcmpEvent, IcmpSocket } from './icmp-transport';

/** Ping sockets have no ports, yet Node insists on one. */
const ANY_PORT = 1;

/**
 * An ICMP datagram socket read by Node itself, for systems whose receive calls are not known here (macOS). A busy event
 * loop counts into its round-trip times. `fd` is taken over.
 */
export class NodeSocket implements IcmpSocket {
  private readonly socket: Socket;
  private listener: (event: IcmpEvent) => void = () => undefined;

  constructor(
    fd: number,
    private readonly family: IpFamily,
  ) {
    this.socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    this.socket.on('error', () => undefined);
    this.socket.on('message', (packet, { address }) => this.take(packet, address, performance.now()));
    this.socket.bind({ fd });
    this.socket.unref();
  }

  onEvent(listener: (event: IcmpEvent) => void): void {
    this.listener = listener;
  }

  send(request: { sequence: number; token: Buffer }, address: Buffer): string | null {
    const packet = encodeEchoRequest(this.family, { identifier: 0, ...request });
    const text = ipaddr.fromByteArray([...address]).toString();
    this.socket.send(packet, ANY_PORT, text, (error: NodeJS.ErrnoException | null) => {
      if (!error) return;
      const receivedAtMs = performance.now();
      this.listener({
        kind: 'not_sent',
        ...request,
        peer: address,
        receivedAtMs,
        reason: error.code ?? 'unknown error',
      });
    });
    return null;
  }

  /** The socket reports by itself. */
  setAwaiting(): void {}

  /** Nothing waits outside the event loop, and that was given its turn. */
  drain(): void {}

  close(): void {
    this.socket.close();
  }

  /** macOS hands the IP header over with the message; an ICMP type never looks like one. */
  private take(packet: Buffer, sender: string, receivedAtMs: number): void {
    const hasHeader = this.family === 4 && (packet[0] ?? 0) >> 4 === 4;
    const icmp = hasHeader ? stripIpv4Header(packet) : packet;
    const message = icmp && decodeIcmp(this.family, icmp);
    if (!message) return;
    const { kind, sequence, token } = message;
    const peer = message.kind === 'reply' ? Buffer.from(ipaddr.parse(sender).toByteArray()) : message.destination;
    const reason = message.kind === 'unreachable' ? message.reason : '';
    this.listener({ kind, sequence, token, peer, receivedAtMs, reason });
  }
}
