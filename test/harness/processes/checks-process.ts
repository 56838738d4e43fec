/**
 * A program that runs checks in an environment of its own (a network namespace, a process without descriptors) and prints
 * one result a line. Argument: a `ChecksOrder` as JSON.
 */
import 'reflect-metadata';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Checker } from '../../../src/checker/checker';
import { startDeadline } from '../../../src/platform/net/deadline';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';

/** The checks to run, and what to take away from the process first. */
export interface ChecksOrder {
  checks: { type: 'HTTP' | 'TCP'; url: string; timeoutMs: number }[];
  /** Opens descriptors until there are none. */
  withoutDescriptors?: boolean;
  /** Listens on this port of 127.0.0.1 and holds as many connections to it. */
  held?: { port: number; count: number };
}

async function run(order: ChecksOrder): Promise<void> {
  const dialer = dialerWith();
  const checkers: Record<string, Checker> = {
    HTTP: new HttpChecker(new HttpCheck(dialer)),
    TCP: new TcpChecker(dialer),
  };
  if (order.held) await hold(order.held.port, order.held.count);
  if (order.withoutDescriptors) exhaustDescriptors();
  for (const { type, url, timeoutMs } of order.checks) {
    const checker = checkers[type];
    if (!checker) throw new Error(`no checker for ${type}`);
    const deadline = startDeadline(timeoutMs);
    const request = {
      target: checker.parseTarget(url),
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
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
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
    // There are none left.
  }
}

run(JSON.parse(process.argv[2] ?? '{}') as ChecksOrder).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exit(1);
  },
);
