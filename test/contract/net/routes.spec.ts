/** @lane slow */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CABLE, obstacleTo, runInNamespace } from '../../harness/machine/namespace';
import { hasLiveRoute, hasRoute } from '../../../src/platform/net/dial/routes';

const LAN = [...CABLE, 'ip addr add 10.99.0.1/24 dev v0', 'ip link set v0 up', 'ip link set v1 up'];
const obstacle = obstacleTo(...LAN);
const inNamespace = obstacle === null ? it : it.skip;
const why = obstacle === null ? '' : ` (skipped: ${obstacle})`;

interface Found {
  route: boolean;
  live: boolean;
}

const run = (setup: string[], argument: object) =>
  JSON.parse(runInNamespace(setup, 'test/harness/processes/routes.ts', JSON.stringify(argument))) as {
    found: Found[];
    order: string[];
  };
const found = (setup: string[], ...addresses: string[]): Found[] => run(setup, { addresses }).found;

it('This machine has a live route to itself', async () => {
  expect([await hasRoute('127.0.0.1'), await hasLiveRoute('127.0.0.1')]).toEqual([true, true]);
});

describe(`In a separate network namespace, without a default route${why},`, () => {
  inNamespace('there is a live route to the neighbours and none to the rest of the world', () => {
    expect(found(LAN, '10.99.0.2', '203.0.113.1', '2001:db8::1')).toEqual([
      { route: true, live: true },
      { route: false, live: false },
      { route: false, live: false },
    ]);
  });

  inNamespace.each([
    [
      'the addresses that can be reached first',
      ['2001:db8::1', '10.99.0.2', '10.99.0.3'],
      ['10.99.0.2', '10.99.0.3', '2001:db8::1'],
    ],
    ['all addresses of one family in their order', ['203.0.113.1', '10.99.0.2'], ['203.0.113.1', '10.99.0.2']],
    [
      'the addresses of both families in turns if none can be reached',
      ['203.0.113.1', '2001:db8::1'],
      ['2001:db8::1', '203.0.113.1'],
    ],
  ])('a checker that looks up the addresses of a name gets %s', (_, addresses, order) => {
    const folder = mkdtempSync(join(tmpdir(), 'routes-'));
    const hostsFile = join(folder, 'hosts');
    writeFileSync(hostsFile, addresses.map((address) => `${address} dual.test\n`).join(''));
    expect(run(LAN, { name: 'dual.test', hostsFile }).order).toEqual(order);
    rmSync(folder, { recursive: true });
  });

  inNamespace('the route to the neighbours is not live once the cable is pulled, though it is still there', () => {
    expect(found([...LAN, 'ip link set v1 down'], '10.99.0.2')).toEqual([{ route: true, live: false }]);
  });
});
