import { FakeProvider, type ProviderScript, type ReceivedRequest } from '../servers/fake-provider';

/** One message as the provider received it. */
export interface ReceivedMessage {
  /** All of it, decoded, as text. */
  text: string;
  /** Every string in it, as the receiver parses them. */
  strings: string[];
  /** The body as data: parsed JSON or form fields of a request; `{}` for a mail. */
  data: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, string>>;
  path: string;
  /** The form in which it is kept in `test/contract/channel/golden`. */
  golden: string;
}

/** A scripted provider of any protocol. One script per attempt; any other request fails `verify`. */
export interface ProviderDouble {
  goldenExtension: 'json' | 'txt';
  /** A config that sends here, or to `elsewhere`. */
  config(elsewhere?: string): object;
  /** Accepts the message as the vendor does. */
  succeed(): void;
  /** Responds with this status and error text, in the vendor's own form. */
  fail(status: number, text?: string, headers?: Readonly<Record<string, string>>): void;
  /** Reads the whole message and never responds. */
  hang(): void;
  /** Reads the whole message and drops the connection. */
  drop(): void;
  messages(): ReceivedMessage[];
  verify(): void;
  stop(): Promise<void>;
}

/** How an HTTP provider reports success and errors. */
export interface HttpVendor {
  config(url: string): object;
  success: ProviderScript;
  errorBody(status: number, text: string): string;
  /** Headers that are part of the message, besides its content type. */
  goldenHeaders?: readonly string[];
}

/** A double of a vendor with an HTTP API. */
export async function httpDouble(vendor: HttpVendor): Promise<ProviderDouble & { fake: FakeProvider }> {
  const fake = await FakeProvider.start();
  return {
    fake,
    goldenExtension: 'json',
    config: (elsewhere) => vendor.config(elsewhere ?? fake.url),
    succeed: () => fake.expect(vendor.success),
    fail: (status, text = 'something is wrong', headers = {}) =>
      fake.expect({ status, headers, body: vendor.errorBody(status, text) }),
    hang: () => fake.expect('hang'),
    drop: () => fake.expect('reset'),
    messages: () => fake.requests.map((request) => asMessage(request, vendor.goldenHeaders ?? [])),
    verify: () => fake.verify(),
    stop: () => fake.stop(),
  };
}

function asMessage(request: ReceivedRequest, goldenHeaders: readonly string[]): ReceivedMessage {
  const data = dataOf(request);
  const headers = Object.fromEntries(
    ['content-type', ...goldenHeaders].map((name) => [name, request.headers[name] ?? null]),
  );
  return {
    text: `${request.path}\n${JSON.stringify(data)}`,
    strings: stringsIn(data),
    data,
    headers: request.headers,
    path: request.path,
    golden: `${JSON.stringify({ method: request.method, path: request.path, headers, body: data }, null, 2)}\n`,
  };
}

function dataOf({ headers, body }: ReceivedRequest): Readonly<Record<string, unknown>> {
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(body));
  return JSON.parse(body) as Record<string, unknown>;
}

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};
