import type { SendOutcome } from '../../../src/channel/channel';
import type { EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { type ChannelBench, openChannelBench } from './channel-bench';
import { expectGolden } from './golden';
import { hostileNotice, longNotice, noticeOf } from './notices';
import type { ProviderDouble, ReceivedMessage } from './provider-double';

/** What one status of the provider must lead to. */
export interface StatusRow {
  status: number;
  result: 'retry' | 'rejected';
  /** Given up at once instead of after some tries. */
  gone?: boolean;
  /** The message may be out in spite of the answer. */
  mayHaveArrived?: boolean;
}

/** A text of the message and how long the vendor lets it be. */
export interface LimitedText {
  name: string;
  text: string;
  max: number;
}

/** What a channel must show to belong to the house. */
export interface ChannelSuite {
  type: string;
  open(): Promise<ProviderDouble>;
  /** Every credential in the double's config. */
  secrets: readonly string[];
  statuses: readonly StatusRow[];
  /** The parts of a message that the vendor limits. */
  limits(message: ReceivedMessage): LimitedText[];
  /** Fails when a hostile text could be read as anything but text. */
  expectHarmless(message: ReceivedMessage): void;
  /** The idempotency key of a message, for channels that have one; the others must say when they repeat themselves. */
  keyOf?: (message: ReceivedMessage) => string;
  /** A resolve carries the key of its trigger (pagers), or one of its own (webhook, mail). */
  keyIsShared?: boolean;
  /** False where the protocol has no way to say when to come back. */
  honoursRetryAfter?: boolean;
  /** Certificates (PEM) that the double shows. */
  trustedCertificates?: readonly string[];
}

/** Statuses that every HTTP API shares. */
export const HTTP_STATUSES: readonly StatusRow[] = [
  ...[301, 302, 303, 307, 308].map((status): StatusRow => ({ status, result: 'rejected' })),
  ...[400, 401, 403, 404, 405, 413, 422].map((status): StatusRow => ({ status, result: 'rejected' })),
  { status: 410, result: 'rejected', gone: true },
  ...[408, 425, 429, 500, 503].map((status): StatusRow => ({ status, result: 'retry' })),
  ...[502, 504].map((status): StatusRow => ({ status, result: 'retry', mayHaveArrived: true })),
];

/** The shared table with some rows replaced. */
export const httpStatuses = (...changes: readonly StatusRow[]): StatusRow[] =>
  HTTP_STATUSES.map((row) => changes.find(({ status }) => status === row.status) ?? row);

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Waits for a condition of the outside world, up to ten seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the awaited condition did not come true within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The suite every channel passes before it is trusted with an alert. */
export function describeChannel(suite: ChannelSuite): void {
  describe(`channel ${suite.type}`, () => {
    let bench: ChannelBench;
    let provider: ProviderDouble;

    beforeAll(async () => {
      bench = await openChannelBench({}, suite.trustedCertificates);
      provider = await suite.open();
    });
    afterAll(async () => {
      await provider.stop();
      await bench.close();
    });
    afterEach(() => provider.verify());

    const send = (
      notice = noticeOf('triggered'),
      options: { egress?: EgressRule; signal?: AbortSignal; config?: object } = {},
    ): Promise<SendOutcome> =>
      bench.registry.send(suite.type, notice, options.config ?? provider.config(), {
        egress: options.egress ?? bench.trusted,
        signal: options.signal ?? new AbortController().signal,
      });

    const sent = async (notice = noticeOf('triggered')): Promise<ReceivedMessage> => {
      provider.succeed();
      expect(await send(notice)).toMatchObject({ result: 'delivered' });
      const message = provider.messages().at(-1);
      if (!message) throw new Error('the provider got nothing');
      return message;
    };

    it('accepts the config that the tests send with', () => {
      expect(bench.configs.validate(suite.type, provider.config())).toHaveProperty('config');
    });

    it.each(['triggered', 'resolved', 'test'] as const)('says "%s" exactly as its golden file', async (kind) => {
      const { golden } = await sent(noticeOf(kind));
      expectGolden(`${suite.type}.${kind}.${provider.goldenExtension}`, golden);
    });

    it.each(['recovered', 'digest', 'flapping'] as const)('can say "%s"', async (kind) => {
      expect((await sent(noticeOf(kind))).text).not.toBe('');
    });

    it.each(suite.statuses)('takes status $status for: $result', async ({ status, result, gone, mayHaveArrived }) => {
      provider.fail(status, 'something is wrong', status < 400 ? { location: '/elsewhere' } : {});
      expect(await send()).toMatchObject({
        result,
        status,
        error: expect.stringContaining(String(status)),
        ...(result === 'retry' ? { mayHaveArrived: mayHaveArrived ?? false } : { gone: gone ?? false }),
      });
      expect(provider.messages()).toHaveLength(1);
    });

    if (suite.honoursRetryAfter !== false) {
      it.each([
        { header: '30', ms: 30_000 },
        { header: '1', ms: 5000 },
        { header: '864000', ms: 3_600_000 },
        { header: 'Fri, 20 Nov 2026 12:07:00 GMT', ms: 120_000 },
        { header: '-5', ms: null },
        { header: 'soon', ms: null },
      ])('waits $ms ms when told "Retry-After: $header"', async ({ header, ms }) => {
        provider.fail(429, 'too many', { 'retry-after': header });
        expect(await send()).toMatchObject({ result: 'retry', retryAfterMs: ms, mayHaveArrived: false });
      });
    }

    it('gives up when the attempt is over, not knowing whether the message arrived', async () => {
      provider.hang();
      const attempt = new AbortController();
      const outcome = send(noticeOf('triggered'), { signal: attempt.signal });
      await until(() => provider.messages().length === 1);
      attempt.abort();
      expect(await outcome).toMatchObject({ result: 'retry', status: null, mayHaveArrived: true });
    });

    it('does not know whether the message arrived when the connection is lost before the answer', async () => {
      provider.drop();
      expect(await send()).toMatchObject({ result: 'retry', status: null, mayHaveArrived: true });
    });

    it('knows that nothing arrived when nobody listens', async () => {
      const closed = await suite.open();
      const config = closed.config();
      await closed.stop();
      expect(await send(noticeOf('triggered'), { config })).toMatchObject({
        result: 'retry',
        status: null,
        mayHaveArrived: false,
      });
    });

    it('knows that nothing arrived when the attempt was over before it began', async () => {
      expect(await send(noticeOf('triggered'), { signal: AbortSignal.abort() })).toMatchObject({
        result: 'retry',
        mayHaveArrived: false,
      });
    });

    it('does not connect where the egress policy forbids it, and says so', async () => {
      expect(await send(noticeOf('triggered'), { egress: bench.untrusted })).toMatchObject({
        result: 'rejected',
        error: expect.stringContaining('egress policy'),
        gone: false,
      });
      expect(provider.messages()).toHaveLength(0);
    });

    it('tells no secret when the provider repeats all of them', async () => {
      const refusals = suite.statuses.filter(({ result }) => result === 'rejected').map(({ status }) => status);
      for (const status of [...refusals.slice(-1), 503].filter((one) =>
        suite.statuses.some((row) => row.status === one),
      )) {
        provider.fail(status, `no: ${suite.secrets.join(' ')} ${suite.secrets.map(encodeURIComponent).join(' ')}`);
        const outcome = await send();
        for (const secret of suite.secrets) expect(JSON.stringify(outcome)).not.toContain(secret);
      }
    });

    it('tells no secret when the connection fails', async () => {
      provider.drop();
      const outcomes = [await send(), await send(noticeOf('triggered'), { egress: bench.untrusted })];
      for (const secret of suite.secrets) expect(JSON.stringify(outcomes)).not.toContain(secret);
    });

    it('keeps error texts on one line of at most 300 characters', async () => {
      const [refusal] = suite.statuses.filter(({ result }) => result === 'rejected').slice(-1);
      provider.fail(refusal?.status ?? 400, 'long '.repeat(100));
      const outcome = await send();
      const error = outcome.result === 'delivered' ? '' : outcome.error;
      expect(error).toMatch(/^[^\r\n]{10,300}$/);
    });

    it('keeps every text within what the vendor allows, without cutting a character in half', async () => {
      const message = await sent(longNotice());
      const limits = suite.limits(message);
      expect(limits.length).toBeGreaterThan(0);
      expect(limits.filter(({ text, max }) => text === '' || text.length > max)).toEqual([]);
      expect(limits.filter(({ text }) => LONE_SURROGATE.test(text))).toEqual([]);
    });

    it('lets hostile names and errors be nothing but text', async () => {
      const message = await sent(hostileNotice());
      expect(message.strings.filter((text) => /[^\P{Cc}\n]|\p{Bidi_Control}|\p{Cs}/u.test(text))).toEqual([]);
      suite.expectHarmless(message);
    });

    const destinationOf = (config: object) => bench.registry.destination(suite.type, config);

    it('describes its destination by a stable digest without secrets', () => {
      const destination = destinationOf(provider.config());
      expect(destination).toBe(destinationOf(provider.config()));
      expect(destination.length).toBeLessThanOrEqual(64);
      for (const secret of suite.secrets) expect(destination).not.toContain(secret);
      expect(destination).not.toBe(destinationOf(provider.config('http://127.0.0.1:9')));
    });

    const { keyOf } = suite;
    if (keyOf) {
      it('repeats a message with the same key', async () => {
        const first = keyOf(await sent());
        expect(keyOf(await sent(noticeOf('triggered', { repeat: true })))).toBe(first);
      });

      it(`gives a resolve ${suite.keyIsShared ? 'the key' : 'another key than that'} of its trigger`, async () => {
        const [trigger, resolve] = [keyOf(await sent()), keyOf(await sent(noticeOf('resolved')))];
        expect(resolve === trigger).toBe(suite.keyIsShared ?? false);
      });

      it('gives another incident another key, and a test one of its own', async () => {
        const next = noticeOf('triggered', { incidentKey: 'al_01jd4alert00000000000000000-8', id: 'ev_next' });
        const keys = [await sent(), await sent(next), await sent(noticeOf('test'))].map(keyOf);
        expect(new Set(keys).size).toBe(3);
      });
    } else {
      it('says that it may repeat itself, having no key', async () => {
        expect((await sent(noticeOf('triggered', { repeat: true }))).text).toContain('Repeat: Checkout API is down');
        expect((await sent()).text).not.toContain('Repeat');
      });
    }
  });
}
