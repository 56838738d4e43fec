import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * A port that doesn't respond to any packet. A stopped process listens on it with a full accept queue, so the kernel
 * drops every SYN, like a firewall would.
 */
export class DeafPort {
  private constructor(
    readonly port: number,
    private readonly listener: ChildProcess,
    private readonly queued: Socket[],
  ) {}

  static async open(): Promise<DeafPort> {
    const listener = spawn(process.execPath, ['-e', LISTENER], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: listener.stdout }), 'line')) as [string];
    listener.kill('SIGSTOP');
    const deaf = new DeafPort(Number(line), listener, []);
    while (await deaf.queuesOneMore());
    return deaf;
  }

  close(): void {
    for (const socket of this.queued) socket.destroy();
    this.listener.kill('SIGKILL');
  }

  private queuesOneMore(): Promise<boolean> {
    const socket = connect(this.port, '127.0.0.1');
    socket.on('error', () => {});
    this.queued.push(socket);
    return new Promise((resolve) => {
      // If a connection was established while this process was stalled, it is noticed first.
      const full = setTimeout(() => setImmediate(() => resolve(false)), 500);
      socket.once('connect', () => {
        clearTimeout(full);
        resolve(true);
      });
    });
  }
}

const LISTENER = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));
`;
