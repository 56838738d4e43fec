import { NetworkBuckets, NetworkPlaces, type Networks, WaitingRoom } from './by-network';

/** Returns the networks of client `n` in a given site and provider. */
const client = (n: number, site = 1, provider = 1): Networks => [
  `client ${provider} ${site} ${n}`,
  `site ${provider} ${site}`,
  `provider ${provider}`,
];
const times = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('token buckets by network', () => {
  const bucketsOf = (burst: number) => {
    let ms = 0;
    const buckets = new NetworkBuckets({ rate: 1, burst }, () => ms);
    return { buckets, wait: (seconds: number) => (ms += 1000 * seconds) };
  };
  const taken = (buckets: NetworkBuckets, networks: readonly Networks[]) =>
    networks.filter((each) => buckets.take(each) === 0).length;

  it('give a client its burst, a site ten times as many, and a provider a hundred times as many', () => {
    const { buckets } = bucketsOf(2);
    expect(
      taken(
        buckets,
        times(5).map(() => client(0)),
      ),
    ).toBe(2);
    expect(
      taken(
        buckets,
        times(100).map((n) => client(n)),
      ),
    ).toBe(18);
    expect(
      taken(
        buckets,
        times(1000).map((n) => client(n, n % 50)),
      ),
    ).toBe(180);
    expect(taken(buckets, [client(1, 1, 2), ['192.0.2.1']])).toBe(2);
  });

  it('take no token if one of them is empty, and report how long to wait', () => {
    const { buckets, wait } = bucketsOf(1);
    expect(
      taken(
        buckets,
        times(11).map((n) => client(n)),
      ),
    ).toBe(10);
    expect(buckets.take(client(20))).toBeCloseTo(0.1);
    expect(buckets.waitFor(client(20, 2))).toBe(0);
    wait(0.1);
    expect(taken(buckets, [client(20), client(21)])).toBe(1);
  });
});

describe('the places of unknown clients', () => {
  const fill = (places: NetworkPlaces, networks: readonly Networks[]) =>
    networks.map((each) => {
      const full = places.fullFor(each);
      if (full === null) places.take(each);
      return full;
    });
  const taken = (places: NetworkPlaces, networks: readonly Networks[]) =>
    fill(places, networks).filter((full) => full === null).length;

  it('are a tenth for a client, a quarter for a site, and half for a provider', () => {
    const places = new NetworkPlaces(200);
    expect(
      taken(
        places,
        times(100).map(() => client(0)),
      ),
    ).toBe(20);
    expect(
      taken(
        places,
        times(100).map((n) => client(n)),
      ),
    ).toBe(30);
    expect(
      taken(
        places,
        times(300).map((n) => client(n, n)),
      ),
    ).toBe(50);
    expect(
      taken(
        places,
        times(300).map((n) => client(n, n, n + 2)),
      ),
    ).toBe(100);
    expect(places.fullFor(['192.0.2.1'])).toBe('strangers');
  });

  it('are at least one, and free again once they are released', () => {
    const places = new NetworkPlaces(5);
    const [one] = [client(0)];
    expect(fill(places, [one, one])).toEqual([null, 'address']);
    places.release(one);
    expect([places.used, places.fullFor(one)]).toEqual([0, null]);
  });
});

describe('a waiting room', () => {
  const roomOf = (size: number) => {
    const room = new WaitingRoom(size);
    const gone: string[] = [];
    return { room, gone, enter: (name: string, networks: Networks) => room.enter(networks, () => gone.push(name)) };
  };

  it('rejects the longest waiter of a client that has reached its share', () => {
    const { gone, enter, room } = roomOf(20);
    enter('other', ['192.0.2.9']);
    for (const n of times(4)) enter(`${n}`, ['192.0.2.1']);
    expect([gone, room.waiting]).toEqual([['0', '1'], 3]);
  });

  it('rejects the longest waiter of the network with the most waiters when it is full, and never the newest', () => {
    const { gone, enter, room } = roomOf(20);
    enter('patient', ['192.0.2.9']);
    for (const n of times(40)) enter(`${n}`, [`198.51.100.${n % 10}`]);
    expect(room.waiting).toBe(20);
    expect(gone).not.toContain('patient');
    enter('last', ['192.0.2.10']);
    expect(gone).not.toContain('last');
  });

  it('counts an IPv6 site as one, however many networks it has', () => {
    const { gone, enter } = roomOf(20);
    for (const n of times(100)) enter(`${n}`, client(n));
    expect(gone).toHaveLength(95);
    enter('other', client(0, 2));
    expect(gone).toHaveLength(95);
  });

  it('frees one place when a waiter leaves, even if it leaves several times', () => {
    const { gone, enter, room } = roomOf(10);
    const leave = enter('one', ['192.0.2.1']);
    leave();
    leave();
    enter('two', ['192.0.2.1']);
    expect([room.waiting, gone]).toEqual([1, []]);
  });
});
