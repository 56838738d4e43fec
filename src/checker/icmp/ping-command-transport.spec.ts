import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PingCommandTransport, testPingCommand, readPingOutput } from './ping-command-transport';

const iputils = 'PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n';

describe('reading the output of ping', () => {
  it.each([
    ['iputils', `${iputils}64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=12.3 ms\n`, 12.3],
    ['iputils, fast', `${iputils}64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.031 ms\n`, 0.031],
    [
      'BusyBox',
      'PING 192.0.2.1 (192.0.2.1): 56 data bytes\n64 bytes from 192.0.2.1: seq=0 ttl=64 time=4.567 ms\n',
      4.567,
    ],
    [
      'BSD',
      'PING 192.0.2.1 (192.0.2.1): 56 data bytes\n64 bytes from 192.0.2.1: icmp_seq=0 ttl=64 time=31.004 ms\n',
      31.004,
    ],
    ['Windows subsystem, below its clock', 'Reply from 192.0.2.1: bytes=32 time<1 ms TTL=64\n', 1],
  ])('finds the round-trip time in the output of %s', (_, output, rttMs) => {
    expect(readPingOutput(output)).toEqual({ kind: 'reply', rttMs });
  });

  it.each([
    ['From 192.0.2.254 icmp_seq=1 Destination Host Unreachable\n', 'host unreachable'],
    ['From 192.0.2.254 icmp_seq=1 Destination Net Unreachable\n', 'net unreachable'],
    ['From 192.0.2.254 icmp_seq=1 Packet filtered\n', 'administratively prohibited'],
    ['From 192.0.2.254 icmp_seq=1 Destination Host Unknown\n', 'host unknown'],
    ['From 192.0.2.254 icmp_seq=1 Destination Net Prohibited\n', 'net prohibited'],
    ['From 192.0.2.254 icmp_seq=1 Source Host Isolated\n', 'source host isolated'],
    ['From 192.0.2.254 icmp_seq=1 Time to live exceeded\n', 'time to live exceeded'],
    ['From 2001:db8::fe icmp_seq=1 Destination unreachable: No route\n', 'no route'],
    ['From 2001:db8::fe icmp_seq=1 Destination unreachable: Address unreachable\n', 'address unreachable'],
    [
      'From 2001:db8::fe icmp_seq=1 Destination unreachable: Administratively prohibited\n',
      'administratively prohibited',
    ],
    ['From 2001:db8::fe icmp_seq=1 Time exceeded: Hop limit\n', 'time exceeded'],
    ['92 bytes from 192.0.2.254: Destination Host Unreachable\n', 'host unreachable'],
    ['From 192.0.2.254 icmp_seq=1 Dest Unreachable, Bad Code: 20\n', 'dest unreachable, bad code: 20'],
    // One request could not be sent, and another one was rejected along the way.
    [
      'ping: sendmsg: Operation not permitted\nFrom 192.0.2.254 icmp_seq=2 Destination Host Unreachable\n',
      'host unreachable',
    ],
  ])('finds an unreachable host in %j', (line, reason) => {
    expect(readPingOutput(iputils + line)).toEqual({ kind: 'unreachable', reason });
  });

  it.each([
    ['ping: connect: Network is unreachable\n', 'ENETUNREACH'],
    ['ping: sendto: No route to host\n', 'EHOSTUNREACH'],
    ['ping: sendto: Host is down\n', 'EHOSTDOWN'],
    ['ping: connect: Cannot assign requested address\n', 'EADDRNOTAVAIL'],
    ["ping: sendto: Can't assign requested address\n", 'EADDRNOTAVAIL'],
    ['ping: socket: Address family not supported by protocol\n', 'EAFNOSUPPORT'],
    ['ping: connect: Invalid argument\n', 'EINVAL'],
    ['ping: sendmsg: Operation not permitted\n', 'EPERM'],
    ['ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\n', 'EPERM'],
    ['ping: permission denied (are you root?)\n', 'EPERM'],
  ])('finds that nothing was sent in %j', (output, code) => {
    expect(readPingOutput(output)).toEqual({ kind: 'not_sent', code });
  });

  it('finds a reply after any other lines', () => {
    const before = 'ping: sendmsg: Operation not permitted\nFrom 192.0.2.254 icmp_seq=1 Destination Host Unreachable\n';
    const output = `${iputils}${before}64 bytes from 192.0.2.1: icmp_seq=3 ttl=64 time=12.3 ms\n`;
    expect(readPingOutput(output)).toEqual({ kind: 'reply', rttMs: 12.3 });
  });

  it.each([[''], [iputils], [`${iputils}64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=12`], ['no idea\n']])(
    'finds no result yet in %j',
    (output) => {
      expect(readPingOutput(output)).toBeNull();
    },
  );
});

it('a missing ping command is reported as not installed', () => {
  expect(testPingCommand('ping-that-does-not-exist')).toBe('not installed');
});

it('a ping command that fails without a message is reported as not permitted', () => {
  expect(testPingCommand('false')).toBe('not permitted');
});

