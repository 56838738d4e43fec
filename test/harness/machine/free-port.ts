import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral port ranges of Linux (from 32768), BSD, and Windows (from 49152). */
const PORTS = { first: 20_000, last: 32_000 };

/**
 * Returns a free loopback port outside the ephemeral range, for servers that stop and listen again. In the meantime, no
 * connection and no other test's server on this machine is assigned this port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
