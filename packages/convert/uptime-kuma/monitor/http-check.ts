import { HTTP_METHODS } from '../../../../src/checker/check-request';
import { headerProblem } from '../../../../src/checker/request-headers';
import { unverifiedProblem } from '../../../../src/checker/tls-settings';
import { isRecord } from '../../../../src/platform/text/json';
import { readUrl } from '../../../../src/platform/text/read-url';
import { type Draft, type Mapped, quoted } from './draft';
import { jsonCondition } from './json-query';
import { mayBeJson } from './keyword';
import type { Row } from '../file/row';
import { acceptedCodes, USUAL_CODES } from './status-codes';

const FOLLOWED = 5;
/** Kuma's default maximum number of redirects. Other values are reported. */
const USUAL_REDIRECTS = 10;
/** Kuma warns 21, 14 and 7 days before a certificate expires. */
const WARNED_DAYS = '21';
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
};

const KEYWORD_IN_JSON =
  'Kuma searches the compact form of a JSON response for the keyword. Here, the keyword must be in the response exactly as it was sent, with its spaces and escapes';

const REFUSED_AUTH: Readonly<Record<string, string>> = {
  ntlm: 'it signs in with NTLM, which is not supported: its target would refuse the check',
};

interface Header {
  key: string;
  value: string;
}

/** Converts a monitor that sends HTTP requests: http, keyword, json-query, or real-browser. */
export function httpCheck(monitor: Row): Mapped {
  const refusal = REFUSED_AUTH[monitor.text('authMethod')];
  if (refusal !== undefined) return { reason: refusal };
  const identity = identityOf(monitor);
  if (typeof identity === 'string') return { reason: identity };
  const address = addressOf(monitor.text('url'));
  if (typeof address === 'string') return { reason: address };
  const differences: string[] = [];
  const codes = statusCodes(monitor, differences);
  if (codes === null) return { reason: 'it accepts no status code that a server can send, so it is always down' };
  const condition = conditionOf(monitor, differences);
  if (condition === null)
    return { reason: 'it requires that the body does not contain an empty keyword, so it is always down' };
  const method = (monitor.text('method') || 'GET').toUpperCase();
  if (!(HTTP_METHODS as readonly string[]).includes(method))
    return { reason: `the method ${quoted(method, 20)} is not supported` };
  const { url, credentials } = address;
  const body = bodyOf(monitor);
  if (monitor.text('type') !== 'real-browser' && hasHost(monitor))
    return { reason: 'its header "Host" cannot be sent, and without it another site responds' };
  const headers = headersOf(monitor, credentials, body, differences);
  const draft: Draft = {
    type: /^https:/i.test(url) ? 'HTTPS' : 'HTTP',
    url,
    ...(method === 'GET' ? {} : { method }),
    ...(headers.length > 0 ? { headers } : {}),
    ...(body === null ? {} : { body }),
    ...(redirectsOf(monitor, differences) ? {} : { follow_redirects: false }),
    ...identity,
  };
  const assertions = [...codes, ...condition, ...certificateOf(monitor, draft.type, differences)];
  if (assertions.length > 0) draft.assertions = assertions;
  if (monitor.flag('ignoreTls') && draft.type === 'HTTPS') {
    const unsafe = unverifiedProblem({ verify: false, ca: null, serverName: null }, { url, headers, body });
    if (unsafe) return { reason: `it ignores TLS errors: ${unsafe.message}` };
    if (draft.settings)
      return { reason: 'it ignores TLS errors, which is not allowed for a check that sends a secret' };
    draft.tls = { verify: false };
  }
  differences.push(...otherDifferences(monitor));
  return { draft, differences };
}

