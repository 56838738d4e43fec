import { createSocket } from 'node:dgram';

/**
 * Whether this machine has any route to an address. Connecting a UDP socket consults the routing table and sends nothing.
 * A router's "network unreachable" is something else: it arrives over a route that exists.
 */
export function hasRoute(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    const finish = (routed: boolean) => {
      socket.close();
      resolve(routed);
    };
    socket.once('error', () => finish(false));
    socket.once('connect', () => finish(true));
    socket.connect(9, address);
  });
}
