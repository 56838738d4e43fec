import { Module, type Type } from '@nestjs/common';
import type { Channel, SendOutcome } from '../../../src/channel/channel';
import type { Notification } from '../../../src/channel/notification';
import { isHuman } from '../../../src/delivery/delivery';
import type { NestModule } from '../../../src/extension/extension';
import type { EgressRule } from '../../../src/platform/net/egress/egress-policy';
import { eventually } from '../eventually';
import { type ChannelBench, openChannelBench } from './channel-bench';
import { expectGolden } from './golden';
import {
  contactTest,
  fold,
  fromLocations,
  hostileNotification,
  linked,
  longNotification,
  notificationOf,
} from './notifications';
import type { ProviderDouble, ReceivedMessage } from './provider-double';

/** The expected result for a response status. */
export interface StatusRow {
  status: number;
  result: 'retry' | 'rejected';
  /** True if the destination no longer exists. The delivery is parked immediately. */
  gone?: boolean;
  /** True if the message may have been sent despite this response. */
  mayHaveArrived?: boolean;
}

/** A string in a message, and the vendor's limit for it. */
export interface LimitedText {
  name: string;
  text: string;
  max: number;
}

/** The properties of a channel that the test suite needs. */
export interface ChannelSuite {
  type: string;
  open(): Promise<ProviderDouble>;
  /** Every credential in the double's config. */
  secrets: readonly string[];
  statuses: readonly StatusRow[];
  /** Returns the parts of a message that the vendor limits. */
  limits(message: ReceivedMessage): LimitedText[];
  /** Fails if hostile text could be interpreted as anything but text. */
  expectHarmless(message: ReceivedMessage): void;
  /** Returns a message's idempotency key. Channels without one must mark repeated messages in the text. */
  keyOf?: (message: ReceivedMessage) => string;
  /** True if a resolve shares its trigger's key (pagers). False if it has a separate key (webhook, email). */
  keyIsShared?: boolean;
  /** True if the channel sends incident acknowledgements. */
  acknowledges?: boolean;
  /** False if the protocol can't specify when to retry. */
  honoursRetryAfter?: boolean;
  /** The double's certificates, in PEM format. */
  trustedCertificates?: readonly string[];
  /** The channel's class, if the channel isn't built into the service. */
  channel?: Type<Channel>;
  /** The folder for golden files, absolute or relative to the working directory. Default: `golden` next to the spec. */
  golden?: string;
}

/** Status codes that mean the same for every HTTP API. */
export const HTTP_STATUSES: readonly StatusRow[] = [
  ...[301, 302, 303, 307, 308].map((status): StatusRow => ({ status, result: 'rejected' })),
  ...[400, 401, 403, 404, 405, 413, 422].map((status): StatusRow => ({ status, result: 'rejected' })),
  { status: 410, result: 'rejected', gone: true },
  ...[408, 425, 429, 500, 503].map((status): StatusRow => ({ status, result: 'retry' })),
  ...[502, 504].map((status): StatusRow => ({ status, result: 'retry', mayHaveArrived: true })),
];

/** Returns the shared table with some rows replaced. */
export const httpStatuses = (...changes: readonly StatusRow[]): StatusRow[] =>
  HTTP_STATUSES.map((row) => changes.find(({ status }) => status === row.status) ?? row);

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

@Module({})
class ForeignChannel {}

const modulesOf = ({ channel }: ChannelSuite): NestModule[] =>
  channel ? [{ module: ForeignChannel, providers: [channel] }] : [];

