import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Inflow } from './inflow';

describe('Inflow', () => {
  let server: Server;
  const peers: Socket[] = [];

  beforeEach(async () => {
    server = createServer((peer) => peers.push(peer.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.destroy();
    server.close();
  });

  const open = async (inflow: Inflow): Promise<Socket> => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', onread: inflow.onread });
    await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
    return socket;
  };

  /** Resolves with all received bytes once there are at least `length` of them. */
  const received = (inflow: Inflow, length: number): Promise<string> =>
    new Promise((resolve) => {
      let text = '';
      inflow.handTo((bytes) => {
        text += bytes.toString('latin1');
        if (text.length >= length) resolve(text);
      });
    });

  it('keeps data that arrives before it is read, in order', async () => {
    const inflow = new Inflow();
    const socket = await open(inflow);
    peers[0]?.write('early ');
    await new Promise<void>((resolve) => {
      const look = () => (socket.bytesRead > 0 ? resolve() : setImmediate(look));
      look();
    });
    const text = received(inflow, 10);
    peers[0]?.write('late');
    expect(await text).toBe('early late');
    socket.destroy();
  });

  it('gives each of many connections its own bytes, although all read into one buffer', async () => {
    const inflows = Array.from({ length: 20 }, () => new Inflow());
    const sockets: Socket[] = [];
    for (const inflow of inflows) sockets.push(await open(inflow));
    const texts = inflows.map((inflow) => received(inflow, 200_000));
    peers.forEach((peer, i) => peer.write(String.fromCharCode(65 + i).repeat(200_000)));
    const all = await Promise.all(texts);
    all.forEach((text, i) => expect(text === String.fromCharCode(65 + i).repeat(200_000)).toBe(true));
    for (const socket of sockets) socket.destroy();
  });

  it('reads nothing while the socket is paused, and continues where it stopped', async () => {
    const inflow = new Inflow();
    const socket = await open(inflow);
    socket.pause();
    let taken = 0;
    inflow.handTo((bytes) => void (taken += bytes.length));
    await new Promise<void>((resolve) => peers[0]?.write('wait', () => resolve()));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toBe(0);
    const text = received(inflow, 4);
    socket.resume();
    expect(await text).toBe('wait');
    socket.destroy();
  });

  it('still reports the end of the connection', async () => {
    const inflow = new Inflow();
    const socket = await open(inflow);
    const text = received(inflow, 3);
    peers[0]?.end('bye');
    await once(socket, 'end');
    expect(await text).toBe('bye');
    socket.destroy();
  });
});
