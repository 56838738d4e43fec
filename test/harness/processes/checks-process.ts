/**
 * A program that runs checks in parallel in a separate environment, such as a network namespace or a process without
 * descriptors. It prints one result per line, in the order of the checks. Its argument is a `ChecksOrder` as JSON.
 */
import 'reflect-metadata';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Checker } from '../../../src/checker/checker';
import { startDeadline } from '../../../src/platform/net/deadline';
import { DnsChecker } from '../../../src/checker/dns/dns.checker';
import { SystemResolvers } from '../../../src/checker/dns/system-resolvers';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { IcmpTransports, TRANSPORTS } from '../../../src/checker/icmp/icmp-transports';
import { IcmpChecker } from '../../../src/checker/icmp/icmp.checker';
import { SshChecker } from '../../../src/checker/ssh/ssh.checker';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';

/** One check. `ICMP` uses the transport with that name. */
export interface OrderedCheck {
  type: 'HTTP' | 'TCP' | 'SSH' | 'DNS' | 'ICMP';
  url: string;
  timeoutMs: number;
  transport?: string;
}

/** The checks to run, and the limits to apply to the process first. */
export interface ChecksOrder {
  checks: OrderedCheck[];
  /** Replaces /etc/hosts. */
  hostsFile?: string;
  /** The machine's DNS servers, in the form `address:port`. */
  resolvers?: string[];
  /** If true, opens descriptors until none are left. */
  withoutDescriptors?: boolean;
  /** Listens on this port of 127.0.0.1 and keeps this many connections to it open. */
  held?: { port: number; count: number };
}

async function run(order: ChecksOrder): Promise<void> {
  const { hostsFile, resolvers = [] } = order;
  const dialer = dialerWith({ ...(hostsFile === undefined ? {} : { hostsFile }), servers: resolvers });
  const checkers: Record<string, Checker> = {
    HTTP: new HttpChecker(new HttpCheck(dialer)),
    TCP: new TcpChecker(dialer),
    SSH: new SshChecker(dialer),
    DNS: new DnsChecker(dialer, new SystemResolvers(() => resolvers)),
  };
  for (const option of TRANSPORTS)
    checkers[`ICMP ${option.name}`] = new IcmpChecker(dialer, new IcmpTransports([option]));
  if (order.held) await hold(order.held.port, order.held.count);
  if (order.withoutDescriptors) exhaustDescriptors();
  const checks = order.checks.map(({ type, url, timeoutMs, transport }) => {
    const key = type === 'ICMP' ? `ICMP ${transport}` : type;
    const checker = checkers[key];
    if (!checker) throw new Error(`no checker for ${key}`);
    return check(checker, url, timeoutMs);
  });
  for (const result of await Promise.all(checks)) process.stdout.write(`${JSON.stringify(result)}\n`);
}

async function check(checker: Checker, url: string, timeoutMs: number) {
  const deadline = startDeadline(timeoutMs);
  const request = {
    target: checker.parseTarget(url),
    settings: {},
    method: 'GET',
    headers: [],
    body: null,
    followRedirects: true,
    tls: null,
    assertions: [],
    egress: openEgress,
  };
  const result = await checker.check(request, deadline.signal);
  deadline.clear();
  return result;
}

async function hold(port: number, count: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  for (let i = 0; i < count; i++) {
    await new Promise((resolve) => connect(port, '127.0.0.1').once('connect', resolve).once('error', resolve));
  }
}

function exhaustDescriptors(): void {
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch {
    // None are left.
  }
}

run(JSON.parse(process.argv[2] ?? '{}') as ChecksOrder).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
