import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy between a browser and the service that can cut every connection and let new ones through again. */
export class Cable {
  private readonly sockets = new Set<Socket>();
  private isCut = false;
  /** The port of the service, or `null` until it is known. */
  private port: number | null = null;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** Creates another URL for a service. If the service isn't started yet, call `lead` later. */
  static async to(url?: string): Promise<Cable> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const cable = new Cable(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    if (url !== undefined) cable.lead(url);
    server.on('connection', (near) => {
      if (cable.isCut || cable.port === null) near.destroy();
      else cable.join(near, connect(cable.port, '127.0.0.1'));
    });
    return cable;
  }

  /** Sends connections there from now on. */
  lead(url: string): void {
    this.port = Number(new URL(url).port);
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private join(near: Socket, far: Socket): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
