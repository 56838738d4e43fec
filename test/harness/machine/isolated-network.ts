import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { CABLE, obstacleTo } from './namespace';
import type { DoorOrder } from './namespace-door';

/** Why two network namespaces can't be joined by a virtual cable on this machine, or `null`. */
export const noIsolatedNetwork = obstacleTo(
  ...CABLE,
  'sysctl -qw net.ipv6.conf.v0.accept_dad=0',
  'ip addr add fd77::1/64 dev v0',
  'nft add table inet deaf',
  'mount --bind /etc/hosts /etc/resolv.conf',
  'nsenter --version > /dev/null',
);

/** A namespace that is kept open by a process inside it. */
class Namespace {
  private orders = 0;
  private readonly waiting = new Map<number, (server: Server | undefined) => void>();

  private constructor(private readonly door: ChildProcess) {
    door.on('message', ({ number }: DoorOrder, handle) => this.waiting.get(number)?.(handle as Server | undefined));
  }

  static async open(): Promise<Namespace> {
    const file = join(__dirname, 'namespace-door.ts');
    const door = spawn('unshare', ['-n', process.execPath, '-r', './scripts/typescript.cjs', file], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const namespace = new Namespace(door);
    await namespace.order({});
    return namespace;
  }

  get pid(): number {
    if (this.door.pid === undefined) throw new Error('the namespace was not opened');
    return this.door.pid;
  }

  /** The prefix for a command that runs in the namespace. */
  get entry(): string[] {
    return ['nsenter', '-t', String(this.pid), '-n'];
  }

  run(...lines: string[]): void {
    const [command, ...words] = [...this.entry, 'sh', '-ec', lines.join('\n')];
    execFileSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  }

  order(what: Omit<DoorOrder, 'number'>, handle?: Server): Promise<Server | undefined> {
    const number = ++this.orders;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, resolve);
      this.door.once('exit', () => reject(new Error('the process in the namespace has ended')));
      this.door.send({ number, ...what }, handle, (error) => error && reject(error));
    });
  }

  async close(): Promise<void> {
    if (this.door.exitCode !== null || this.door.signalCode !== null) return;
    this.door.disconnect();
    await once(this.door, 'exit');
  }
}

const MONITOR = ['10.77.0.1/16', 'fd77::1/64'];
const WORLD = ['10.77.0.2/16', 'fd77::2/64'];
const SERVICE_PORT = 8080;
const DATABASE_PORT = 5432;

/**
 * The monitor's machine and the rest of the world: two network namespaces joined by one virtual cable, which carries
 * the monitor's default routes for IPv4 and IPv6. The settings of the machine that runs the test don't change. The test
 * can reach the service's API and provide its database no matter what state the cable is in.
 */
export class IsolatedNetwork {
  private readonly relays: Server[] = [];

  private constructor(
    private readonly monitor: Namespace,
    private readonly world: Namespace,
  ) {}

  static async start(): Promise<IsolatedNetwork> {
    const [monitor, world] = await Promise.all([Namespace.open(), Namespace.open()]);
    monitor.run(
      'ip link set lo up',
      'ip link add v0 type veth peer name v1',
      `ip link set v1 netns ${world.pid}`,
      ...MONITOR.map((address) => `ip addr add ${address} dev v0`),
    );
    world.run(
      'ip link set lo up',
      // Without duplicate address detection, addresses can be used immediately.
      'sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.v1.accept_dad=0',
      ...WORLD.map((address) => `ip addr add ${address} dev v1`),
      'ip link set v1 up',
    );
    const network = new IsolatedNetwork(monitor, world);
    network.connect();
    return network;
  }

  /** Plugs in the cable and adds the default routes. */
  connect(): void {
    this.monitor.run(
      'sysctl -qw net.ipv6.conf.v0.accept_dad=0',
      'ip link set v0 up',
      'ip addr replace fd77::1/64 dev v0',
      'ip route replace default via 10.77.0.2',
      'ip -6 route replace default via fd77::2',
    );
  }

  /** Takes down the monitor's interface. No route is left, and connections fail immediately. */
  disconnect(): void {
    this.monitor.run('ip link set v0 down');
  }

  /** Drops every packet to the world that matches the nft condition (by default all), until `hear`. */
  ignore(condition = ''): void {
    this.world.run(
      'nft add table inet deaf',
      `nft 'add chain inet deaf input { type filter hook input priority 0; }'`,
      `nft 'add rule inet deaf input ${condition} drop'`,
    );
  }

  /** Cancels all `ignore` calls. */
  hear(): void {
    this.world.run('nft flush ruleset');
  }

  /** Removes the monitor's IPv6 address and every IPv6 route. IPv4 isn't affected. */
  loseIpv6(): void {
    this.monitor.run('ip -6 addr flush dev v0', 'ip -6 route flush default || true');
  }

  /** The address must be in the form `10.77.x.y`. */
  addAddress(address: string): void {
    this.world.run(`ip addr add ${address}/16 dev v1`);
  }

  /** The prefix for the service's command. The service sees the file `resolvConf` as /etc/resolv.conf. */
  entry(resolvConf?: string): string[] {
    if (resolvConf === undefined) return this.monitor.entry;
    const mount = 'mount --bind "$0" /etc/resolv.conf; exec "$@"';
    return [...this.monitor.entry, 'unshare', '-m', 'sh', '-ec', mount, resolvConf];
  }

  /** Environment variables for a service that is started with `entry`. */
  readonly env = { HOST: '127.0.0.1', PORT: String(SERVICE_PORT) };

  /** Returns the URL at which the service's API can be reached from outside, even without the cable. */
  async serviceUrl(): Promise<string> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await this.monitor.order({ forward: { host: '127.0.0.1', port: SERVICE_PORT } }, server);
    server.close();
    return `http://127.0.0.1:${port}`;
  }

  /**
   * Lets the monitor reach a PostgreSQL server on this machine. Returns the URL to use there, which works even without
   * the cable.
   */
  async databaseUrl(url: string): Promise<string> {
    const lent = new URL(url);
    await this.relay(this.monitor, '127.0.0.1', DATABASE_PORT, Number(lent.port));
    lent.port = String(DATABASE_PORT);
    return lent.href;
  }

  /** Makes a server on one of this machine's loopback ports reachable at `host:port` in the world. */
  async serve(host: string, port: number, localPort: number): Promise<void> {
    await this.relay(this.world, host, port, localPort);
  }

  /** Starts a DNS server at `host` that resolves every name to `address`. */
  async serveNames(host: string, address: string): Promise<void> {
    await this.world.order({ names: { host, address } });
  }

  async close(): Promise<void> {
    for (const relay of this.relays) relay.close();
    await Promise.all([this.monitor.close(), this.world.close()]);
  }

  private async relay(inside: Namespace, host: string, port: number, localPort: number): Promise<void> {
    const server = await inside.order({ listen: { host, port } });
    if (!server) throw new Error(`no listener at ${host}:${port}`);
    server.on('connection', (socket) => pipeline(socket, connect(localPort, '127.0.0.1'), socket, () => {}));
    this.relays.push(server);
  }
}
