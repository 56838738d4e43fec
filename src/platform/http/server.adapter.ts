import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { newUuid } from '../ids/id';
import { Problem } from '../problem/problem';
import { toProblemView } from '../problem/problem.view';
import { serveReaders } from './unread-answers';

/** Limits against slow and greedy clients; Node's defaults are far longer (60 s, 300 s, checked every 30 s). */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 1000,
};
const MAX_CONNECTIONS = 12_000;

const CLIENT_ERRORS: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem('headers_too_large', 'The request headers may have at most 16 KiB.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem('request_timeout', 'The request did not arrive in time.'),
};

/** Express behind a hardened node:http server; what its parser refuses is answered as a problem too. */
export class ServerAdapter extends ExpressAdapter {
  constructor() {
    // Set before the router exists: it reads them once.
    super(
      express()
        .enable('case sensitive routing')
        .enable('strict routing')
        .disable('x-powered-by')
        .disable('etag')
        .set('query parser', 'simple'),
    );
  }

  override initHttpServer(): void {
    const server: Server = createServer(LIMITS);
    server.maxConnections = MAX_CONNECTIONS;
    serveReaders(server, this.getInstance());
    server.on('clientError', answerClientError);
    server.on('checkExpectation', (_, response) => {
      const body = rendered(new Problem('expectation_failed', 'Leave out the Expect header.'));
      response.writeHead(417, { 'Content-Type': 'application/problem+json', Connection: 'close' }).end(body);
    });
    this.setHttpServer(server);
  }
}

/** Time for the last answer to be read. */
const CLOSE_AFTER_MS = 1000;

const rendered = (problem: Problem): string => JSON.stringify(toProblemView(problem, newUuid()));

function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
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
  // A client that never closes its half would keep our descriptor for ever.
  setTimeout(() => socket.destroy(), CLOSE_AFTER_MS).unref();
}