function addressOf(text: string): { url: string; credentials: string | null } | string {
  const url = readUrl(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    return `its URL ${quoted(text)} is not an http or https URL`;
  if (url.username === '' && url.password === '') return { url: text.trim(), credentials: null };
  const credentials = [url.username, url.password].map(decoded).join(':');
  [url.username, url.password] = ['', ''];
  return { url: url.href, credentials };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function statusCodes(monitor: Row, differences: string[]): NonNullable<Draft['assertions']> | null {
  const codes = monitor.list('accepted_statuscodes') ?? monitor.list('accepted_statuscodes_json');
  if (codes === null) return [];
  const { target, difference } = acceptedCodes(codes);
  if (difference !== null) differences.push(difference);
  if (target === null) return null;
  return target === USUAL_CODES ? [] : [{ source: 'status_code', comparison: 'in', target }];
}

/** Returns `null` if no response could satisfy the condition. */
function conditionOf(monitor: Row, differences: string[]): NonNullable<Draft['assertions']> | null {
  const type = monitor.text('type');
  if (type === 'keyword') {
    const [target, isInverted] = [monitor.text('keyword'), monitor.flag('invertKeyword')];
    if (target === '') return isInverted ? null : [];
    if (mayBeJson(target)) differences.push(KEYWORD_IN_JSON);
    return [{ source: 'body', comparison: isInverted ? 'not_contains' : 'contains', target }];
  }
  if (type !== 'json-query') return [];
  const [query, operator, expected] = ['jsonPath', 'jsonPathOperator', 'expectedValue'].map((name) =>
    monitor.text(name),
  );
  const { assertion, difference } = jsonCondition(query ?? '', operator ?? '', expected ?? '');
  if (difference !== null) differences.push(difference);
  if (monitor.flag('retryOnlyOnStatusCodeFailure'))
    differences.push('retries count for every failure, not only for status codes');
  return assertion ? [assertion] : [];
}

function certificateOf(monitor: Row, type: string, differences: string[]): NonNullable<Draft['assertions']> {
  if (!monitor.flag('expiryNotification') || type !== 'HTTPS') return [];
  differences.push(
    `it becomes degraded ${WARNED_DAYS} days before its certificate expires, and only alerts with the condition "degraded" notify of that`,
  );
  return [{ source: 'certificate_days', comparison: 'greater_than', target: WARNED_DAYS, severity: 'warning' }];
}

function bodyOf(monitor: Row): string | null {
  const body = monitor.text('body');
  return body.trim() === '' || monitor.text('type') === 'real-browser' ? null : body;
}

/** Returns the headers. The monitor's headers override those that Kuma adds. */
function headersOf(monitor: Row, credentials: string | null, body: string | null, differences: string[]): Header[] {
  if (monitor.text('type') === 'real-browser') return [];
  const own = ownHeaders(monitor, differences);
  const added: Header[] = [];
  const authorization = authorizationOf(monitor) ?? (credentials === null ? null : basic(credentials));
  const contentType = CONTENT_TYPES[monitor.text('httpBodyEncoding') || 'json'];
  if (body !== null && contentType !== undefined) added.push({ key: 'Content-Type', value: contentType });
  if (authorization !== null) added.push({ key: 'Authorization', value: authorization });
  const has = (name: string): boolean => own.some(({ key }) => key.toLowerCase() === name.toLowerCase());
  return [...added.filter(({ key }) => !has(key)), ...own];
}

function ownHeaders(monitor: Row, differences: string[]): Header[] {
  const text = monitor.raw('headers');
  if (text === undefined || text === null || (typeof text === 'string' && text.trim() === '')) return [];
  const mapping = monitor.mapping('headers');
  if (mapping === null) {
    differences.push('its headers are left out because they are not a JSON object');
    return [];
  }
  return Object.entries(mapping).flatMap(([key, value]) => {
    const header = { key, value: isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : String(value) };
    const problem = headerProblem(header.key, header.value);
    if (problem === null) return [header];
    differences.push(`the header ${quoted(key, 40)} is left out: ${problem.message}`);
    return [];
  });
}

/** Without its Host header, an endpoint would check something else. All converters skip such monitors. */
const hasHost = (monitor: Row): boolean =>
  Object.keys(monitor.mapping('headers') ?? {}).some((key) => key.toLowerCase() === 'host');

function authorizationOf(monitor: Row): string | null {
  const method = monitor.text('authMethod');
  const [user, password] = [monitor.text('basic_auth_user'), monitor.text('basic_auth_pass')];
  // Up to version 1.18, basic was the only method and there was no field for it.
  if (method === 'basic' || (!monitor.has('authMethod') && user !== '')) return basic(`${user}:${password}`);
  return method === 'bearer' ? `Bearer ${monitor.text('bearer_token')}` : null;
}

const PEM = /-----BEGIN [A-Z ]+-----/;

/** Returns the settings for OAuth 2 or a client certificate, or why the monitor can't be converted. */
function identityOf(monitor: Row): Pick<Draft, 'settings' | 'tls'> | string {
  const method = monitor.text('authMethod');
  if (method === 'mtls') {
    const [certificate, key, ca] = ['tlsCert', 'tlsKey', 'tlsCa'].map((name) => monitor.text(name));
    if (certificate === undefined || !PEM.test(certificate) || key === undefined || !PEM.test(key))
      return 'it sends a client certificate, but its certificate and key are not in the file as PEM';
    return {
      settings: { client_certificate: { certificate, key } },
      ...(ca !== undefined && PEM.test(ca) && { tls: { verify: true, ca } }),
    };
  }
  if (method !== 'oauth2-cc') return {};
  const [url, id, secret, scope, how] = [
    'oauth_token_url',
    'oauth_client_id',
    'oauth_client_secret',
    'oauth_scopes',
    'oauth_auth_method',
  ].map((name) => monitor.text(name).trim());
  if (!url || !/^https?:\/\//i.test(url) || readUrl(url) === null || !id || !secret)
    return 'it signs in with OAuth 2, but its token URL, client ID, or client secret is not in the file';
  if (how === 'client_secret_post')
    return 'it sends its OAuth 2 client secret in the body of the token request, which is not supported';
  return { settings: { oauth2: { token_url: url, client_id: id, client_secret: secret, ...(scope && { scope }) } } };
}

const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`;

function redirectsOf(monitor: Row, differences: string[]): boolean {
  const most = monitor.number('maxredirects');
  if (most === 0) return false;
  if (most !== null && most !== FOLLOWED && most !== USUAL_REDIRECTS)
    differences.push(`up to ${FOLLOWED} redirects are followed, not ${most}`);
  return true;
}

function otherDifferences(monitor: Row): string[] {
  const method = monitor.text('authMethod');
  const unknownAuth = method !== '' && !['basic', 'bearer', 'oauth2-cc', 'mtls', 'none', 'null'].includes(method);
  return [
    ...(monitor.flag('cacheBust') ? ['its URL gets no random parameter to bypass caches'] : []),
    ...(unknownAuth ? [`its authentication ${quoted(method)} is not supported and is left out`] : []),
    ...(monitor.flag('saveResponse') ? ['responses are not stored'] : []),
    ...(monitor.text('type') === 'real-browser'
      ? ['no browser opens the page: only its document is fetched, no scripts run, and no screenshot is taken']
      : []),
  ];
}
