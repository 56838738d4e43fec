import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as secure } from 'node:tls';
import { readUrl } from '../../platform/text/read-url';
import type { ServerAccess } from '../../platform/config/probe-config';
import { isDirect } from './proxy-rules';

/** One connection that waits, one that sends, and a spare one in case a connection breaks. */
const MOST_SOCKETS = 3;
const CONNECT_MS = 10_000;

/** Returns the proxy for the service, or `null`. A URL without HTTPS is accessed without the proxy. */
function proxyOf({ url, proxy, noProxy }: ServerAccess): URL | null {
  const { protocol, hostname, port } = new URL(url);
  const isPassedBy = proxy === null || protocol !== 'https:' || isDirect(noProxy, hostname, Number(port || 443));
  return isPassedBy ? null : readUrl(proxy);
}

/** Returns the `host:port` that the probe connects to. */
export function targetOf(access: ServerAccess): string {
  const { protocol, hostname, port } = proxyOf(access) ?? new URL(access.url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/**
 * Creates the agent for connections to the service. They are kept open between requests. With HTTPS, they use the
 * configured proxy.
 */
export function agentFor(access: ServerAccess): HttpAgent {
  const { url, ca } = access;
  const kept = { keepAlive: true, maxSockets: MOST_SOCKETS };
  if (!url.startsWith('https:')) return new HttpAgent(kept);
  const trust = {
    ...kept,
    minVersion: 'TLSv1.2' as const,
    ...(ca === null ? {} : { ca, allowPartialTrustChain: true }),
  };
  const proxy = proxyOf(access);
  return proxy === null ? new HttpsAgent(trust) : new ProxyAgent(proxy, trust);
}

/**
 * Connects through a proxy with CONNECT, so that the proxy can't read the traffic. The certificate is the service's
 * own.
 */
class ProxyAgent extends HttpsAgent {
  constructor(
    private readonly proxy: URL,
    private readonly trust: AgentOptions,
  ) {
    super(trust);
  }

  /** Node calls this for each connection, and uses the one passed to `connected`. */
  override createConnection(
    options: RequestOptions,
    connected?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const host = String(options.host ?? options.hostname);
    const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${options.port ?? 443}`;
    const name = isIP(host) ? { host } : { host, servername: host };
    tunnel(this.proxy, authority).then(
      (socket) => connected?.(null, secure({ ...this.trust, ...name, socket })),
      // If there is an error, Node ignores the other argument.
      (error: unknown) => connected?.(error instanceof Error ? error : new Error(String(error)), NO_STREAM),
    );
    return undefined;
  }
}

const NO_STREAM = undefined as unknown as Duplex;

/** Opens a connection to `authority` through the proxy. Rejects with the proxy's message, without its credentials. */
function tunnel(proxy: URL, authority: string): Promise<Socket> {
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const basic = Buffer.from(credentials).toString('base64');
  return new Promise((resolve, reject) => {
    const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      agent: false,
      headers: { host: authority, ...(proxy.username === '' ? {} : { 'proxy-authorization': `Basic ${basic}` }) },
      timeout: CONNECT_MS,
    });
    request.once('timeout', () => request.destroy(new Error('the proxy does not respond')));
    request.once('error', reject);
    request.once('response', (response) => {
      response.resume();
      reject(new Error(`the proxy responded with status ${response.statusCode ?? 0}`));
    });
    request.once('connect', (response, socket) => {
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy responded with status ${response.statusCode ?? 0}`));
    });
    request.end();
  });
}
