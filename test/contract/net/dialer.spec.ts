import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DialError } from '../../../src/platform/net/dial/dial-error';
import { type Dialed, type Dialer, interleave } from '../../../src/platform/net/dial/dialer';
import type { EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { DeafPort } from '../../harness/servers/deaf-port';
import { type DnsScript, DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { itOverIpv6, whyNotOverIpv6 } from '../../harness/machine/loopback';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import { eventually } from '../../../packages/testing/eventually';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';

const closers: (() => unknown)[] = [];
const never = new AbortController().signal;

const listen = async (...args: Parameters<typeof TcpTarget.listen>) => {
  const target = await TcpTarget.listen(...args);
  closers.push(() => target.close());
  return target;
};

const serve = async (script: DnsScript) => {
  const server = await DnsTestServer.start(script);
  closers.push(() => server.stop());
  return server;
};

/** Answers `A` and `AAAA` queries for every name as given. */
const addresses =
  (a: string[], aaaa: string[] = []): DnsScript =>
  ({ name, type }) => ({
    answers: (type === 'AAAA' ? aaaa : a).map((data) => ({
      type: type === 'AAAA' ? ('AAAA' as const) : ('A' as const),
      name,
      ttl: 60,
      data,
    })),
  });

async function dial(dialer: Dialer, host: string, port: number, egress: EgressRule = openEgress): Promise<Dialed> {
  const dialed = await dialer.dial({ host, port, egress, signal: never });
  dialed.socket.destroy();
  return dialed;
}

const failure = (work: Promise<unknown>): Promise<DialError> =>
  work.then(
    () => {
      throw new Error('a connection was made');
    },
    (error: unknown) => {
      if (!(error instanceof DialError)) throw error;
      return error;
    },
  );

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

describe('Dialer', () => {
  it.each(['127.0.0.1', '127.1', '0x7f000001', 'localhost', 'any.name.localhost'])(
    'reaches the host %s',
    async (host) => {
      const target = await listen(silence);
      expect(await dial(dialerWith(), host, target.port)).toMatchObject({ address: '127.0.0.1', certificate: null });
      await target.untilLeft();
    },
  );

  const ipv6 = ['::1', '[::1]', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'];
  itOverIpv6.each(ipv6)(`reaches the IPv6 address %s${whyNotOverIpv6}`, async (host) => {
    const target = await listen(silence, { host: host.includes('127') ? '127.0.0.1' : '::1' });
    const { address } = await dial(dialerWith(), host, target.port);
    expect(address).toContain(':');
    await target.untilLeft();
  });

  it('measures a DNS phase for a name, and none for an address', async () => {
    const target = await listen(silence);
    const server = await serve(addresses(['127.0.0.1']));
    expect((await dial(dialerWith(), '127.0.0.1', target.port)).phases.dnsMs).toBeNull();
    const named = await dial(dialerWith({ servers: [server.address] }), 'www.example.com', target.port);
    expect(named.phases.dnsMs).toBeGreaterThan(0);
    expect(named.phases.tlsMs).toBeNull();
  });

  it('looks up A and AAAA again for every connection', async () => {
    const target = await listen(silence);
    const server = await serve(addresses(['127.0.0.1']));
    const dialer = dialerWith({ servers: [server.address] });
    await dial(dialer, 'www.example.com', target.port);
    await dial(dialer, 'www.example.com', target.port);
    expect(server.asked.map(({ type }) => type).sort()).toEqual(['A', 'A', 'AAAA', 'AAAA']);
  });

  it('looks up a name once for many simultaneous connections', async () => {
    const target = await listen(silence);
    const server = await serve(addresses(['127.0.0.1']));
    const dialer = dialerWith({ servers: [server.address] });
    await Promise.all(Array.from({ length: 10 }, () => dial(dialer, 'www.example.com', target.port)));
    expect(server.asked).toHaveLength(2);
    await eventually('all ten to arrive', () => target.accepted === 10);
  });

  it('does not wait for AAAA when A has answered and AAAA is silent', async () => {
    const target = await listen(silence);
    const script = addresses(['127.0.0.1']);
    const server = await serve((question) => (question.type === 'AAAA' ? null : script(question)));
    const { phases } = await dial(dialerWith({ servers: [server.address] }), 'www.example.com', target.port);
    // c-ares would wait two seconds for the lost reply.
    expect(phases.dnsMs).toBeLessThan(1500);
  });

  it('uses the hosts file, also after it has changed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hosts-'));
    closers.push(() => rmSync(directory, { recursive: true }));
    const hostsFile = join(directory, 'hosts');
    const target = await listen(silence, { host: '127.0.0.7' });
    const server = await serve(() => ({ rcode: 3 }));
    writeFileSync(hostsFile, '127.0.0.7 printer.example\n');
    const dialer = dialerWith({ servers: [server.address], hostsFile });
    expect(await dial(dialer, 'Printer.example', target.port)).toMatchObject({ address: '127.0.0.7' });
    writeFileSync(hostsFile, '# nothing any more\n');
    await eventually('the change to be seen', () =>
      dial(dialer, 'printer.example', target.port).then(
        () => false,
        (error: DialError) => error.code === 'dns_not_found',
      ),
    );
  });

  it('connects to a second address when the first refuses the connection', async () => {
    const target = await listen(silence);
    const server = await serve(addresses(['127.0.0.1'], ['::1']));
    const dialer = dialerWith({ servers: [server.address] });
    expect(await dial(dialer, 'www.example.com', target.port)).toMatchObject({ address: '127.0.0.1' });
  });

  it('connects to a second address while the first is silent, and leaves no connection open', async () => {
    const deaf = await DeafPort.open();
    closers.push(() => deaf.close());
    const target = await listen(silence, { host: '127.0.0.2', port: deaf.port });
    const server = await serve(addresses(['127.0.0.1', '127.0.0.2']));
    const dialed = await dial(dialerWith({ servers: [server.address] }), 'www.example.com', target.port);
    expect(dialed.address).toBe('127.0.0.2');
    await target.untilLeft();
  });

  it('does not count the wait for a silent address as connect time of the one that accepts', async () => {
    const deaf = await DeafPort.open();
    closers.push(() => deaf.close());
    const target = await listen(silence, { host: '127.0.0.2', port: deaf.port });
    const server = await serve(addresses(['127.0.0.1', '127.0.0.2']));
    const startedAt = performance.now();
    const { phases } = await dial(dialerWith({ servers: [server.address] }), 'www.example.com', target.port);
    expect(performance.now() - startedAt).toBeGreaterThan(240);
    expect(phases.connectMs).toBeLessThan(240);
  });

  it("reports the target’s fault if the other address family failed because of the monitor's machine", async () => {
    // No machine has a TCP route to a multicast address.
    const server = await serve(addresses(['127.0.0.1'], ['ff02::1']));
    const dialer = dialerWith({ servers: [server.address] });
    const error = await failure(dial(dialer, 'www.example.com', await closedPort()));
    expect(error).toMatchObject({ code: 'connection_refused', local: false });
  });

  it('ends at once when it is aborted', async () => {
    const deaf = await DeafPort.open();
    closers.push(() => deaf.close());
    const controller = new AbortController();
    const dialing = dialerWith().dial({
      host: '127.0.0.1',
      port: deaf.port,
      egress: openEgress,
      signal: controller.signal,
    });
    controller.abort();
    expect(await failure(dialing)).toMatchObject({ code: 'aborted', phase: 'connect', address: '127.0.0.1' });
  });

  it.each(['', 'a b', 'http://example.com', 'example.com:80', '-x.com', 'fe80::1%lo'])(
    'refuses the invalid host %j',
    async (host) => {
      expect(await failure(dialerWith().dial({ host, port: 80, egress: openEgress, signal: never }))).toMatchObject({
        code: 'dns_not_found',
        phase: 'dns',
      });
    },
  );

  it('survives an error on a socket without an error listener of its caller', async () => {
    const target = await listen((socket) => socket.on('error', () => {}).write('hello'));
    const { socket } = await dialerWith().dial({
      host: '127.0.0.1',
      port: target.port,
      egress: openEgress,
      signal: never,
    });
    socket.destroy(new Error('on purpose'));
    await target.untilLeft();
  });
});

describe('interleave', () => {
  it('alternates between IPv6 and IPv4 addresses, IPv6 first', () => {
    expect(interleave(['10.0.0.1', '10.0.0.2', '10.0.0.3', '::1', '::2'])).toEqual([
      '::1',
      '10.0.0.1',
      '::2',
      '10.0.0.2',
      '10.0.0.3',
    ]);
    expect(interleave(['10.0.0.1'])).toEqual(['10.0.0.1']);
    expect(interleave([])).toEqual([]);
  });
});
