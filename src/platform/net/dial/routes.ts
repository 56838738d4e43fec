import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';

/**
 * Whether this machine has any route to an address. Connecting a UDP socket consults the routing table and sends nothing.
 * A router's "network unreachable" is something else: it arrives over a route that exists.
 */
export const hasRoute = async (address: string): Promise<boolean> => (await sourceTo(address)) !== null;

/** Whether that route leaves by an interface that is up and connected: a pulled cable leaves its route behind. */
export async function hasLiveRoute(address: string): Promise<boolean> {
  const source = await sourceTo(address);
  const live = Object.values(networkInterfaces()).flat();
  return source !== null && live.some((own) => own?.address === source);
}

/** The address of this machine from which packets to that address would leave; `null` without a route. */
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