describe('the ping command', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ping-'));
  /** Creates a command that records its start and then runs the given line. */
  const script = (name: string, line: string) => {
    const path = join(directory, name);
    writeFileSync(path, `#!/bin/sh\n: > "$0.started.$$"\n${line}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const startedBy = (name: string) =>
    readdirSync(directory).filter((file) => file.startsWith(`${name}.started.`)).length;

  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  /**
   * Waits until this many processes of the script have started, then twice as long plus a second. On a busy machine,
   * the last process starts late, and each needs much more time than it spent waiting. `since` is a time before the
   * first request.
   */
  const allRunning = async (name: string, count: number, since: number) => {
    await until(() => startedBy(name) === count);
    const enough = performance.now() + 2 * (performance.now() - since) + 1000;
    await until(() => performance.now() > enough);
  };

  afterAll(() => rmSync(directory, { recursive: true }));

  it('runs at most eight processes of one organization at once, and a check without a turn does not report the host as silent', async () => {
    const transport = new PingCommandTransport(script('hang', 'exec sleep 60'));
    const stop = new AbortController();
    const since = performance.now();
    const echoes = Array.from({ length: 9 }, () => transport.echo('192.0.2.1', 'B', stop.signal));
    await allRunning('hang', 8, since);
    stop.abort();
    const results = await Promise.all(echoes);
    expect(results.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => null));
    expect(results[8]).toEqual({ kind: 'not_sent', code: 'EBUSY' });
  });

  it('does not report the host as silent if its turn comes with hardly any time left', async () => {
    const transport = new PingCommandTransport(script('deaf', 'exec sleep 60'));
    const [early, late] = [new AbortController(), new AbortController()];
    const since = performance.now();
    const echoes = Array.from({ length: 8 }, () => transport.echo('192.0.2.1', 'B', early.signal));
    const last = transport.echo('192.0.2.1', 'B', late.signal);
    await allRunning('deaf', 8, since);
    early.abort();
    await Promise.all(echoes);
    await until(() => startedBy('deaf') === 9);
    late.abort();
    expect(await last).toEqual({ kind: 'not_sent', code: 'EBUSY' });
  });

  it('serves one organization immediately while silent hosts of another organization are queued', async () => {
    const command = script('by-address', '[ "$4" = 192.0.2.9 ] && echo "64 bytes: time=1.5 ms"; exec sleep 60');
    const transport = new PingCommandTransport(command);
    const stop = new AbortController();
    const silent = Array.from({ length: 20 }, () => transport.echo('192.0.2.1', 'B', stop.signal));
    expect(await transport.echo('192.0.2.9', 'A', stop.signal)).toEqual({ kind: 'reply', rttMs: 1.5 });
    stop.abort();
    await Promise.all(silent);
  });

  it('gives the place of a process that has ended to the next check while the host is still awaited', async () => {
    const waits = 'while [ ! -e "$0.go" ]; do sleep 0.05; done';
    const command = script('ends', `[ "$4" = 192.0.2.9 ] && { ${waits}; echo "64 bytes: time=1.5 ms"; }; exit 1`);
    const transport = new PingCommandTransport(command);
    const stop = new AbortController();
    const since = performance.now();
    const silent = Array.from({ length: 8 }, () => transport.echo('192.0.2.1', 'B', stop.signal));
    const next = transport.echo('192.0.2.9', 'B', stop.signal);
    await allRunning('ends', 9, since);
    writeFileSync(`${command}.go`, '');
    expect(await next).toEqual({ kind: 'reply', rttMs: 1.5 });
    stop.abort();
    expect(await Promise.all(silent)).toEqual(Array.from({ length: 8 }, () => null));
  });

  it('starts the next process when one ends', async () => {
    const transport = new PingCommandTransport(script('answer', 'echo "64 bytes: time=1.5 ms"; exec sleep 60'));
    const echo = () => transport.echo('192.0.2.1', 'B', new AbortController().signal);
    const results = await Promise.all(Array.from({ length: 20 }, echo));
    expect(results).toEqual(Array.from({ length: 20 }, () => ({ kind: 'reply', rttMs: 1.5 })));
  });

  it('reports what a router said about the first request only if no later one was answered', async () => {
    const router = 'From 192.0.2.254 icmp_seq=1 Destination Host Unreachable';
    const { signal } = new AbortController();
    const answered = script('answered', `echo "${router}"; echo "64 bytes: time=1.5 ms"; exit 0`);
    expect(await new PingCommandTransport(answered).echo('192.0.2.1', 'B', signal)).toEqual({
      kind: 'reply',
      rttMs: 1.5,
    });
    const refused = script('refused', `echo "${router}"; exit 1`);
    expect(await new PingCommandTransport(refused).echo('192.0.2.1', 'B', signal)).toEqual({
      kind: 'unreachable',
      reason: 'host unreachable',
    });
  });

  it('reports what a router said when the time is up before the command ends', async () => {
    const transport = new PingCommandTransport(
      script('slow', 'echo "From 192.0.2.254 icmp_seq=1 Destination Host Unreachable"; : > "$0.said"; exec sleep 60'),
    );
    const stop = new AbortController();
    const echo = transport.echo('192.0.2.1', 'B', stop.signal);
    await allRunning('slow', 1, performance.now());
    stop.abort();
    expect(await echo).toEqual({ kind: 'unreachable', reason: 'host unreachable' });
  });

  it('reports that nothing was sent when the command fails in an unknown way', async () => {
    const { signal } = new AbortController();
    const failing = new PingCommandTransport(script('fail', 'echo "what?" >&2; exit 2'));
    expect(await failing.echo('192.0.2.1', null, signal)).toEqual({ kind: 'not_sent', code: 'EPERM' });
    const missing = new PingCommandTransport(join(directory, 'nothing'));
    expect(await missing.echo('192.0.2.1', null, signal)).toEqual({ kind: 'not_sent', code: 'ENOENT' });
  });
});
