import { type HttpScript, HttpTarget, rawResponse, type SeenRequest } from '../../servers/http-target';
import { closedPort, silence, TcpTarget } from '../../servers/tcp-target';

/** The address that the suite listens at, and its name for the service. */
interface Reach {
  listen: string;
  host: string;
}

/** What the service checks and notifies: a web server whose paths respond as a test wants, a port that accepts, and one that refuses. */
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

  /** The URL of a path, which responds 200 until `respond` says otherwise. */
  url(path: string): string {
    return this.web.url(path, this.host);
  }

  /** From now on this path has this status. */
  respond(path: string, status: number): void {
    this.statuses.set(path, status);
  }

  /** Requests that came to this path, oldest first. */
  seen(path: string): SeenRequest[] {
    return this.web.seen.filter((request) => request.path.split('?')[0] === path);
  }

  /** `tcp://host:port` that accepts connections and says nothing. */
  get openPort(): string {
    return `tcp://${this.host}:${this.port.port}`;
  }

  /** `tcp://host:port` at which nothing listens. */
  get refusedPort(): string {
    return `tcp://${this.host}:${this.refused}`;
  }

  async close(): Promise<void> {
    await Promise.all([this.web.close(), this.port.close()]);
  }
}
