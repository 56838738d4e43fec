import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Application, type Request, type Response } from 'express';
import type { AuthenticatedRequest } from '../access/caller';
import { clientAddress, isTrustedProxy, networkOf } from '../access/client-network';
import type { Config } from '../config/config';
import { newUuid } from '../ids/id';
import { Problem } from '../problem/problem';
import { toProblemView } from '../problem/problem.view';
import { SECOND_MS } from '../time/time-units';
import { type ClosedBecause, limitConnections } from './load/connection-limits';
import { ENDED, endSlowReaders, UnreadResponses } from './load/unread-responses';
import type { Compression } from './compression';
import { rootFor } from './own-address';
import { Page } from './page';

/**
 * Limits against slow and greedy clients. Node's defaults are far higher (60 s, 300 s, checked every 30 s). Idle
 * connections are limited by their number.
 */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
};
const MAX_CONNECTIONS = 12_000;
/** Node's own limit. It is higher, because connections that the service closes still count for a moment. */
const MAX_SOCKETS = MAX_CONNECTIONS + 1000;
/** Memory limits for unread responses, per organization (or per address without a key) and in total. */
const UNREAD_BYTES = { perHolder: 16 * 1024 * 1024, inAll: 128 * 1024 * 1024 };

const CLIENT_ERRORS: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem('headers_too_large', 'The request headers may have at most 16 KiB.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem('request_timeout', 'The request did not arrive in time.'),
};

type RouteHandler = (request: Request, response: Response, next: unknown) => Promise<void>;

export type ConnectionClosed = ClosedBecause | 'unread';

/** Runs the handler of a route that may change something. Resolves when the handler is done. */
export type AroundChange = (request: Request, handle: () => Promise<void>) => Promise<void>;

/**
 * Runs Express on a hardened node:http server. Parser errors also become problems. Three steps run here, because with
 * global interceptors they were a third of the cost of a read. Calls `around` for each handler of a method that may
 * change something, turns a `Page` into an array and headers, and adds an `ETag` to a resource.
 */
export class ServerAdapter extends ExpressAdapter {
  /** Responses that clients have not read yet. */
  readonly unread = new UnreadResponses(UNREAD_BYTES, () => this.onClosed('unread'));
  private onClosed: (because: ConnectionClosed) => void = () => {};
  private tagOf: (body: unknown) => string | null = () => null;
  private compression: Compression | null = null;

  constructor(
    private readonly around: AroundChange,
    private readonly settings: Pick<Config, 'maxConnectionsPerAddress' | 'keepAliveSeconds'>,
  ) {
    // Must be set before the router exists, because the router reads these settings only once.
    super(
      express()
        .enable('case sensitive routing')
        .enable('strict routing')
        .disable('x-powered-by')
        .disable('etag')
        .set('query parser', 'simple'),
    );
  }

  override all(...route: unknown[]): unknown {
    return super.all(...this.wrapped(route));
  }

  override post(...route: unknown[]): unknown {
    return super.post(...this.wrapped(route));
  }

  override put(...route: unknown[]): unknown {
    return super.put(...this.wrapped(route));
  }

  override patch(...route: unknown[]): unknown {
    return super.patch(...this.wrapped(route));
  }

  override delete(...route: unknown[]): unknown {
    return super.delete(...this.wrapped(route));
  }

  /** Sends a reply. If the body is compressed first, returns a promise, which Nest awaits. */
  override reply(response: Response, body: unknown, status?: number): unknown {
    this.tag(response, body);
    const text = body instanceof Page ? pageText(response, body) : textOf(body);
    if (text === null) return this.send(response, body, status);
    if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', JSON_TYPE);
    return this.compression?.applies(response.req, response, Buffer.byteLength(text))
      ? this.compression.encode(response, text).then((encoded) => this.send(response, encoded, status))
      : this.send(response, text, status);
  }

  private send(response: Response, body: unknown, status?: number): unknown {
    // Nest would turn bytes into a string.
    return Buffer.isBuffer(body)
      ? response.status(status ?? response.statusCode).send(body)
      : super.reply(response, body, status);
  }

  /** Sets the callback for each connection that the service closes to enforce its limits. */
  watchClosed(onClosed: (because: ConnectionClosed) => void): void {
    this.onClosed = onClosed;
  }

