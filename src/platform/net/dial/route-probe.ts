import { createSocket } from 'node:dgram';

/**
 * Whether this machine has any route to an address. Connecting a UDP socket asks the routing table and sends nothing.
 * Told apart from a router's "network unreachable", which arrives over a route that exists.
 */
export function hasRoute(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    const answer = (routed: boolean) => {
      socket.close();
      resolve(routed);
    };
    socket.once('error', () => answer(false));
    socket.once('connect', () => answer(true));
    socket.connect(9, address);
  });
}
