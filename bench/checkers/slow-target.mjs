// Responds to every request for /<number> after 50 ms, and finally reports to its parent how long each response
// actually took. Exits when its parent does.
import net from 'node:net';

const DELAY_MS = 50;
const body = 'x'.repeat(512);

/** Pending responses, in order. One timer serves them all. */
const due = [];
/** In milliseconds, by the number in the path. */
const delays = [];

function pump() {
  while (due.length > 0 && due[0].at - performance.now() < 0.5) {
    const { socket, from, number } = due.shift();
    delays[number] = performance.now() - from;
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
  }
}
setInterval(pump, 1);

const server = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', (head) => {
    const from = performance.now();
    const number = Number(/^GET \/(\d+) /.exec(head.toString('latin1'))?.[1]);
    due.push({ socket, from, number, at: from + DELAY_MS });
  });
});
server.listen(0, '127.0.0.1', 8192, () => process.send(server.address().port));
process.on('message', () => process.send(delays));
process.on('disconnect', () => process.exit());
