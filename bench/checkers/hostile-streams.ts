import type { Socket } from 'node:net';
import { silence } from '../../packages/testing/servers/tcp-target';
import { drip } from '../../test/contract/checker/http-hostility';

type StreamScript = (socket: Socket) => void;

const noise = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) & 0xff));

const sends =
  (text: string | Buffer): StreamScript =>
  (socket) =>
    void socket.resume().write(text);
const sendsAndEnds =
  (text: string | Buffer): StreamScript =>
  (socket) =>
    void socket.resume().end(text);

/** Sends for as long as the client keeps reading. */
const repeats =
  (text: string): StreamScript =>
  (socket) => {
    const more = () => {
      while (socket.writable && socket.write(text));
    };
    socket.resume().on('drain', more);
    more();
  };

function* forever(byte: string): Generator<string> {
  for (;;) yield byte;
}

const drips =
  (before = ''): StreamScript =>
  (socket) => {
    if (before) socket.write(before);
    drip(socket.resume(), forever('S'));
  };

const resets: StreamScript = (socket) => void socket.resetAndDestroy();
const resetsAfterData: StreamScript = (socket) => void socket.once('data', () => socket.resetAndDestroy());

/** SSH server behaviors by name. */
export const hostileSsh: Record<string, StreamScript> = {
  silence,
  'an identification and an end': sendsAndEnds('SSH-2.0-x\r\n'),
  'an identification and silence': sends('SSH-2.0-Tarpit\r\n'),
  'an identification and noise': sendsAndEnds(Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), noise])),
  'an identification and a key exchange that drips': drips('SSH-2.0-x\r\n'),
  'an identification and a reset': (socket) => {
    socket.write('SSH-2.0-x\r\n', () => socket.once('data', () => socket.resetAndDestroy()));
  },
  'half an identification': sends('SSH-2.0-Open'),
  'half an identification and an end': sendsAndEnds('SSH-2.0-Open'),
  'an end without a byte': sendsAndEnds(''),
  'a reset': resetsAfterData,
  'a reset at once': resets,
  'SSH 1.5': sends('SSH-1.5-old\r\n'),
  'a web server': sendsAndEnds('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'an identification of 300 characters': sends(`SSH-2.0-${'x'.repeat(300)}\r\n`),
  'lines without end': repeats('still not SSH\r\n'.repeat(100)),
  'a line without end': repeats('x'.repeat(4096)),
  'one byte at a time': drips(),
  noise: sendsAndEnds(noise),
};

/** TCP service behaviors by name. */
export const hostileTcp: Record<string, StreamScript> = {
  'a reset at once': resets,
  'data without end': repeats('x'.repeat(65_536)),
  'a megabyte at once': sends(Buffer.alloc(1_000_000, 7)),
  'an end at once': sendsAndEnds(''),
};