  /**
   * Sets what replies need from the application, which is created with this adapter. `tagOf` returns the tag of a
   * returned resource, or `null`.
   */
  completeReplies(tagOf: (body: unknown) => string | null, compression: Compression): void {
    this.tagOf = tagOf;
    this.compression = compression;
  }

  override initHttpServer(): void {
    const keepAliveTimeout = this.settings.keepAliveSeconds * SECOND_MS;
    const server: Server = createServer({ ...LIMITS, keepAliveTimeout });
    server.maxConnections = MAX_SOCKETS;
    const app: Application = this.getInstance();
    limitConnections(
      server,
      { perAddress: this.settings.maxConnectionsPerAddress, inAll: MAX_CONNECTIONS },
      (because) => this.onClosed(because),
      (address) => isTrustedProxy({ app }, address),
    );
    // Must be registered before the handler, which may end a response immediately.
    server.on('request', (_, response: Response) => {
      response.once(ENDED, () => this.unread.count(response, () => holderOf(response.req)));
    });
    endSlowReaders(server, this.getInstance());
    server.on('clientError', respondToClientError);
    server.on('checkExpectation', (_, response) => {
      const body = rendered(new Problem('expectation_failed', 'Remove the Expect header.'));
      response.writeHead(417, { 'Content-Type': 'application/problem+json', Connection: 'close' }).end(body);
    });
    this.setHttpServer(server);
  }

  /**
   * The tag covers only the settings, but the body contains more. So Express must not send 304 if only the tag is
   * unchanged.
   */
  private tag(response: Response, body: unknown): void {
    const tag = this.tagOf(body);
    if (tag === null) return;
    response.setHeader('ETag', tag);
    delete response.req.headers['if-none-match'];
  }

  /** `route` is a path and its handler, as registered by Nest. */
  private wrapped([path, handler]: readonly unknown[]): [path: unknown, handler: RouteHandler] {
    const handle = handler as RouteHandler;
    return [path, (request, response, next) => this.around(request, () => handle(request, response, next))];
  }
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Returns the holder whose memory limit an unread response counts toward. */
const holderOf = (request: AuthenticatedRequest): string => request.caller?.orgId ?? networkOf(clientAddress(request));

/** Serializes a page. The size in bytes determines where the page is cut, and therefore the cursor in the headers. */
function pageText(response: Response, page: Page<unknown>): string {
  const { json, nextCursor } = page.toJson();
  writePageHeaders({ total: page.total, nextCursor }, response.req, response);
  return json;
}

/**
 * Serializes plain objects and arrays. Returns `null` for values that Express or Nest turn into a body: strings, files,
 * errors, or nothing.
 */
const textOf = (body: unknown): string | null =>
  Array.isArray(body) || (typeof body === 'object' && body !== null && isPlain(body)) ? JSON.stringify(body) : null;
const isPlain = (body: object): boolean =>
  !(body instanceof Error) && !(body instanceof StreamableFile) && !Buffer.isBuffer(body);

/** How long a client may take to read the last response. */
const CLOSE_AFTER_MS = 1000;

const rendered = (problem: Problem): string => JSON.stringify(toProblemView(problem, newUuid()));

function respondToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const problem = CLIENT_ERRORS[error.code ?? ''] ?? new Problem('bad_request', 'The request is not valid HTTP.');
  const body = rendered(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // A client that never closes its side would keep the file descriptor open forever.
  setTimeout(() => socket.destroy(), CLOSE_AFTER_MS).unref();
}

/** Writes the total and the link to the next page as headers, so that the body can be a plain array. */
function writePageHeaders(
  page: Pick<Page<unknown>, 'total' | 'nextCursor'>,
  request: Request,
  response: Response,
): void {
  if (page.total !== null) response.setHeader('X-Total-Count', String(page.total));
  if (page.nextCursor === null) return;
  const url = new URL(request.originalUrl, 'http://localhost');
  url.searchParams.set('cursor', page.nextCursor);
  response.setHeader('Link', `<${rootFor(request)}${url.pathname}${url.search}>; rel="next"`);
  response.setHeader('X-Next-Cursor', page.nextCursor);
}
