import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';

/**
 * Returns whether this host has any route to an address. Connecting a UDP socket reads the routing table but sends
 * nothing. A router's "network unreachable" is different, because it arrives over an existing route.
 */
export const hasRoute = async (address: string): Promise<boolean> => (await sourceTo(address)) !== null;

/**
 * Returns whether the route uses an interface that is up and connected. When a cable is unplugged, its route remains.
 */
export async function hasLiveRoute(address: string): Promise<boolean> {
  const source = await sourceTo(address);
  const live = Object.values(networkInterfaces()).flat();
  return source !== null && live.some((own) => own?.address === source);
}

/** Returns the source address for packets to this address, or `null` if there is no route. */
function sourceTo(address: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    const finish = (source: string | null) => {
      socket.close();
      resolve(source);
    };
    socket.once('error', () => finish(null));
    socket.once('connect', () => finish(socket.address().address.replace(/%.*/, '')));
    socket.connect(9, address);
  });
}
