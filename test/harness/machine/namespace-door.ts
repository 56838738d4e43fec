/**
 * A process that lives in a network namespace and keeps it open. Listens there for its parent (`listen`: the listening
 * socket is sent back), takes a listening socket of the parent's to pass its connections on into the namespace (`forward`),
 * and resolves every name to one address (`names`).
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, Server } from 'node:net';
import { pipeline } from 'node:stream';
import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';

/** What the parent asks for; each order is answered with its number. */
export interface DoorOrder {
  number: number;
  listen?: { host: string; port: number };
  forward?: { host: string; port: number };
  names?: { host: string; address: string };
}

/** A DNS server on port 53 that knows every name, by its IPv4 address only. */
async function answerNames(host: string, address: string): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('message', (packet, from) => {
    const query = decode(packet);
    const [question] = query.questions ?? [];
    if (!question) return;
    const answer = { type: 'A', name: question.name, ttl: 0, data: address } as const;
    const reply = encode({
      type: 'response',
      id: query.id,
      flags: AUTHORITATIVE_ANSWER,
      questions: [question],
      answers: question.type === 'A' ? [answer] : [],
    });
    socket.send(reply, from.port, from.address);
  });
  socket.bind(53, host);
  await once(socket, 'listening');
}

async function obey(order: DoorOrder, handle: unknown): Promise<void> {
  if (order.listen) {
    const server = createServer().listen(order.listen.port, order.listen.host);
    await once(server, 'listening');
    // Whoever keeps it open takes connections from it.
    process.send?.({ number: order.number }, server, {}, () => server.close());
    return;
  }
  const { forward } = order;
  if (forward && handle instanceof Server) {
    handle.on('connection', (socket) => pipeline(socket, connect(forward.port, forward.host), socket, () => {}));
  }
  if (order.names) await answerNames(order.names.host, order.names.address);
  process.send?.({ number: order.number });
}

process.on('message', (order, handle) => void obey(order as DoorOrder, handle));
process.on('disconnect', () => process.exit(0));
