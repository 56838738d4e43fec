import { IcmpTransports, TRANSPORTS } from '../../../src/checker/icmp/icmp-transports';
import { IcmpChecker } from '../../../src/checker/icmp/icmp.checker';
import { startDeadline } from '../../../src/platform/net/deadline';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';

/**
 * Runs as a separate process, for networks and permissions that a test can't have. Checks every target over every
 * transport listed in the first argument (JSON, `{transports, targets, timeoutMs}`) and prints `{transport:
 * {description, results: {target: result}}}`. It closes nothing, so it exits only if no socket keeps the process alive.
 */
async function main(): Promise<void> {
  const { transports, targets, timeoutMs } = JSON.parse(process.argv[2] ?? '{}') as {
    transports: string[];
    targets: string[];
    timeoutMs: number;
  };
  const dialer = dialerWith();
  const all = TRANSPORTS.filter(({ name }) => transports.includes(name)).map(async (option) => {
    const only = new IcmpTransports([option]);
    const checker = new IcmpChecker(dialer, only);
    const results = targets.map(async (target) => [target, await checkOnce(checker, target, timeoutMs)] as const);
    return [
      option.name,
      { description: only.describe(), results: Object.fromEntries(await Promise.all(results)) },
    ] as const;
  });
  process.stdout.write(JSON.stringify(Object.fromEntries(await Promise.all(all))));
}

async function checkOnce(checker: IcmpChecker, url: string, timeoutMs: number) {
  const deadline = startDeadline(timeoutMs);
  const request = {
    settings: {},
    method: 'GET',
    headers: [],
    body: null,
    followRedirects: true,
    tls: null,
    assertions: [],
    egress: openEgress,
  };
  return checker
    .check({ ...request, target: checker.parseTarget(url) }, deadline.signal)
    .finally(() => deadline.clear());
}

void main();
