import type { Socket } from 'node:net';
import { DomainChecker } from '../../../src/checker/domain/domain.checker';
import { readRegistration, serverFor } from '../../../src/checker/domain/rdap';
import {
  type CheckerBench,
  describeChecker,
  type LiveTarget,
  runCheck,
} from '../../../packages/testing/checker/describe-checker';
import { dialerWith } from '../../../packages/testing/checker/network';
import { always, type HttpScript, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';

const DAY_MS = 86_400_000;
const answer = (days: number | null, more: object = {}): string =>
  JSON.stringify({
    objectClassName: 'domain',
    ldhName: 'EXAMPLE.COM',
    events: [
      { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
      ...(days === null
        ? []
        : [{ eventAction: 'expiration', eventDate: new Date(Date.now() + days * DAY_MS).toISOString() }]),
    ],
    entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', 'Example\nRegistrar']]] }],
    ...more,
  });

/** Asks the registry each time, so that the contract can count requests. */
class UncachedDomainChecker extends DomainChecker {
  protected override readonly keptMs = 0;
}

/** Checks a domain at the RDAP server of its URL, which only tests need. */
class AtServer extends UncachedDomainChecker {
  override parseTarget(url: string): string {
    return url.startsWith('http:') ? 'example.com' : super.parseTarget(url);
  }
}

const check = (rdap: string, settings: object = {}) =>
  runCheck(new UncachedDomainChecker(dialerWith()), 'example.com', { settings: { rdap, ...settings } });

async function serving<Result>(
  script: HttpScript,
  use: (url: string, target: HttpTarget) => Promise<Result>,
): Promise<Result> {
  const target = await HttpTarget.listen(script);
  try {
    return await use(target.url('/rdap'), target);
  } finally {
    await target.close();
  }
}

describe('A domain check', () => {
  it('is up, shows when the domain expires, and asks the path of RDAP', () =>
    serving(always(rawResponse(200, answer(90))), async (url, target) => {
      const result = await check(url);
      expect(result).toMatchObject({ outcome: 'up', warning: null, statusCode: 200 });
      expect(result.records).toEqual([expect.stringMatching(/^expires 20/), 'registrar Example Registrar']);
      expect(target.seen.map(({ method, path }) => [method, path])).toEqual([['GET', '/rdap/domain/example.com']]);
    }));

  it.each([
    [
      'is degraded when it expires soon',
      always(rawResponse(200, answer(12.5))),
      {},
      'up',
      'domain_expiring',
      / expires in 12 days, on /,
    ],
    ['is up with an own number of days', always(rawResponse(200, answer(12.5))), { warn_days: 7 }, 'up', null, null],
    [
      'is down when it has expired',
      always(rawResponse(200, answer(-2))),
      {},
      'down',
      'domain_expiring',
      / expired on /,
    ],
    [
      'is down if the registry does not know it',
      always(rawResponse(404)),
      {},
      'down',
      'protocol_error',
      /does not know/,
    ],
    [
      'is unknown if no date is published',
      always(rawResponse(200, answer(null))),
      {},
      'unknown',
      'internal',
      /does not publish/,
    ],
    ['is unknown if the registry limits requests', always(rawResponse(429)), {}, 'unknown', 'internal', /too often/],
    [
      'is unknown if the answer is about another domain',
      always(rawResponse(200, answer(90, { ldhName: 'example.org' }))),
      {},
      'unknown',
      'internal',
      /no valid answer/,
    ],
    [
      'follows no redirect to another scheme',
      always(rawResponse(302, '', { Location: 'file:///etc/passwd' })),
      {},
      'unknown',
      'internal',
      /invalid URL/,
    ],
  ])('%s', async (_, script, settings, outcome, code, sentence) => {
    const result = await serving(script, (url) => check(url, settings));
    const said = result.error ?? result.warning;
    expect([result.outcome, said?.code ?? null]).toEqual([outcome, code]);
    if (sentence) expect(said?.message).toMatch(sentence);
  });

  it('asks the registry once an hour', () =>
    serving(always(rawResponse(200, answer(90))), async (rdap, target) => {
      const checker = new DomainChecker(dialerWith());
      for (let i = 0; i < 3; i++)
        expect(await runCheck(checker, 'example.com', { settings: { rdap } })).toMatchObject({ outcome: 'up' });
      expect(target.seen).toHaveLength(1);
    }));

  it.each<[string, (socket: Socket) => void]>([
    ['is silent', silence],
    ['resets', (socket) => socket.resetAndDestroy()],
    [
      'sends headers without end',
      (socket) => void socket.on('error', () => {}).write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(50_000)}`),
    ],
    [
      'sends no HTTP',
      (socket) =>
        void socket
          .on('error', () => {})
          .resume()
          .write('\0'.repeat(10_000)),
    ],
  ])('ends with a server that %s', async (_, script) => {
    const target = await TcpTarget.listen(script);
    const result = await runCheck(new UncachedDomainChecker(dialerWith()), 'example.com', {
      settings: { rdap: `http://${target.authority}` },
      timeoutMs: 300,
    });
    expect(result.outcome).toBe('down');
    await target.untilLeft();
    await target.close();
  });

  it.each([['example.com'], ['domain://Example.COM'], ['xn--bcher-kva.example']])('reads the target %s', (url) => {
    expect(new DomainChecker(dialerWith()).parseTarget(url)).toMatch(/^[a-z0-9.-]+$/);
  });

  it.each([[''], ['com'], ['192.0.2.1'], ['example.com/a'], ['https://example.com']])(
    'refuses the target %s',
    (url) => {
      expect(() => new DomainChecker(dialerWith()).parseTarget(url)).toThrow('the accepted form is');
    },
  );
});

