import { type BrokenRule, httpDouble, type HttpProviderFake } from '../channel/provider-double';
import type { ReceivedRequest, ScriptedResponse } from '../servers/fake-provider';
import { type Data, Rules } from './rules';

const JSON_TYPE = { 'content-type': 'application/json' };

/** A service with one HTTP API, and the rules that its documentation states. */
export interface Vendor {
  name: string;
  config(url: string): object;
  /** The response to an accepted message: the status, and the JSON or text of the body. */
  success: { status: number; body?: object | string; headers?: Readonly<Record<string, string>> };
  /** Returns the body of an error response. */
  error(status: number, text: string): object | string;
  /** The status for a message that breaks a rule. Default: 400. */
  refusal?: number;
  goldenHeaders?: readonly string[];
  method?: 'POST' | 'PUT';
  /** Matches the paths that exist. Others are answered with 404. */
  path: RegExp;
  /** The header with the credential, and its expected value. Another value is answered with 401. */
  credential?: readonly [name: string, value: string];
  /** Checks the message: its JSON, or its form fields. */
  rules(rules: Rules, data: Data, request: ReceivedRequest): void;
  encoding?: 'json' | 'form' | 'list';
}

/** The fake of a service, with every credential in its config. */
export interface VendorFake {
  open: () => Promise<HttpProviderFake>;
  secrets: readonly string[];
}

/** Describes a service whose fake refuses what the service refuses. */
export const fakeOf = (vendor: Vendor, secrets: readonly string[]): VendorFake => ({
  secrets,
  open: () =>
    httpDouble({
      name: vendor.name,
      config: (url) => vendor.config(url),
      success: (): ScriptedResponse => ({
        status: vendor.success.status,
        headers: { ...JSON_TYPE, ...vendor.success.headers },
        body: textOf(vendor.success.body ?? ''),
      }),
      errorBody: (status, text) => textOf(vendor.error(status, text)),
      ...(vendor.goldenHeaders ? { goldenHeaders: vendor.goldenHeaders } : {}),
      brokenRules: (request) => brokenRules(vendor, request),
    }),
});

const textOf = (body: object | string): string => (typeof body === 'string' ? body : JSON.stringify(body));

function brokenRules(vendor: Vendor, request: ReceivedRequest): readonly BrokenRule[] {
  const { name, method = 'POST', path, credential, encoding = 'json', refusal = 400 } = vendor;
  const rules = new Rules({
    vendor: name,
    status: refusal,
    error: (at, { expected }) => `${at || 'request'} must be ${expected}`,
  });
  const isPath = rules.must(path.test(request.path), '', 'to a path that exists', request.path, { status: 404 });
  if (!isPath || !rules.must(request.method === method, '', `a ${method}`, request.method, { status: 405 }))
    return rules.broken;
  if (credential) {
    const [header, value] = credential;
    const shown = request.headers[header];
    if (!rules.must(shown === value, header, 'the credential', shown, { status: 401 })) return rules.broken;
  }
  const data =
    encoding === 'form' ? formIn(rules, request) : encoding === 'list' ? listIn(rules, request) : rules.json(request);
  if (data) vendor.rules(rules, data, request);
  return rules.broken;
}

function formIn(rules: Rules, request: ReceivedRequest): Data | null {
  const type = request.headers['content-type'] ?? '';
  const isForm = /^application\/x-www-form-urlencoded(?:; *charset=utf-8)?$/i.test(type);
  if (!rules.must(isForm, '', 'sent as application/x-www-form-urlencoded', type)) return null;
  return Object.fromEntries(new URLSearchParams(request.body));
}

/** Returns the list in a body as `items`. */
function listIn(rules: Rules, request: ReceivedRequest): Data | null {
  const type = request.headers['content-type'] ?? '';
  if (!rules.must(/^application\/json/i.test(type), '', 'sent as application/json', type)) return null;
  let items: unknown = null;
  try {
    items = JSON.parse(request.body);
  } catch {
    // Not JSON, so it is not a list either.
  }
  return rules.must(Array.isArray(items), '', 'a JSON list', request.body) ? { items } : null;
}

/** Checks that a text has at most this many bytes in UTF-8. */
export function bytes(rules: Rules, path: string, value: unknown, max: number): void {
  if (!rules.text(path, value, { max: Infinity, required: true })) return;
  rules.must(Buffer.byteLength(value) <= max, path, `at most ${max} bytes`, Buffer.byteLength(value));
}

/** Checks that an object has no other keys, for services that refuse unknown ones. */
export function only(rules: Rules, path: string, value: Data, keys: readonly string[]): void {
  const unknown = Object.keys(value).filter((key) => !keys.includes(key));
  rules.must(unknown.length === 0, path, `an object with the keys ${keys.join(', ')} only`, unknown);
}
