/** @lane slow */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { CheckResult } from '../../../src/checker/checker';
import type { ChecksOrder } from '../../harness/processes/checks-process';
import { HttpTarget, always, rawResponse } from '../../../packages/testing/servers/http-target';
import { CABLE, obstacleTo } from '../../harness/machine/namespace';

const ROOT = join(__dirname, '../../..');
/** Three of the checks alone take seconds. The rest is for the start of the process on a busy machine. */
const LIMIT_MS = 50_000;
jest.setTimeout(LIMIT_MS + 10_000);
const PROCESS = [process.execPath, '-r', './scripts/typescript.cjs', 'test/harness/processes/checks-process.ts'];

const FEW_PORTS = ['ip link set lo up', 'echo "40000 40003" > /proc/sys/net/ipv4/ip_local_port_range'];
const obstacle = obstacleTo(...CABLE, ...FEW_PORTS);
const inNamespace = obstacle === null ? it : it.skip;
const why = obstacle === null ? '' : ` (skipped: ${obstacle})`;

/**
 * Returns the results of a process. `setup` has shell lines that run before it, in its own network namespace if
 * given.
 */
function resultsOf(order: ChecksOrder, setup: { namespace?: string[]; limits?: string }): Promise<CheckResult[]> {
  const script = [...(setup.namespace ?? []), setup.limits ?? '', `exec "$@"`].filter(Boolean).join('\n');
  const shell = ['sh', '-ec', script, 'sh', ...PROCESS, JSON.stringify(order)];
  const [command = 'sh', ...args] = setup.namespace ? ['unshare', '-n', ...shell] : shell;
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      {
        cwd: ROOT,
        timeout: LIMIT_MS,
      },
      (error, stdout, stderr) => {
        if (error) reject(new Error(stderr || error.message));
        else
          resolve(
            stdout
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line) as CheckResult),
          );
      },
    );
  });
}

const brief = ({ outcome, error }: CheckResult) => `${outcome} ${error?.code ?? ''} ${error?.phase ?? ''}`.trim();

describe("A fault of the monitor is not reported as the target's", () => {
  it('a process without descriptors', async () => {
    const target = await HttpTarget.listen(always(rawResponse(200)));
    const results = await resultsOf(
      {
        checks: [
          { type: 'TCP', url: target.tcp.authority, timeoutMs: 2000 },
          { type: 'HTTP', url: target.url(), timeoutMs: 2000 },
        ],
        withoutDescriptors: true,
      },
      { limits: 'ulimit -n 256' },
    );
    expect(results.map(brief)).toEqual(['unknown internal connect', 'unknown internal connect']);
    expect(results[0]?.error?.message).toContain('too many open files');
    await target.close();
  });

  inNamespace(`a network namespace with every kind of broken road${why}`, async () => {
    const check = (url: string, timeoutMs = 1500) => ({ type: 'TCP' as const, url, timeoutMs });
    const results = await resultsOf(
      {
        checks: [
          check('203.0.113.1:80'),
          check('[2001:db8::1]:80'),
          check('10.99.2.1:80'),
          check('10.99.3.1:80'),
          check('10.99.0.2:80'),
          check('10.99.0.3:80', 8000),
          check('127.0.0.1:9'),
        ],
      },
      {
        namespace: [
          ...CABLE,
          'ip addr add 10.99.0.1/24 dev v0',
          'ip link set v0 up',
          'ip link set v1 up',
          // A neighbor entry without a host drops every packet silently, as a firewall would.
          'ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev v0',
          'ip route add prohibit 10.99.2.0/24',
          'ip route add blackhole 10.99.3.0/24',
        ],
      },
    );
    expect(results.map(brief)).toEqual([
      'unknown monitor_offline connect',
      'unknown monitor_offline connect',
      'unknown internal connect',
      'unknown monitor_offline connect',
      'down connection_timeout connect',
      'down host_unreachable connect',
      'down connection_refused connect',
    ]);
  });

  inNamespace(`no local port left${why}`, async () => {
    const results = await resultsOf(
      {
        checks: [{ type: 'TCP', url: '127.0.0.1:7777', timeoutMs: 2000 }],
        held: { port: 7777, count: 4 },
      },
      {
        namespace: FEW_PORTS,
      },
    );
    expect(results.map(brief)).toEqual(['unknown internal connect']);
    expect(results[0]?.error?.message).toContain('no free address or port');
  });
});
