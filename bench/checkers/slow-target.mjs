// Responds to every request after 50 ms, and states in a header how long it really took. Ends with its parent.
import net from 'node:net';

const DELAY_MS = 50;
const body = 'x'.repeat(512);

/** Pending responses, in order: one timer serves them all. */
const due = [];

function pump() {
  while (due.length > 0 && due[0].at - performance.now() < 0.5) {
    const { socket, from } = due.shift();
    const delay = (performance.now() - from).toFixed(3);
    socket.end(
      `HTTP/1.1 200 OK\r\nX-Delay: ${delay}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
}
setInterval(pump, 1);

const server = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => {
    const from = performance.now();
    due.push({ socket, from, at: from + DELAY_MS });
  });
});
server.listen(0, '127.0.0.1', 8192, () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
