import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { WebSocketChecker } from '../../../src/checker/websocket/websocket.checker';
import {
  CANARY,
  type CheckerBench,
  describeChecker,
  type LiveTarget,
  runCheck,
} from '../../../packages/testing/checker/describe-checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { closedPort, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { hostileServers } from './hostile-bytes';

/** A frame of a server with a payload of less than 126 bytes. */
const frame = (first: number, payload: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from([first, Buffer.byteLength(payload)]), Buffer.from(payload as string)]);

interface Talk {
  /** Sent as soon as the socket is open. */
  greets?: readonly (string | Buffer)[];
  /** Called with each text message of the client. */
  answer?: (text: string) => Buffer | null;
  headers?: string;
  accept?: string;
}

/** A server of RFC 6455 that takes only masked frames. */
const webSocket =
  ({ greets = [], answer = () => null, headers = '', accept }: Talk) =>
  (socket: Socket): void => {
    let received = Buffer.alloc(0);
    let isOpen = false;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!isOpen) {
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        const head = received.toString('latin1', 0, end);
        received = received.subarray(end + 4);
        const key = /^sec-websocket-key: (\S{24})\r?$/im.exec(head)?.[1] ?? '';
        const right = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
        const isAsked = /^upgrade: websocket\r?$/im.test(head) && head.includes(`Authorization: Bearer ${CANARY}`);
        isOpen = true;
        socket.write(
          isAsked
            ? `HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: ${accept ?? right}\r\n${headers}\r\n`
            : 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n',
        );
        for (const bytes of greets) socket.write(bytes);
      }
      for (;;) {
        const [first, second] = received;
        if (first === undefined || second === undefined) return;
        const length = second & 0x7f;
        if ((second & 0x80) === 0 || length > 125) return void socket.destroy();
        if (received.length < 6 + length) return;
        const mask = received.subarray(2, 6);
        const text = Buffer.from(received.subarray(6, 6 + length).map((byte, i) => byte ^ (mask[i % 4] ?? 0)));
        received = received.subarray(6 + length);
        const reply = (first & 0x0f) === 1 ? answer(text.toString('utf8')) : null;
        if (reply) socket.write(reply);
      }
    });
  };

const urlOf = (authority: string): string => `ws://${authority}/live?x=1`;
const live = (target: TcpTarget): LiveTarget => ({
  url: urlOf(target.authority),
  arrived: () => target.accepted,
  untilLeft: () => target.untilLeft(),
});

const headers = [{ key: 'Authorization', value: `Bearer ${CANARY}` }];

async function open(): Promise<CheckerBench> {
  // The answer comes after a ping, in two fragments.
  const fragments = [frame(0x89, 'are you there'), frame(0x01, 'po'), frame(0x80, 'ng')];
  const up = await TcpTarget.listen(
    webSocket({ answer: (text) => (text === 'ping' ? Buffer.concat(fragments) : null) }),
  );
  const saying = (...greets: (string | Buffer)[]) => webSocket({ greets });
  const { hostile, silent, close } = await hostileServers(urlOf, {
    'sends a wrong accept key': webSocket({ accept: 'x' }),
    'selects an extension': webSocket({ headers: 'Sec-WebSocket-Extensions: permessage-deflate\r\n' }),
    'selects a subprotocol': webSocket({ headers: 'Sec-WebSocket-Protocol: chat\r\n' }),
    'sends a masked frame': saying(Buffer.from([0x81, 0x84, 0, 0, 0, 0, 0x70, 0x6f, 0x6e, 0x67])),
    'sets reserved bits': saying(frame(0xc1, 'pong')),
    'announces 2^63 bytes': saying(Buffer.from([0x81, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255])),
    'sends a fragment of a ping': saying(frame(0x09, 'x')),
    'continues a message that it did not start': saying(frame(0x80, 'pong')),
    'closes before the answer': saying(frame(0x88, '')),
    'sends empty frames without end': saying(...Array.from({ length: 1100 }, () => frame(0x81, ''))),
    'answers with a page': (socket) => {
      socket.on('error', () => {}).on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    },
  });
  return {
    checker: new WebSocketChecker(dialerWith()),
    up: live(up),
    refused: { url: urlOf(`127.0.0.1:${await closedPort()}`), code: 'connection_refused', phase: 'connect' },
    silent: { ...silent, code: 'first_byte_timeout', phase: 'first_byte' },
    hostile,
    close: async () => {
      await Promise.all([up.close(), close()]);
    },
  };
}

describeChecker({
  type: 'WEBSOCKET',
  open,
  settings: { headers, send: 'ping', expect: 'pong' },
  accepted: [
    ['ws://Example.com', { host: 'example.com', port: 80, secure: false, path: '/' }],
    ['wss://example.com:8443/a?b=c', { host: 'example.com', port: 8443, secure: true, path: '/a?b=c' }],
  ],
  rejected: ['', 'ws://', 'http://example.com', 'ws://user@example.com', 'ws://example.com/#a', 'ws://example.com:0'],
});

describe('A WebSocket check', () => {
  it('is up as soon as the connection is open, and requires the subprotocol that it asks for', async () => {
    const target = await TcpTarget.listen(webSocket({ headers: 'Sec-WebSocket-Protocol: graphql-ws\r\n' }));
    const check = (settings: object) =>
      runCheck(new WebSocketChecker(dialerWith()), urlOf(target.authority), { settings: { headers, ...settings } });
    expect(await check({ subprotocol: 'graphql-ws' })).toMatchObject({ outcome: 'up', statusCode: 101 });
    expect((await check({ subprotocol: 'mqtt' })).error?.message).toBe(
      'The server did not select the subprotocol mqtt.',
    );
    await target.close();
  });

  it('shows the status of a server that refuses', async () => {
    const target = await TcpTarget.listen(webSocket({}));
    const result = await runCheck(new WebSocketChecker(dialerWith()), urlOf(target.authority));
    expect(result).toMatchObject({ outcome: 'down', statusCode: 401 });
    await target.close();
  });
});
