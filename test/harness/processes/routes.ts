import { hasLiveRoute, hasRoute } from '../../../src/platform/net/dial/routes';

// Prints, for the addresses in its argument, whether the machine (or the namespace it runs in) has a route to each.

async function main(): Promise<void> {
  const addresses = JSON.parse(process.argv[2] ?? '[]') as string[];
  const found = addresses.map(async (address) => ({
    route: await hasRoute(address),
    live: await hasLiveRoute(address),
  }));
  process.stdout.write(JSON.stringify(await Promise.all(found)));
}

void main();
