import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { GrpcChecker } from '../../../src/checker/grpc/grpc.checker';
import {
  CANARY,
  type CheckerBench,
  describeChecker,
  type LiveTarget,
  runCheck,
} from '../../../packages/testing/checker/describe-checker';
import { TlsAuthority } from '../../harness/servers/tls-authority';
import { dialerWith } from '../../../packages/testing/checker/network';
import { closedPort } from '../../../packages/testing/servers/tcp-target';
import { eventually } from '../../../packages/testing/eventually';
import { hostileServers } from './hostile-bytes';

interface GrpcTarget extends LiveTarget {
  close: () => Promise<void>;
}

/** A gRPC server on the HTTP/2 of Node. `answer` writes the message, and returns the status of the call. */
async function listen(
  answer: (stream: ServerHttp2Stream, service: string, headers: object) => string,
): Promise<GrpcTarget> {
  const server: Http2Server = createServer();
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted++;
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
  });
  server.on('sessionError', () => {});
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const message = Buffer.concat(chunks);
      const isRight = headers[':path'] === '/grpc.health.v1.Health/Check' && headers['te'] === 'trailers';
      stream.respond({ ':status': isRight ? 200 : 404, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      let status = '2';
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }));
      // The message has a prefix of 5 bytes, and the field the tag 0x0a and its length.
      status = answer(stream, message.toString('utf8', 7), headers);
      stream.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `grpc://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived: () => accepted,
    untilLeft: async () => void (await eventually('every connection to be closed', () => sockets.size === 0)),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A `HealthCheckResponse` with this state. */
const health = (state: number): Buffer => Buffer.from([0, 0, 0, 0, 2, 8, state]);

const saying =
  (message: Buffer, status = '0') =>
  (stream: ServerHttp2Stream): string => {
    stream.write(message);
    return status;
  };

async function open(): Promise<CheckerBench> {
  const up = await listen((stream, service, headers) => {
    const isKnown = service === 'shop.v1.Checkout' && 'authorization' in headers;
    return isKnown ? saying(health(1))(stream) : '5';
  });
  const wrong = {
    'is not serving': await listen(saying(health(2))),
    'does not know the service': await listen(() => '5'),
    'sends 5 KiB': await listen(saying(Buffer.alloc(5 * 1024))),
    'sends a compressed message': await listen(saying(Buffer.from([1, 0, 0, 0, 2, 8, 1]))),
    'sends a message that is cut off': await listen(saying(Buffer.from([0, 0, 0, 0, 3, 8, 0x80, 0x80]))),
    'announces 4 GiB': await listen(saying(Buffer.from([0, 255, 255, 255, 255, 8, 1]))),
  };
  const { hostile, silent, close } = await hostileServers((authority) => `grpc://${authority}`);
  return {
    checker: new GrpcChecker(dialerWith()),
    up,
    refused: { url: `grpc://127.0.0.1:${await closedPort()}`, code: 'connection_refused', phase: 'connect' },
    silent: { ...silent, code: 'first_byte_timeout', phase: 'first_byte' },
    hostile: [
      ...hostile,
      ...Object.entries(wrong).map(([name, target]) => ({ ...target, name, outcome: 'down' as const })),
    ],
    close: async () => {
      await Promise.all([up.close(), close(), ...Object.values(wrong).map((target) => target.close())]);
    },
  };
}

describeChecker({
  type: 'GRPC',
  open,
  settings: { service: 'shop.v1.Checkout', metadata: [{ key: 'authorization', value: `Bearer ${CANARY}` }] },
  accepted: [
    ['grpc://Example.com:50051', { host: 'example.com', port: 50051, secure: false }],
    ['grpcs://[::1]:443', { host: '::1', port: 443, secure: true }],
  ],
  rejected: ['', 'grpc://example.com', 'http://example.com:80', 'grpc://example.com:1/x'],
});

describe('A gRPC check', () => {
  it('verifies and reports the certificate of a server with TLS, and sends nothing to a server without a valid one', async () => {
    const authority = await TlsAuthority.create();
    let calls = 0;
    const server = createSecureServer(await authority.issue({ untilDays: 10 }));
    server.on('stream', (stream) => {
      calls++;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(health(1));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `grpcs://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const trusting = new GrpcChecker(dialerWith({ roots: [authority.rootPem] }));
    expect(await runCheck(trusting, url, { certificateWarnDays: 14 })).toMatchObject({
      outcome: 'up',
      certificate: { issuer: 'Test Root' },
      warning: { code: 'certificate_expiring' },
    });
    expect((await runCheck(new GrpcChecker(dialerWith()), url)).error).toMatchObject({ code: 'tls_untrusted' });
    expect(calls).toBe(1);
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    [saying(health(2)), 'The service is NOT_SERVING.'],
    [() => '12', 'The server did not report its health: it does not implement grpc.health.v1 (UNIMPLEMENTED).'],
    [saying(health(7)), 'The server sent an invalid health report.'],
  ])('explains what a server answers', async (answer, sentence) => {
    const target = await listen(answer);
    const result = await runCheck(new GrpcChecker(dialerWith()), target.url);
    expect(result.error?.message).toBe(sentence);
    await target.close();
  });
});
