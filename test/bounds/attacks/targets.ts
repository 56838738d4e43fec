import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A hostile server. Runs the script once the head of a request has arrived, and counts its connections. */
export class HostileTarget {
  private readonly open = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async listen(script: (socket: Socket, path: string) => void): Promise<HostileTarget> {
    const server = createServer((socket) => {
      target.open.add(socket);
      socket.on('close', () => target.open.delete(socket));
      socket.on('error', () => {});
      socket.once('data', (chunk: Buffer) => script(socket, chunk.toString('latin1').split(' ')[1] ?? '/'));
    });
    const target: HostileTarget = new HostileTarget(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
    return target;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.open.size;
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export const response = (status: string, body: Buffer, headers = ''): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n${headers}\r\n`,
      'latin1',
    ),
    body,
  ]);

export const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

export const counted = (statuses: ReadonlyMap<number, number>): string =>
  [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} × ${status === 0 ? 'no response' : status}`)
    .join(', ');
