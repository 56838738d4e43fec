import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../platform/config/config';
import { StartError } from '../platform/config/start-error';
import { isRecord } from '../platform/text/json';

type Address = Pick<Config, 'host' | 'port'>;

/**
 * Throws: a `StartError` if the service can't listen. It runs before the database is opened, so that a port conflict is
 * found early. It then frees the port again, because the port must not accept clients before they can be served.
 */
export async function requireAddress({ host, port }: Address): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw explained(error, { host, port });
  }
  const closed = once(server, 'close');
  server.close();
  await closed;
}

/** A server that is listening once its `listen` resolves. */
interface Listener {
  listen(port: number, host: string): Promise<unknown>;
}

export async function listen(app: Listener, { host, port }: Address): Promise<void> {
  await app.listen(port, host).catch((error: unknown) => {
    throw explained(error, { host, port });
  });
}

/** Returns an error that names the settings, or the error itself if they are not the cause. */
function explained(error: unknown, address: Address): unknown {
  const code = isRecord(error) ? String(error['code']) : '';
  const text = refusalOf(code, address);
  return text === null ? error : new StartError(text, { cause: error });
}

function refusalOf(code: string, { host, port }: Address): string | null {
  switch (code) {
    case 'EADDRINUSE':
      return `PORT: ${port} is already used by another program on ${host}. Stop that program, or set PORT to a free port.`;
    case 'EACCES':
      return `PORT: no permission to listen on port ${port}. Set PORT to 1024 or higher, and put a reverse proxy in front that listens on ${port}.`;
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return `HOST: ${host} is not an address of this machine. Set HOST to an address of this machine, or to 0.0.0.0 for all of them.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST: the name ${host} has no address. Set HOST to an address of this machine, such as 127.0.0.1.`;
    default:
      return null;
  }
}
