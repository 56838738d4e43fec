import { IcmpTransports, TRANSPORTS } from '../../../src/checker/icmp/icmp-transports';
import { IcmpChecker } from '../../../src/checker/icmp/icmp.checker';
import { startDeadline } from '../../../src/platform/net/deadline';
import { dialerWith, openEgress } from '../app/network';

/**
 * Run as a process of its own, for networks and permissions a test cannot have in its own: checks every target by every
 * rung named in the first argument (JSON, `{rungs, targets, timeoutMs}`) and prints `{method: {target: report}}`. Closes
 * nothing: it ends by itself only if no socket keeps a process alive.
 */
async function main(): Promise<void> {
  const { rungs, targets, timeoutMs } = JSON.parse(process.argv[2] ?? '{}') as {
    rungs: string[];
    targets: string[];
    timeoutMs: number;
  };
  const dialer = dialerWith();
  const rungResults = TRANSPORTS.filter(({ name }) => rungs.includes(name)).map(async (rung) => {
    const capability = new IcmpTransports([rung]);
    const checker = new IcmpChecker(dialer, capability);
    const reports = targets.map(async (target) => [target, await checkOnce(checker, target, timeoutMs)] as const);
    const result = { description: capability.describe(), reports: Object.fromEntries(await Promise.all(reports)) };
    return [rung.name, result] as const;
  });
  process.stdout.write(JSON.stringify(Object.fromEntries(await Promise.all(rungResults))));
}

async function checkOnce(checker: IcmpChecker, url: string, timeoutMs: number) {
  const deadline = startDeadline(timeoutMs);
  const request = { method: 'GET', headers: [], body: null, followRedirects: true, assertions: [], egress: openEgress };
  return checker
    .check({ ...request, target: checker.parseTarget(url) }, deadline.signal)
    .finally(() => deadline.clear());
}

void main();
