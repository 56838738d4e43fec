import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import type { CheckResult } from '../../../src/checker/checker';
import { always, rawResponse, type HttpScript, type HttpTarget } from '../../../packages/testing/servers/http-target';
import { slam } from '../../../packages/testing/servers/tcp-target';
import type { LiveTarget } from '../../../packages/testing/checker/describe-checker';

export const liveHttp = (target: HttpTarget): LiveTarget => ({
  url: target.url(),
  arrived: () => target.tcp.accepted,
  untilLeft: () => target.tcp.untilLeft(),
});

/** Writes `chunk` repeatedly until the client disconnects. */
function pour(socket: Socket, chunk: string | Uint8Array): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

/** Writes one byte every few milliseconds until the client disconnects. */
export function drip(socket: Socket, bytes: Iterable<string>, everyMs = 20): void {
  const source = bytes[Symbol.iterator]();
  const timer = setInterval(() => {
    const next = source.next();
    if (next.done || socket.destroyed) clearInterval(timer);
    else socket.write(next.value);
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}

function* forever(byte: string): Generator<string> {
  for (;;) yield byte;
}

const HEAD = 'HTTP/1.1 200 OK\r\n';

/** Responses that have crashed other clients or blocked them forever. */
export const hostileScripts: { name: string; script: HttpScript; outcome: CheckResult['outcome'] }[] = [
  {
    name: 'a body without end',
    script: (_request, socket) => {
      socket.write(`${HEAD}\r\n`);
      pour(socket, Buffer.alloc(65_536, 'x'));
    },
    outcome: 'up',
  },
  {
    name: 'chunks without end',
    script: (_request, socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
      pour(socket, `1000\r\n${'x'.repeat(4096)}\r\n`);
    },
    outcome: 'up',
  },
  {
    name: 'five gigabytes announced, one byte at a time',
    script: (_request, socket) => {
      socket.write(`${HEAD}Content-Length: 5000000000\r\n\r\n`);
      drip(socket, forever('x'));
    },
    outcome: 'down',
  },
  {
    name: 'headers one byte at a time',
    script: (_request, socket) => {
      socket.write(`${HEAD}X-Slow: `);
      drip(socket, forever('x'));
    },
    outcome: 'down',
  },
  {
    name: 'a compression bomb that nobody has to open',
    script: always(
      Buffer.concat([
        Buffer.from(`${HEAD}Content-Encoding: gzip\r\n\r\n`),
        gzipSync(Buffer.alloc(50_000_000), { level: 9 }),
      ]),
    ),
    outcome: 'up',
  },
  {
    name: 'a hundred thousand headers',
    script: (_request, socket) => {
      socket.write(HEAD);
      pour(socket, 'X-A: b\r\n'.repeat(1000));
    },
    outcome: 'down',
  },
  { name: 'a header of one megabyte', script: always(`${HEAD}X-A: ${'b'.repeat(1_000_000)}\r\n\r\n`), outcome: 'down' },
  { name: 'a bad status line', script: always('HTTP/1.1 OK\r\n\r\n'), outcome: 'down' },
  { name: 'a status of four digits', script: always('HTTP/1.1 2000 OK\r\n\r\n'), outcome: 'down' },
  { name: 'HTTP/0.9', script: always('<html>hello</html>'), outcome: 'down' },
  { name: 'another protocol', script: always('SSH-2.0-OpenSSH_9.2\r\n'), outcome: 'down' },
  { name: 'nothing but an end', script: (_request, socket) => socket.end(), outcome: 'down' },
  { name: 'a reset instead of a response', script: (_request, socket) => slam(socket), outcome: 'down' },
  {
    name: 'interim answers without end',
    script: (_request, socket) => drip(socket, forever('HTTP/1.1 102 Processing\r\n\r\n'), 5),
    outcome: 'down',
  },
  { name: 'a body that is cut', script: always(`${HEAD}Content-Length: 100\r\n\r\nshort`), outcome: 'down' },
  { name: 'chunks that are cut', script: always(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nab`), outcome: 'down' },
  {
    name: 'two lengths that differ',
    script: always(`${HEAD}Content-Length: 1\r\nContent-Length: 5\r\n\r\nhello`),
    outcome: 'down',
  },
  {
    name: 'a length and chunks at once',
    script: always(`${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    outcome: 'down',
  },
  {
    name: 'a chunk that is no number',
    script: always(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    outcome: 'down',
  },
  {
    name: 'a switch to another protocol',
    script: always('HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    outcome: 'down',
  },
  { name: 'NUL in a header', script: always(`${HEAD}X-A: a\u0000b\r\n\r\n`), outcome: 'down' },
  {
    name: 'bytes at random',
    script: always(Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 167 + 13) & 0xff))),
    outcome: 'down',
  },
  { name: 'a redirect without an address', script: always(rawResponse(302)), outcome: 'down' },
  {
    name: 'a redirect to nonsense',
    script: always(rawResponse(302, '', { Location: 'http://[::1' })),
    outcome: 'down',
  },
  { name: 'a redirect to itself', script: always(rawResponse(302, '', { Location: '/' })), outcome: 'down' },
];
