import { isRecord } from '../../../src/platform/text/json';
import {
  actionOf,
  FakeProvider,
  type ProviderScript,
  type ReceivedRequest,
  type ScriptedResponse,
} from '../servers/fake-provider';

/** A message as received by the provider. */
export interface ReceivedMessage {
  /** The whole message, decoded. */
  text: string;
  /** Every string in the message, as the receiver would parse it. */
  strings: string[];
  /** The body as data: parsed JSON, or a request's form fields. `{}` for an email. */
  data: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, string>>;
  path: string;
  /** The message in the format used for golden files in `test/contract/channel/golden`. */
  golden: string;
}

/** A scripted provider for any protocol. Each attempt uses one script. An attempt without a script fails `verify`. */
export interface ProviderDouble {
  goldenExtension: 'json' | 'txt';
  /** Returns a config that sends messages here, or to `elsewhere`. */
  config(elsewhere?: string): object;
  /** Accepts the next message the way the vendor does. */
  succeed(): void;
  /** Responds to the next message with this status and error text, in the vendor's format. */
  fail(status: number, text?: string, headers?: Readonly<Record<string, string>>): void;
  /** Reads the entire next message and never responds. */
  hang(): void;
  /** Reads the entire next message and drops the connection. */
  drop(): void;
  /** Returns the messages received since `verify`, accepted or not, oldest first. */
  messages(): ReceivedMessage[];
  /** Throws: an error if a message had no script, or if a script wasn't used. Clears the messages and scripts. */
  verify(): void;
  stop(): Promise<void>;
}

/**
 * A provider that validates each message as its vendor would. It rejects an invalid message in the vendor's format.
 * Regardless of the response, `verify` reports each broken rule and the invalid value.
 */
export interface ProviderFake extends ProviderDouble {
  /** Accepts every message that has no script, until `verify`. */
  acceptAll(): void;
}

/** A vendor rule that a message breaks. */
export interface BrokenRule {
  /** The vendor's status code and error text. */
  status: number;
  error: string;
  /** The vendor's error code, if there is one. */
  code?: number;
  /** The path of the invalid value, such as `embeds[0].title`. Empty if the whole request is invalid. */
  path: string;
  /** The failure message for the test: vendor, rule, and value. */
  sentence: string;
}

/** How an HTTP provider reports success and errors, and which requests it rejects. */
export interface HttpVendor {
  /** The name to show in messages. */
  name?: string;
  config(url: string): object;
  success: ProviderScript;
  errorBody(status: number, text: string): string;
  /** Headers that are part of the message, in addition to its content type. */
  goldenHeaders?: readonly string[];
  /**
   * Returns the rules that a request breaks, starting with the one it is rejected for. Without this function, every
   * request is valid.
   */
  brokenRules?(request: ReceivedRequest): readonly BrokenRule[];
  /** Returns the response to an invalid request. Default: the first broken rule's status with its `errorBody`. */
  refusal?(broken: readonly [BrokenRule, ...BrokenRule[]]): ScriptedResponse;
}

/** A provider with an HTTP API on the loopback interface. */
export interface HttpProviderFake extends ProviderFake {
  readonly url: string;
  /** The requests received since `verify`, unchanged. `status` is the response status. */
  readonly requests: readonly ReceivedRequest[];
  /** Queues one script for each of the next requests. Scripts also apply to requests that break a rule. */
  respond(...scripts: ProviderScript[]): void;
}

/** Starts a double for a vendor with an HTTP API. It is as strict as the given rules. */
export async function httpDouble(vendor: HttpVendor): Promise<HttpProviderFake> {
  const server = await FakeProvider.start();
  const sentences: string[] = [];

  const judge = (request: ReceivedRequest): readonly BrokenRule[] => {
    const broken = vendor.brokenRules?.(request) ?? [];
    sentences.push(...broken.map(({ sentence }) => sentence));
    return broken;
  };
  const always =
    (script: ProviderScript): ProviderScript =>
    (request) => {
      judge(request);
      return actionOf(script, request);
    };
  const unlessBroken: ProviderScript = (request) => {
    const [first, ...others] = judge(request);
    return first ? refusalOf(vendor, [first, ...others]) : actionOf(vendor.success, request);
  };

  return {
    url: server.url,
    requests: server.requests,
    goldenExtension: 'json',
    config: (elsewhere) => vendor.config(elsewhere ?? server.url),
    succeed: () => server.expect(unlessBroken),
    acceptAll: () => server.standingResponse(unlessBroken),
    respond: (...scripts) => server.expect(...scripts.map(always)),
    fail: (status, text = 'something is wrong', headers = {}) =>
      server.expect(always({ status, headers, body: vendor.errorBody(status, text) })),
    hang: () => server.expect(always('hang')),
    drop: () => server.expect(always('reset')),
    messages: () => server.requests.map((request) => asMessage(request, vendor.goldenHeaders ?? [])),
    verify: () => failWith([...sentences.splice(0), ...server.takeProblems()]),
    stop: () => server.stop(),
  };
}

/** Throws: an error that lists all problems, one per line, if there are any. */
export function failWith(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function refusalOf(vendor: HttpVendor, broken: readonly [BrokenRule, ...BrokenRule[]]): ScriptedResponse {
  const [{ status, error }] = broken;
  return vendor.refusal?.(broken) ?? { status, body: vendor.errorBody(status, error) };
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
  return recordOf(body) ?? listOf(body) ?? {};
}

/** Returns a JSON list, whose indexes are the names of its items. */
function listOf(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) ? (value as unknown as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

/** Parses a JSON object from a body. Returns `null` for any other body. */
export function recordOf(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};
