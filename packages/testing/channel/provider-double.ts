import { isRecord } from '../../../src/platform/text/json';
import {
  actionOf,
  FakeProvider,
  type ProviderScript,
  type ReceivedRequest,
  type ScriptedResponse,
} from '../servers/fake-provider';

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
  /** Accepts the next message as the vendor does. */
  succeed(): void;
  /** Responds to the next message with this status and error text, in the vendor's own form. */
  fail(status: number, text?: string, headers?: Readonly<Record<string, string>>): void;
  /** Reads the whole next message and never responds. */
  hang(): void;
  /** Reads the whole next message and drops the connection. */
  drop(): void;
  /** What has arrived since `verify`, accepted or not, oldest first. */
  messages(): ReceivedMessage[];
  /** Throws when something arrived that no script covered, or when a script was never used. Clears record and scripts. */
  verify(): void;
  stop(): Promise<void>;
}

/**
 * A provider that judges each message as its vendor would. What breaks a rule is refused in the vendor's own form in place
 * of a success, and `verify` throws a sentence for each rule and the value that broke it, whatever the response was.
 */
export interface ProviderFake extends ProviderDouble {
  /** Accepts every message that has no script of its own, until `verify`. */
  acceptAll(): void;
}

/** A rule of the vendor that a message breaks. */
export interface BrokenRule {
  /** Status and error text with which the vendor refuses it. */
  status: number;
  error: string;
  /** The vendor's number of the error, where it has them. */
  code?: number;
  /** What it is about, as `embeds[0].title`; empty for the request as a whole. */
  path: string;
  /** For who reads the failed test: vendor, rule and value. */
  sentence: string;
}

/** How an HTTP provider reports success and errors, and what it refuses. */
export interface HttpVendor {
  /** As sentences name it. */
  name?: string;
  config(url: string): object;
  success: ProviderScript;
  errorBody(status: number, text: string): string;
  /** Headers that are part of the message, besides its content type. */
  goldenHeaders?: readonly string[];
  /** The rules that a request breaks, the one it is refused for first. Without it every request is good. */
  brokenRules?(request: ReceivedRequest): readonly BrokenRule[];
  /** The response to a request that breaks rules; the status of the first one with its `errorBody` unless given. */
  refusal?(broken: readonly [BrokenRule, ...BrokenRule[]]): ScriptedResponse;
}

/** A provider with an HTTP API on loopback. */
export interface HttpProviderFake extends ProviderFake {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  readonly url: string;
  /** What has arrived since `verify`, as it came; `status` is that of the response. */
  readonly requests: readonly ReceivedRequest[];
  /** Scripts for the next requests, one each, in order; played as they are, even when a request breaks a rule. */
  respond(...scripts: ProviderScript[]): void;
}

/** A double of a vendor with an HTTP API; strict as far as the vendor is given rules. */
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

/** Throws one error with all problems, one a line, when there are any. */
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
  return recordOf(body) ?? {};
}

/** The JSON object that a body is, `null` for any other body. */
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
