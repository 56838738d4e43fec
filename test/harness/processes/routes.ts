import { hasLiveRoute, hasRoute } from '../../../src/platform/net/dial/routes';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';

// Prints whether the machine (or its network namespace) has a route to each address in the argument. Also prints the
// order in which the dialer returns the addresses for the name in the hosts file.

async function main(): Promise<void> {
  const { addresses, name, hostsFile } = JSON.parse(process.argv[2] ?? '{}') as {
    addresses?: string[];
    name?: string;
    hostsFile?: string;
  };
  const found = (addresses ?? []).map(async (address) => ({
    route: await hasRoute(address),
    live: await hasLiveRoute(address),
  }));
  const dialer = dialerWith(hostsFile === undefined ? {} : { hostsFile });
  const resolved = name === undefined ? null : await dialer.resolve(name, openEgress, new AbortController().signal);
  process.stdout.write(JSON.stringify({ found: await Promise.all(found), order: resolved?.addresses ?? [] }));
}

void main();
