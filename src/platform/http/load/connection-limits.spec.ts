import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { limitConnections } from './connection-limits';

const LIMIT = { perAddress: 10, inAll: 90 };

describe('connections of many clients', () => {
  let server: EventEmitter;
  let closed: string[];
  beforeEach(() => {
    server = new EventEmitter();
    closed = [];
    limitConnections(server as unknown as Server, LIMIT, () => {});
  });

  /** Returns a connection to a server that only counts connections. No data is sent over it. */
  const connect = (remoteAddress: string): Socket => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      destroy: () => {
        closed.push(remoteAddress);
        socket.emit('close');
      },
    }) as unknown as Socket;
    server.emit('connection', socket);
    return socket;
  };
  const connectAll = (addresses: readonly string[]) => addresses.map(connect);
  const networks = (count: number, site: number) =>
    Array.from({ length: count }, (_, n) => `2001:db8:${site}:${(n + 1).toString(16)}::1`);

  it('from one IPv6 site can be a third of all, in one or in many of its networks', () => {
    connectAll(networks(40, 1));
    expect(closed).toEqual(networks(10, 1));
    connect('2001:db8:2::1');
    expect(closed).toHaveLength(10);
  });

  it('from one provider can be two thirds of all', () => {
    for (const site of [1, 2, 3]) connectAll(networks(25, site));
    expect(closed).toEqual(networks(15, 1));
  });

  it('beyond the limit are closed where the most are idle, and one client of a site counts as its site', () => {
    connectAll(networks(30, 1));
    connectAll(Array.from({ length: 60 }, (_, n) => `192.0.2.${n}`));
    connectAll(['198.51.100.1', '198.51.100.2']);
    expect(closed).toEqual(networks(2, 1));
  });

  it('are not counted after they are closed', () => {
    const sockets = connectAll(networks(30, 1));
    for (const socket of sockets) socket.emit('close');
    connectAll(networks(30, 1));
    expect(closed).toEqual([]);
  });
});
