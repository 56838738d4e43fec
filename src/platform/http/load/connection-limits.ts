import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../access/client-network';

export interface ConnectionLimit {
  /** Connections of one IPv4 address or one IPv6 /64. */
  perAddress: number;
  inAll: number;
}

/** Why a connection was closed: its address, or the process, had too many. */
export type ClosedBecause = 'address' | 'process';

interface Client {
  count: number;
  /** Connections without an open request, half-open ones among them: the one that has been so for longest comes first. */
  readonly idle: Set<Socket>;
}

/**
 * Bounds the connections of each address and of all. One too many closes the one that has been idle for longest, of the
 * same address or of the one with the most, so that nobody gets in the way of fresh clients by holding connections open;
 * only where all of them are busy is the fresh one refused. A proxy that is trusted has as many as it wants of those of all: it
 * stands for many clients.
 */
export function limitConnections(
  server: Server,
  limit: ConnectionLimit,
  onClose: (because: ClosedBecause) => void,
  isTrustedProxy: (address: string | undefined) => boolean = () => false,
): void {
  const clients = new Map<string, Client>();
  const known = new Map<Socket, { network: string; client: Client; open: number }>();

  const forget = (socket: Socket): void => {
    const connection = known.get(socket);
    if (!connection) return;
    known.delete(socket);
    connection.client.idle.delete(socket);
    connection.client.count--;
    if (connection.client.count === 0) clients.delete(connection.network);
  };
  const close = (socket: Socket, because: ClosedBecause): void => {
    forget(socket);
    onClose(because);
    socket.destroy();
  };
  const closeIdle = (client: Client | null, because: ClosedBecause): boolean => {
    const [longest] = client?.idle ?? [];
    if (longest) close(longest, because);
    return longest !== undefined;
  };
  const largest = (): Client | null => {
    let most: Client | null = null;
    for (const client of clients.values()) if (client.idle.size > (most?.idle.size ?? 0)) most = client;
    return most;
  };
  const clientOf = (network: string): Client => {
    const client = clients.get(network) ?? { count: 0, idle: new Set<Socket>() };
    clients.set(network, client);
    return client;
  };

  server.on('connection', (socket) => {
    const network = networkOf(socket.remoteAddress);
    const present = clients.get(network);
    const isFull = present !== undefined && present.count >= limit.perAddress && !isTrustedProxy(socket.remoteAddress);
    if (isFull && !closeIdle(present, 'address')) return close(socket, 'address');
    if (known.size >= limit.inAll && !closeIdle(largest(), 'process')) return close(socket, 'process');
    const client = clientOf(network);
    client.count++;
    client.idle.add(socket);
    known.set(socket, { network, client, open: 0 });
    socket.once('close', () => forget(socket));
  });
  server.on('request', ({ socket }, response) => {
    const connection = known.get(socket);
    if (!connection) return;
    connection.open++;
    connection.client.idle.delete(socket);
    response.once('close', () => {
      if (--connection.open === 0 && known.has(socket)) connection.client.idle.add(socket);
    });
  });
}
