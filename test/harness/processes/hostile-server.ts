/**
 * A program that serves hostile responses. The path contains the number of the case, and the argument is the seed. It
 * prints its port. It is a separate process, so that creating a response doesn't count as reading it.
 */
import { type AddressInfo, createServer } from 'node:net';
import { hostileCase } from '../servers/hostile-responses';

const seed = Number(process.argv[2]);

const server = createServer((socket) => {
  socket.on('error', () => {});
  let head = '';
  socket.on('data', (chunk: Buffer) => {
    head += chunk.toString('latin1');
    if (!head.includes('\r\n\r\n')) return;
    const index = /^\w+ \/(\d+)/.exec(head)?.[1] ?? '0';
    head = '';
    const { end, response } = hostileCase(seed, Number(index));
    const bytes = response();
    // A redirect points back to this server, with a different path each time.
    const place = bytes.subarray(0, 200).indexOf('%CASE%');
    const sent =
      place < 0
        ? bytes
        : Buffer.concat([bytes.subarray(0, place), Buffer.from(`/${index}/`), bytes.subarray(place + 6)]);
    socket.write(sent, () => {
      if (end === 'close') socket.end();
      else if (end === 'reset') socket.resetAndDestroy();
    });
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
