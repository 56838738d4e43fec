import { readPingPath, readPushPath } from './ping-address';
import { PING_ADDRESSES, withPings } from './ping-openapi';

/** Returns the paths with every combination of the values of their parameters. */
const filled = (path: string, parts: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(parts).reduce(
    (paths, [name, values]) => paths.flatMap((each) => values.map((value) => each.replace(`{${name}}`, value))),
    [path],
  );

describe('the ping URLs in the API document', () => {
  const addresses = Object.entries(PING_ADDRESSES).flatMap(([path, { parts }]) => filled(path, parts));

  it.each(addresses)('include %s', (path) => {
    expect(readPushPath(path, 'up') ?? readPingPath(path)).toMatchObject({ refusal: null });
  });

  it('need no key, and respond in the format of the product that they come from', () => {
    const document = { paths: {} } as Parameters<typeof withPings>[0];
    withPings(document);
    const told = Object.values(document.paths).map(({ get }) => [get?.security, get?.tags, get?.responses['404']]);
    const plain = (type: string, example: unknown) => [
      [],
      ['Pings'],
      expect.objectContaining({ content: { [type]: expect.objectContaining({ example }) } }),
    ];
    expect(told).toEqual([
      ...[1, 2, 3].map(() => plain('text/plain', 'not found')),
      plain('application/json', { ok: false, msg: 'Monitor not found or not active.' }),
    ]);
  });
});
