import { type HttpScript, HttpTarget, rawResponse, type SeenRequest } from '../../servers/http-target';
import { closedPort, silence, TcpTarget } from '../../servers/tcp-target';

/** The IP address that the suite listens on, and the hostname that the service uses for it. */
interface Reach {
  listen: string;
  host: string;
}

/**
 * The targets and receivers for the service: a web server whose paths respond as a test specifies, an open port, and a
 * closed port.
 */
export class Bench {
  private readonly statuses: Map<string, number>;

  private constructor(
    private readonly web: HttpTarget,
    private readonly port: TcpTarget,
    private readonly refused: number,
    private readonly host: string,
    statuses: Map<string, number>,
  ) {
    this.statuses = statuses;
  }

  static async open({ listen, host }: Reach): Promise<Bench> {
    const statuses = new Map<string, number>();
    const respond: HttpScript = ({ path }, socket) => {
      const status = statuses.get(path.split('?')[0] ?? '') ?? 200;
      socket.end(
        rawResponse(status, path.endsWith('/sitemap.xml') ? '<urlset/>' : 'ok', {
          'Content-Type': 'text/plain',
          Connection: 'close',
        }),
      );
    };
    const web = await HttpTarget.listen(respond, { host: listen });
    const port = await TcpTarget.listen(silence, { host: listen });
    return new Bench(web, port, await closedPort(listen), host, statuses);
  }

  /** Returns the URL for a path. It responds with 200 until `respond` changes that. */
  url(path: string): string {
    return this.web.url(path, this.host);
  }

  /** Sets the status that this path responds with from now on. */
  respond(path: string, status: number): void {
    this.statuses.set(path, status);
  }

  /** Returns the requests for this path, oldest first. */
  seen(path: string): SeenRequest[] {
    return this.web.seen.filter((request) => request.path.split('?')[0] === path);
  }

  /** `tcp://host:port` for a port that accepts connections and sends nothing. */
  get openPort(): string {
    return `tcp://${this.host}:${this.port.port}`;
  }

  /** `tcp://host:port` for a port that nothing listens on. */
  get refusedPort(): string {
    return `tcp://${this.host}:${this.refused}`;
  }

  async close(): Promise<void> {
    await Promise.all([this.web.close(), this.port.close()]);
  }
}
