import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { TcpTarget } from './tcp-target';

/** A request's head as sent, and its body. */
export interface SeenRequest {
  method: string;
  path: string;
  /** As sent, in order. */
  headers: [name: string, value: string][];
  body: string;
}

/** Responds to one request by writing to its socket. */
export type HttpScript = (request: SeenRequest, socket: Socket) => void;

/** A web server whose scripts write raw bytes, which may be invalid HTTP. It records every request. */
export class HttpTarget {
  private constructor(
    readonly tcp: TcpTarget,
    /** Every request so far, oldest first. */
    readonly seen: readonly SeenRequest[],
    private readonly scheme: 'http' | 'https',
  ) {}

  static async listen(script: HttpScript, options: { host?: string; tls?: TlsOptions } = {}): Promise<HttpTarget> {
    const seen: SeenRequest[] = [];
    const converse = (socket: Socket) => {
      let text = '';
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const request = parse(text);
        if (!request) return;
        text = '';
        seen.push(request);
        script(request, socket);
      });
    };
    const tcp = await TcpTarget.listen(converse, options);
    return new HttpTarget(tcp, seen, options.tls ? 'https' : 'http');
  }

  /** Returns the URL of a path on this server. `host` replaces the IP address that it listens on. */
  url(path = '/', host?: string): string {
    return `${this.scheme}://${host === undefined ? this.tcp.authority : `${host}:${this.tcp.port}`}${path}`;
  }

  close(): Promise<void> {
    return this.tcp.close();
  }
}

/** Returns a well-formed response as a string. */
export function rawResponse(status: number, body = '', headers: Record<string, string> = {}): string {
  const lines = Object.entries({ 'Content-Length': String(Buffer.byteLength(body)), ...headers });
  return `HTTP/1.1 ${status} Status\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** Returns a script that always sends the same response. */
export const always =
  (text: string | Uint8Array): HttpScript =>
  (_request, socket) =>
    socket.end(text);

/** Returns the value of a request header, or `undefined`. */
export const sent = (request: SeenRequest | undefined, name: string): string | undefined =>
  request?.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

function parse(text: string): SeenRequest | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const body = text.slice(end + 4);
  const length = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? '0';
  if (body.length < Number(length)) return null;
  const [method = '', path = ''] = first.split(' ');
  return { method, path, headers, body };
}
