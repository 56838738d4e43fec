/**
 * A process that keeps its network namespace open and takes orders from its parent. `listen` listens there and returns
 * the listening socket. `forward` forwards connections from one of the parent's listening sockets into the namespace.
 * `names` serves DNS and returns the same address for every name.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, Server } from 'node:net';
import { pipeline } from 'node:stream';
import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';

/** An order from the parent. Each order is confirmed with its number. */
export interface DoorOrder {
  number: number;
  listen?: { host: string; port: number };
  forward?: { host: string; port: number };
  names?: { host: string; address: string };
}

/** Starts a DNS server on port 53 that resolves every name to one IPv4 address. */
async function serveNames(host: string, address: string): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('message', (packet, from) => {
    const query = decode(packet);
    const [question] = query.questions ?? [];
    if (!question) return;
    const record = { type: 'A', name: question.name, ttl: 0, data: address } as const;
    const reply = encode({
      type: 'response',
      id: query.id,
      flags: AUTHORITATIVE_ANSWER,
      questions: [question],
      answers: question.type === 'A' ? [record] : [],
    });
    socket.send(reply, from.port, from.address);
  });
  socket.bind(53, host);
  await once(socket, 'listening');
}

async function carryOut(order: DoorOrder, handle: unknown): Promise<void> {
  if (order.listen) {
    const server = createServer().listen(order.listen.port, order.listen.host);
    await once(server, 'listening');
    // Only the process that holds the socket may accept its connections.
    process.send?.({ number: order.number }, server, {}, () => server.close());
    return;
  }
  const { forward } = order;
  if (forward && handle instanceof Server) {
    handle.on('connection', (socket) => pipeline(socket, connect(forward.port, forward.host), socket, () => {}));
  }
  if (order.names) await serveNames(order.names.host, order.names.address);
  process.send?.({ number: order.number });
}

process.on('message', (order, handle) => void carryOut(order as DoorOrder, handle));
process.on('disconnect', () => process.exit(0));
