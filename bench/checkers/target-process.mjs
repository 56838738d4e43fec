// Serves the benchmark's targets as cheaply as Node can. Exits when its parent does.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import dns from 'dns-packet';
import ssh2 from 'ssh2';

const directory = process.argv[2];
const read = (name) => readFileSync(join(directory, name));
const page = 'x'.repeat(2048);
const reply = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${page.length}\r\nConnection: close\r\n\r\n${page}`,
);

const respond = (socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end(reply));
};

async function listen(server) {
  server.listen(0, '127.0.0.1', 8192);
  await once(server, 'listening');
  return server.address().port;
}

const identity = { key: read('leaf.key'), cert: Buffer.concat([read('leaf.pem'), read('between.pem')]) };
const hostKey = ssh2.utils.generateKeyPairSync('ed25519').private;
const ssh = new ssh2.Server({ hostKeys: [hostKey] }, (client) => client.on('error', () => {}));

const resolver = createSocket({ type: 'udp4', recvBufferSize: 4_000_000 });
resolver.on('message', (packet, from) => {
  const { id, questions } = dns.decode(packet);
  const answers = [{ type: 'A', name: questions[0].name, ttl: 300, data: '192.0.2.1' }];
  const flags = dns.RECURSION_DESIRED | dns.RECURSION_AVAILABLE;
  resolver.send(dns.encode({ type: 'response', id, flags, questions, answers }), from.port, from.address);
});
resolver.bind(0, '127.0.0.1');
await once(resolver, 'listening');

process.on('disconnect', () => process.exit());
process.send({
  http: await listen(net.createServer(respond)),
  https: await listen(tls.createServer(identity, respond)),
  tcp: await listen(net.createServer((socket) => socket.on('error', () => {}).resume())),
  dns: resolver.address().port,
  ssh: await listen(ssh),
});
