import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  type DecodedPacket,
  encode,
  type Question,
  TRUNCATED_RESPONSE,
} from 'dns-packet';

/** The server's reply to one question. */
export interface DnsServerReply {
  /** 0 NOERROR, 1 FORMERR, 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  rcode?: number;
  answers?: Answer[];
  truncated?: boolean;
  /** The reply's ID, if it differs from the question's ID. */
  id?: number;
  question?: Question;
  /** Sent unchanged, instead of everything above. */
  raw?: Buffer;
}

export interface DnsServerQuestion extends Question {
  via: 'udp' | 'tcp';
  id: number;
  port: number;
  edns: boolean;
}

/**
 * Returns the reply. `null` sends nothing. Several replies are sent one after another. The strings close a TCP
 * connection.
 */
export type DnsScript = (question: DnsServerQuestion) => DnsServerReply | DnsServerReply[] | 'hang_up' | 'reset' | null;

/**
 * A DNS server on a free loopback port, over UDP and TCP. It replies according to a script and records the questions.
 */
export class DnsTestServer {
  readonly asked: DnsServerQuestion[] = [];
  readonly connections = new Set<Socket>();
  openedConnections = 0;

  private constructor(
    readonly host: string,
    readonly port: number,
    private readonly udp: UdpSocket,
    private readonly tcp: Server,
    private readonly script: DnsScript,
  ) {
    udp.on('message', (packet, from) => {
      const replies = this.answer(packet, 'udp', from.port);
      if (typeof replies !== 'string') for (const reply of replies) udp.send(reply, from.port, from.address);
    });
    tcp.on('connection', (socket) => this.serve(socket));
  }

  /** `place` is the port. Default: any free port. */
  static async start(script: DnsScript, host = '127.0.0.1', place = 0): Promise<DnsTestServer> {
    for (;;) {
      const tcp = createServer().listen(place, host);
      await once(tcp, 'listening');
      const { port } = tcp.address() as AddressInfo;
      const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      const bound = once(udp, 'listening').then(
        () => true,
        () => false,
      );
      udp.bind(port, host);
      if (await bound) return new DnsTestServer(host, port, udp, tcp, script);
      udp.close();
      tcp.close();
      if (place !== 0) throw new Error(`port ${place} of ${host} is not free`);
    }
  }

  /** In the form `address:port`, with IPv6 addresses in brackets. */
  get address(): string {
    return `${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`;
  }

  /** Returns a check target that queries this server. */
  target(name: string, type = 'A'): string {
    return `dns://${this.address}/${name}?type=${type}`;
  }

  /** Stops TCP, so that it only replies over UDP. */
  async stopTcp(): Promise<void> {
    for (const socket of this.connections) socket.destroy();
    if (!this.tcp.listening) return;
    this.tcp.close();
    await once(this.tcp, 'close');
  }

  async stop(): Promise<void> {
    this.udp.close();
    await this.stopTcp();
  }

  private serve(socket: Socket): void {
    this.openedConnections += 1;
    this.connections.add(socket);
    socket.on('close', () => this.connections.delete(socket));
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const replies = this.answer(received.subarray(2), 'tcp', socket.remotePort ?? 0);
      received = Buffer.alloc(0);
      if (replies === 'hang_up') socket.end();
      else if (replies === 'reset') socket.resetAndDestroy();
      else for (const reply of replies) socket.write(Buffer.concat([uint16(reply.length), reply]));
    });
  }

  private answer(packet: Buffer, via: 'udp' | 'tcp', port: number): Buffer[] | 'hang_up' | 'reset' {
    const query = decode(packet);
    const [question] = query.questions ?? [];
    if (!question) return [];
    const edns = (query.additionals ?? []).some(({ type }) => type === 'OPT');
    const asked: DnsServerQuestion = { ...question, via, port, id: query.id ?? 0, edns };
    this.asked.push(asked);
    const replies = this.script(asked);
    if (typeof replies === 'string') return replies;
    return [replies ?? []].flat().map((reply) => toPacket(query, question, reply));
  }
}

function toPacket(query: DecodedPacket, asked: Question, reply: DnsServerReply): Buffer {
  if (reply.raw) return reply.raw;
  const flags = AUTHORITATIVE_ANSWER | (reply.truncated ? TRUNCATED_RESPONSE : 0) | (reply.rcode ?? 0);
  return encode({
    type: 'response',
    id: reply.id ?? query.id,
    flags,
    questions: [reply.question ?? asked],
    answers: reply.answers ?? [],
  });
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
