import { KnownFirst } from './known-first';

const LIMITS = { size: 1, waiting: 10, strangersKept: 5 };

describe('places that are waited for in two lanes', () => {
  let places: KnownFirst;
  let order: string[];
  let releases: (() => void)[];
  beforeEach(() => {
    places = new KnownFirst(LIMITS);
    order = [];
    releases = [];
  });

  const come = async (name: string, owner = name, isKnown = false): Promise<void> => {
    const release = await places.take({ owner, isKnown });
    order.push(release ? name : `${name} refused`);
    if (release) releases.push(release);
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const finish = async (): Promise<string[]> => {
    await settled();
    for (let release = releases.shift(); release; release = releases.shift()) {
      release();
      await settled();
    }
    return order;
  };

  it('serve who is known before strangers who came earlier', async () => {
    for (const name of ['first', 'stranger']) void come(name);
    void come('known', 'known', true);
    expect(await finish()).toEqual(['first', 'known', 'stranger']);
  });

  it('serve strangers by network in turn', async () => {
    for (const name of ['a1', 'a2', 'a3', 'b1']) void come(name, name.charAt(0));
    expect(await finish()).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('refuse strangers beyond five first when somebody comes who is known and the queue is full', async () => {
    void come('first');
    for (let n = 0; n < 10; n++) void come(`s${n}`);
    for (let n = 0; n < 6; n++) void come(`k${n}`, `k${n}`, true);
    await settled();
    expect(order.filter((name) => name.endsWith('refused'))).toEqual([
      ...['s0', 's1', 's2', 's3', 's4'].map((name) => `${name} refused`),
      'k5 refused',
    ]);
    expect((await finish()).filter((name) => !name.endsWith('refused'))).toEqual([
      'first',
      'k0',
      'k1',
      'k2',
      'k3',
      'k4',
      's5',
      's6',
      's7',
      's8',
      's9',
    ]);
  });

  it('refuse the newest of the network with the most for one with fewer, and a crowd of networks by itself', async () => {
    void come('first');
    for (let n = 0; n < 9; n++) void come(`a${n}`, 'a');
    void come('b', 'b');
    void come('c', 'c');
    await settled();
    expect(order).toEqual(['first', 'a8 refused']);
    for (let n = 9; n < 12; n++) void come(`a${n}`, 'a');
    await settled();
    expect(order.slice(2)).toEqual(['a9 refused', 'a10 refused', 'a11 refused']);
  });
});
