import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as startRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request or response on its way through the proxy. Changes to it are passed on. */
export interface Passing {
  method: string;
  /** With the query. */
  path: string;
  /** The status of the response, or 0 in a request. */
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The part that a proxy breaks: the request, its response, or both. */
export interface Break {
  request?: (passing: Passing) => void;
  response?: (passing: Passing, request: Passing) => void;
}

/** A reverse proxy on loopback. `/name/…` is forwarded to `/…` of the service, broken as `name` requires. */
export class BreakingProxy {
  private constructor(
    private readonly server: Server,
    private readonly service: string,
    private readonly breaks: Readonly<Record<string, Break>>,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      // A client that gave up isn't a failure of the proxy.
      this.pass(request, response).catch(() => response.destroy());
    });
  }

  static async start(service: string, breaks: Readonly<Record<string, Break>>): Promise<BreakingProxy> {
    const server = createServer();
    const proxy = new BreakingProxy(server, service, breaks);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** Returns the URL of the service with this break. An unknown name breaks nothing. */
  url(name: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${encodeURIComponent(name)}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const [, name = '', path = '/'] = /^\/([^/]+)(\/.*)$/.exec(incoming.url ?? '') ?? [];
    const broken = this.breaks[decodeURIComponent(name)] ?? {};
    const request = await passing(incoming, { method: incoming.method ?? '', path, status: 0 });
    broken.request?.(request);
    const response = await this.ask(request);
    leadBack(response, `/${name}`);
    broken.response?.(response, request);
    outgoing.writeHead(response.status, withLength(response));
    outgoing.end(response.body);
  }

  private async ask(request: Passing): Promise<Passing> {
    const { method, path, body } = request;
    // Bodies are changed as text, so the service must not compress them.
    const { host: _, 'accept-encoding': __, 'content-length': length, ...headers } = request.headers;
    const sized = length === undefined ? headers : withLength({ headers, body });
    const asked = startRequest(this.service + path, { method, headers: sized, agent: false });
    asked.end(body);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return passing(response, { method, path, status: response.statusCode ?? 0 });
  }
}

/** Adds the prefix to URLs in headers, as proxies do that strip it from requests (`proxy_redirect` of nginx). */
function leadBack({ headers }: Passing, prefix: string): void {
  if (headers['location']?.startsWith('/')) headers['location'] = prefix + headers['location'];
  if (headers['link'] !== undefined) headers['link'] = headers['link'].replaceAll('</', `<${prefix}/`);
}

const withLength = ({ headers, body }: Pick<Passing, 'headers' | 'body'>): Record<string, string> => {
  const { 'transfer-encoding': _, connection: __, ...rest } = headers;
  return body === '' ? rest : { ...rest, 'content-length': String(Buffer.byteLength(body)) };
};

/** Reads a complete request or response. A stream never ends and does not pass. */
async function passing(message: IncomingMessage, of: Omit<Passing, 'headers' | 'body'>): Promise<Passing> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)]);
  return {
    ...of,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.concat(chunks).toString(),
  };
}