describe('an answer of RDAP', () => {
  it('finds the server of a top-level domain', () => {
    const list = JSON.stringify({
      services: [
        [
          ['net', 'com'],
          ['http://old.example/', 'https://rdap.example/v1/'],
        ],
        7,
        [['org']],
      ],
    });
    expect(serverFor(list, 'shop.com')).toBe('https://rdap.example/v1/');
    expect(serverFor(list, 'shop.org')).toBeNull();
    expect(serverFor('no JSON', 'shop.org')).toBeNull();
  });

  it.each(['', '[]', '{}', 'null', '{"objectClassName":"domain"}', answer(1).slice(0, 50)])(
    'is refused: %s',
    (text) => {
      expect(readRegistration(text, 'example.com')).toBeNull();
    },
  );

  it('may contain anything', () => {
    const odd = { events: [null, 7, { eventAction: 'expiration', eventDate: 'soon' }], entities: { a: 1 } };
    expect(readRegistration(answer(1, odd), 'example.com')).toEqual({ expiresMs: null, registrar: null });
  });
});

let registry: HttpTarget;
let silent: TcpTarget;

const live = (target: { tcp: TcpTarget }): LiveTarget => ({
  url: 'example.com',
  arrived: () => target.tcp.accepted,
  untilLeft: () => target.tcp.untilLeft(),
});

/** The RDAP server is part of the settings, so the contract gets a checker that adds it. */
class WithServer extends AtServer {
  override check(...[request, signal]: Parameters<DomainChecker['check']>) {
    return super.check({ ...request, settings: { rdap: registry.url(), ...request.settings } }, signal);
  }
}

async function open(): Promise<CheckerBench> {
  registry = await HttpTarget.listen(always(rawResponse(200, answer(90))));
  silent = await TcpTarget.listen(silence);
  return {
    checker: new WithServer(dialerWith()),
    up: live(registry),
    close: async () => {
      await Promise.all([registry.close(), silent.close()]);
    },
  };
}

describeChecker({
  type: 'DOMAIN',
  open,
  accepted: [['domain://Example.com', 'example.com']],
  rejected: ['', 'com', 'http//example.com'],
});
