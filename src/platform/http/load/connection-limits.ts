import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networksOf } from '../../access/client-network';

export interface ConnectionLimit {
  /** The maximum number of connections from one IPv4 address or one IPv6 /64. */
  perAddress: number;
  inAll: number;
}

/** The limit that caused a connection to be closed: the limit for its network or for the process. */
export type ClosedBecause = 'address' | 'process';

/** The maximum share of all connections for networks that are wider than a client's, by width. */
const WIDER_PARTS = [1 / 3, 2 / 3];

interface Network {
  readonly name: string;
  count: number;
  /**
   * Connections without an open request, including half-open ones. The connection that has been idle the longest comes
   * first.
   */
  readonly idle: Set<Socket>;
}

/**
 * Limits the connections from each address, from the wider IPv6 networks, and in the whole process. Above a limit, the
 * service closes the connection that has been idle the longest in that network, or in the network with the most
 * connections. This way, no one can lock out new clients by holding connections open. The new connection is rejected
 * only if all others are busy. A trusted proxy is subject only to the process limit, because it represents many
 * clients.
 */
export function limitConnections(
  server: Server,
  limit: ConnectionLimit,
  onClose: (because: ClosedBecause) => void,
  isTrustedProxy: (address: string | undefined) => boolean = () => false,
): void {
  /** Networks by name, for all widths. */
  const present = new Map<string, Network>();
  /** Each client's widest network. */
  const widest = new Map<string, Network>();
  const known = new Map<Socket, { networks: readonly Network[]; open: number }>();
  const most = [limit.perAddress, ...WIDER_PARTS.map((part) => Math.max(limit.perAddress, part * limit.inAll))];

  const forget = (socket: Socket): void => {
    const connection = known.get(socket);
    if (!connection) return;
    known.delete(socket);
    for (const network of connection.networks) {
      network.idle.delete(socket);
      network.count--;
      if (network.count > 0) continue;
      present.delete(network.name);
      widest.delete(network.name);
    }
  };
  const close = (socket: Socket, because: ClosedBecause): void => {
    forget(socket);
    onClose(because);
    socket.destroy();
  };
  const closeIdle = (network: Network | undefined, because: ClosedBecause): boolean => {
    const [longest] = network?.idle ?? [];
    if (longest) close(longest, because);
    return longest !== undefined;
  };
  /** Cost: linear in the number of networks, and only if the process has reached its limit. */
  const largest = (): Network | undefined => {
    let found: Network | undefined;
    for (const network of widest.values()) if (network.idle.size > (found?.idle.size ?? 0)) found = network;
    return found;
  };
  const added = (name: string, socket: Socket, isWidest: boolean): Network => {
    const network = present.get(name) ?? { name, count: 0, idle: new Set<Socket>() };
    network.count++;
    network.idle.add(socket);
    present.set(name, network);
    if (isWidest) widest.set(name, network);
    return network;
  };

  server.on('connection', (socket) => {
    const networks = networksOf(socket.remoteAddress);
    const isBounded = !isTrustedProxy(socket.remoteAddress);
    for (const [width, name] of networks.entries()) {
      const network = present.get(name);
      if (!isBounded || !network || network.count < (most[width] ?? Infinity)) continue;
      if (!closeIdle(network, 'address')) return close(socket, 'address');
    }
    if (known.size >= limit.inAll && !closeIdle(largest(), 'process')) return close(socket, 'process');
    const counted = networks.map((name, width) => added(name, socket, width === networks.length - 1));
    known.set(socket, { networks: counted, open: 0 });
    socket.once('close', () => forget(socket));
  });
  server.on('request', ({ socket }, response) => {
    const connection = known.get(socket);
    if (!connection) return;
    connection.open++;
    for (const network of connection.networks) network.idle.delete(socket);
    response.once('close', () => {
      if (--connection.open > 0 || !known.has(socket)) return;
      for (const network of connection.networks) network.idle.add(socket);
    });
  });
}
