import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider that reads every request and answers when the test says so. */
export class SlowProvider {
  /** Requests that have arrived whole. */
  arrived = 0;
  /** Settles with the first of them. */
  readonly arrival: Promise<void>;
  private readonly gate: Promise<number>;
  private open: (status: number) => void = () => {};

  private constructor(private readonly server: Server) {
    this.gate = new Promise((resolve) => {
      this.open = resolve;
    });
    this.arrival = new Promise((resolve) => {
      server.on('request', (request, response) => {
        request.resume().on('end', () => {
          this.arrived++;
          resolve();
          void this.gate.then((status) => response.writeHead(status).end('ok'));
        });
      });
    });
  }

  static async start(): Promise<SlowProvider> {
    const server = createServer();
    const provider = new SlowProvider(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers every waiting and every later request with this status. */
  answer(status: number): void {
    this.open(status);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