/** Declares the suite that every channel must pass. */
export function describeChannel(suite: ChannelSuite): void {
  describe(`channel ${suite.type}`, () => {
    let bench: ChannelBench;
    let provider: ProviderDouble;

    beforeAll(async () => {
      bench = await openChannelBench({ certificates: suite.trustedCertificates, modules: modulesOf(suite) });
      provider = await suite.open();
    });
    afterAll(async () => {
      await provider.stop();
      await bench.close();
    });
    afterEach(() => provider.verify());

    const send = (
      notification = notificationOf('triggered'),
      options: { egress?: EgressRule; signal?: AbortSignal; config?: object } = {},
    ): Promise<SendOutcome> =>
      bench.registry.send(suite.type, notification, options.config ?? provider.config(), {
        egress: options.egress ?? bench.trusted,
        signal: options.signal ?? new AbortController().signal,
      });

    const sent = async (notification = notificationOf('triggered')): Promise<ReceivedMessage> => {
      provider.succeed();
      expect(await send(notification)).toMatchObject({ result: 'delivered' });
      const message = provider.messages().at(-1);
      if (!message) throw new Error('the provider received nothing');
      return message;
    };

    it('accepts the config that the tests send with', () => {
      expect(bench.configs.validate(suite.type, provider.config())).toHaveProperty('config');
    });

    it.each(['triggered', 'resolved', 'test'] as const)('sends "%s" exactly as in its golden file', async (kind) => {
      const { golden } = await sent(notificationOf(kind));
      expectGolden(`${suite.type}.${kind}.${provider.goldenExtension}`, golden, suite.golden);
    });

    const audience = () => bench.registry.get(suite.type).audience;
    const withLinks = (notification: Notification): Notification => linked(notification, audience());
    const expectGoldenOf = async (name: string, notification: Notification): Promise<void> =>
      expectGolden(
        `${suite.type}.${name}.${provider.goldenExtension}`,
        (await sent(notification)).golden,
        suite.golden,
      );

    it.each(['triggered', 'resolved'] as const)(
      'sends "%s" with links exactly as in its golden file, if PUBLIC_URL is set',
      (kind) => expectGoldenOf(`${kind}-linked`, withLinks(notificationOf(kind))),
    );

    it('sends the test message of a contact exactly as in its golden file, without endpoint details', async () => {
      await expectGoldenOf('contact-test', contactTest());
      await expectGoldenOf('contact-test-linked', withLinks(contactTest()));
    });

    if (!suite.acknowledges) {
      it('sends a reminder exactly as in its golden file, with and without links', async () => {
        await expectGoldenOf('reminder', notificationOf('reminder'));
        await expectGoldenOf('reminder-linked', withLinks(notificationOf('reminder')));
      });

      it('reports a failing contact exactly as in its golden file, with and without links', async () => {
        await expectGoldenOf('contact-failing', notificationOf('contact_failing'));
        await expectGoldenOf('contact-failing-linked', withLinks(notificationOf('contact_failing')));
      });

      it('reports that a certificate expires soon exactly as in its golden file, with and without links', async () => {
        await expectGoldenOf('expiry', notificationOf('expiry'));
        await expectGoldenOf('expiry-linked', withLinks(notificationOf('expiry')));
      });
    }

    it('combines several alerts of one incident in one message exactly as in its golden file, with and without links', async () => {
      if (!isHuman(audience())) return;
      await expectGoldenOf('fold', fold());
      await expectGoldenOf('fold-linked', withLinks(fold()));
    });

    it('names the locations from which an endpoint is down exactly as in its golden file', async () => {
      await expectGoldenOf('locations', fromLocations());
    });

    it('never cuts a link, even when it cuts the text', async () => {
      const notification = withLinks(longNotification());
      const message = await sent(notification);
      expect(suite.limits(message).filter(({ text, max }) => text === '' || text.length > max)).toEqual([]);
      if (audience() === 'sms') return;
      const { page, acknowledge } = notification.links ?? { page: '', acknowledge: null };
      for (const url of [page, acknowledge ?? page]) expect(message.strings.join('\n')).toContain(url);
    });

    it.each(['recovered', 'digest', 'flapping'] as const)('can send "%s"', async (kind) => {
      expect((await sent(notificationOf(kind))).text).not.toBe('');
    });

    if (suite.acknowledges) {
      it('sends "acknowledged" exactly as in its golden file, with the key of its trigger', async () => {
        const acknowledged = await sent(notificationOf('acknowledged'));
        expectGolden(`${suite.type}.acknowledged.${provider.goldenExtension}`, acknowledged.golden, suite.golden);
        expect(suite.keyOf?.(acknowledged)).toBe(suite.keyOf?.(await sent()));
      });
    }

    it('declares whether it can receive an acknowledgement', () => {
      expect(bench.registry.get(suite.type).acknowledges ?? false).toBe(suite.acknowledges ?? false);
    });

    it('reports the endpoint as degraded for a warning', async () => {
      const degraded = { condition: 'degraded', isDegraded: true } as const;
      const warning = { code: 'assertion_failed', message: 'the certificate expires in 10 days' };
      const { strings } = await sent(notificationOf('triggered', { ...degraded, error: warning }));
      expect(strings.join('\n')).toContain('Checkout API is degraded: the certificate expires in 10 days');
    });

    it.each(suite.statuses)('judges status $status as $result', async ({ status, result, gone, mayHaveArrived }) => {
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
      ])('waits $ms ms after "Retry-After: $header"', async ({ header, ms }) => {
        provider.fail(429, 'too many', { 'retry-after': header });
        expect(await send()).toMatchObject({ result: 'retry', retryAfterMs: ms, mayHaveArrived: false });
      });
    }

    it('gives up when the attempt times out, and reports that the message may have arrived', async () => {
      provider.hang();
      const attempt = new AbortController();
      const outcome = send(notificationOf('triggered'), { signal: attempt.signal });
      await eventually('the message to arrive', () => provider.messages().length === 1, 10_000);
      attempt.abort();
      expect(await outcome).toMatchObject({ result: 'retry', status: null, mayHaveArrived: true });
    });

    it('reports that the message may have arrived when the connection is lost before the response', async () => {
      provider.drop();
      expect(await send()).toMatchObject({ result: 'retry', status: null, mayHaveArrived: true });
    });

    it('reports that nothing arrived when the connection is refused', async () => {
      const closed = await suite.open();
      const config = closed.config();
      await closed.stop();
      expect(await send(notificationOf('triggered'), { config })).toMatchObject({
        result: 'retry',
        status: null,
        mayHaveArrived: false,
      });
    });

    it('reports that nothing arrived if the attempt ended before it started', async () => {
      expect(await send(notificationOf('triggered'), { signal: AbortSignal.abort() })).toMatchObject({
        result: 'retry',
        mayHaveArrived: false,
      });
    });

    it('does not connect if the egress policy forbids it, and names the policy', async () => {
      expect(await send(notificationOf('triggered'), { egress: bench.untrusted })).toMatchObject({
        result: 'rejected',
        error: expect.stringContaining('egress policy'),
        gone: false,
      });
      expect(provider.messages()).toHaveLength(0);
    });

    it('removes all secrets that the provider repeats from the error', async () => {
      const refusals = suite.statuses.filter(({ result }) => result === 'rejected').map(({ status }) => status);
      for (const status of [...refusals.slice(-1), 503].filter((one) =>
        suite.statuses.some((row) => row.status === one),
      )) {
        provider.fail(status, `no: ${suite.secrets.join(' ')} ${suite.secrets.map(encodeURIComponent).join(' ')}`);
        const outcome = await send();
        for (const secret of suite.secrets) expect(JSON.stringify(outcome)).not.toContain(secret);
      }
    });

    it('names no secret in the error of a failed connection', async () => {
      provider.drop();
      const outcomes = [await send(), await send(notificationOf('triggered'), { egress: bench.untrusted })];
      for (const secret of suite.secrets) expect(JSON.stringify(outcomes)).not.toContain(secret);
    });

    it('quotes nothing from a provider at a private address', async () => {
      const [refusal] = suite.statuses.filter(({ result }) => result === 'rejected').slice(-1);
      provider.fail(refusal?.status ?? 400, 'internal-words');
      expect(JSON.stringify(await send())).not.toContain('internal-words');
    });

    it('keeps error texts on one line of at most 300 characters', async () => {
      const [refusal] = suite.statuses.filter(({ result }) => result === 'rejected').slice(-1);
      provider.fail(refusal?.status ?? 400, 'long '.repeat(100));
      const outcome = await send();
      const error = outcome.result === 'delivered' ? '' : outcome.error;
      expect(error).toMatch(/^[^\r\n]{10,300}$/);
    });

    it('keeps every text within the limits of the vendor, without cutting a character in half', async () => {
      const message = await sent(longNotification());
      const limits = suite.limits(message);
      expect(limits.length).toBeGreaterThan(0);
      expect(limits.filter(({ text, max }) => text === '' || text.length > max)).toEqual([]);
      expect(limits.filter(({ text }) => LONE_SURROGATE.test(text))).toEqual([]);
    });

    it('sends hostile names and errors as plain text only', async () => {
      const message = await sent(hostileNotification());
      expect(message.strings.filter((text) => /[^\P{Cc}\n]|\p{Bidi_Control}|\p{Cs}/u.test(text))).toEqual([]);
      suite.expectHarmless(message);
    });

    const destinationOf = (config: object) => bench.registry.destination(suite.type, config);

    it('has a stable destination key without secrets', () => {
      const destination = destinationOf(provider.config());
      expect(destination).toBe(destinationOf(provider.config()));
      expect(destination.length).toBeLessThanOrEqual(64);
      for (const secret of suite.secrets) expect(destination).not.toContain(secret);
      expect(destination).not.toBe(destinationOf(provider.config('http://127.0.0.1:9')));
    });

    const { keyOf } = suite;
    if (keyOf) {
      it('sends a repeated attempt with the same key', async () => {
        const first = keyOf(await sent());
        expect(keyOf(await sent(notificationOf('triggered', { repeat: true })))).toBe(first);
      });

      it(`sends a resolve with ${suite.keyIsShared ? 'the same key as' : 'a different key than'} its trigger`, async () => {
        const [trigger, resolve] = [keyOf(await sent()), keyOf(await sent(notificationOf('resolved')))];
        expect(resolve === trigger).toBe(suite.keyIsShared ?? false);
      });

      it('uses a different key for another incident and for a test', async () => {
        const next = notificationOf('triggered', { incidentKey: 'al_01jd4alert00000000000000000-8', id: 'ev_next' });
        const keys = [await sent(), await sent(next), await sent(notificationOf('test'))].map(keyOf);
        expect(new Set(keys).size).toBe(3);
      });
    } else {
      it('states in the text that a message may be a repeat, because it has no key', async () => {
        expect((await sent(notificationOf('triggered', { repeat: true }))).text).toContain(
          'Repeat: Checkout API is down',
        );
        expect((await sent()).text).not.toContain('Repeat');
      });
    }
  });
}
