import { openChannelBench } from '../../../packages/testing/channel/channel-bench';
import { notificationOf } from '../../../packages/testing/channel/notifications';
import { type HttpProviderFake, recordOf } from '../../../packages/testing/channel/provider-double';

/** A request as it is sent to a fake. */
export interface RawRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A request that breaks one rule, and its expected result. */
export interface BrokenRequest {
  /** Completes "refuses …". */
  what: string;
  /** Makes one change to the request of the channel. */
  change: (request: RawRequest) => RawRequest;
  status: number;
  /** The vendor's error: the whole text, or fields of the JSON. */
  body: string | object;
  /** The message of `verify` about it. */
  sentence: string;
}

/** Changes the JSON body with a function that may modify its argument. */
export const withBody =
  <Body extends object>(change: (body: Body) => object | void) =>
  (request: RawRequest): RawRequest => {
    const body = JSON.parse(request.body) as Body;
    return { ...request, body: JSON.stringify(change(body) ?? body) };
  };

/** Sets fields of the JSON body. `undefined` removes one. */
export const withFields = (fields: object) => withBody((body) => ({ ...body, ...fields }));

/** Sets fields of the form. `undefined` removes one. */
export const withForm =
  (fields: Readonly<Record<string, string | undefined>>) =>
  (request: RawRequest): RawRequest => {
    const form = new URLSearchParams(request.body);
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) form.delete(name);
      else form.set(name, value);
    }
    return { ...request, body: form.toString() };
  };

export const withPath = (path: string) => (request: RawRequest) => ({ ...request, path });

export const withHeaders = (headers: Record<string, string>) => (request: RawRequest) => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

/** Headers that the client sets. */
const OF_THE_CLIENT = ['host', 'connection', 'content-length', 'accept-encoding', 'user-agent'];

/** Returns the request that the channel of this type sends about an incident, as it arrives at its fake. */
export async function realRequest(
  type: string,
  fake: HttpProviderFake,
  kind: 'triggered' | 'resolved' = 'triggered',
): Promise<RawRequest> {
  const bench = await openChannelBench();
  fake.acceptAll();
  const limits = { egress: bench.trusted, signal: new AbortController().signal };
  const outcome = await bench.registry.send(type, notificationOf(kind), fake.config(), limits);
  const [request] = fake.requests;
  await bench.close();
  if (!request || outcome.result !== 'delivered') throw new Error(`the channel ${type} did not deliver to its fake`);
  const { method, path, body } = request;
  const headers = Object.entries(request.headers).filter(([name]) => !OF_THE_CLIENT.includes(name));
  fake.verify();
  return { method, path, body, headers: Object.fromEntries(headers) };
}

export async function send(
  fake: HttpProviderFake,
  { method, path, headers, body }: RawRequest,
): Promise<{ status: number; body: string }> {
  const response = await fetch(fake.url + path, { method, headers, ...(method === 'GET' ? {} : { body }) });
  return { status: response.status, body: await response.text() };
}

/** Proves that a fake accepts the channel's request, and refuses it as the vendor does after each of the changes. */
export function describeStrictness(
  type: string,
  open: () => Promise<HttpProviderFake>,
  success: number,
  broken: readonly BrokenRequest[],
): void {
  describe(`the strict fake of ${type}`, () => {
    let fake: HttpProviderFake;
    let real: RawRequest;
    beforeAll(async () => {
      fake = await open();
      real = await realRequest(type, fake);
    });
    afterAll(() => fake.stop());

    it('accepts what the channel sends', async () => {
      fake.succeed();
      expect((await send(fake, real)).status).toBe(success);
      expect(() => fake.verify()).not.toThrow();
    });

    it.each(broken)('refuses $what', async ({ change, status, body, sentence }) => {
      fake.acceptAll();
      const response = await send(fake, change(real));
      expect(response.status).toBe(status);
      if (typeof body === 'string') expect(response.body).toBe(body);
      else expect(parsed(response.body)).toMatchObject(body);
      expect(() => fake.verify()).toThrow(sentence);
    });

    it('fails "verify" for a broken rule although the script had the provider fail', async () => {
      fake.fail(503);
      expect((await send(fake, { ...real, headers: {}, body: '?' })).status).toBe(503);
      expect(() => fake.verify()).toThrow(/^[\w. -]+: /);
      expect(() => fake.verify()).not.toThrow();
    });

    it('fails "verify" for a message that no script covers, and for a script that no message used', async () => {
      await send(fake, real);
      expect(() => fake.verify()).toThrow('unexpected requests');
      fake.succeed();
      expect(() => fake.verify()).toThrow('still expects 1 requests');
    });
  });
}

/** Returns JSON as an object. A text alone is the error. */
function parsed(body: string): unknown {
  const value: unknown = recordOf(body);
  return value ?? { error: body };
}
