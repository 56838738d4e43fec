import { HTTP_METHODS } from '../../../src/checker/check-request';
import { isSensitiveHeader } from '../../../src/checker/request-headers';
import { isRecord } from '../../../src/platform/text/json';
import type { DeclaredAssertion, SecretReference, Text } from '../../../src/configuration/document/document';
import type { NewEndpoint } from '../document-builder';
import { textIn } from '../foreign-list';
import { type Fields, literalOf } from './fields';
import { cut } from '../../../src/platform/text/text-limits';

type Sent = { key: string; value: Text }[];
/** Adds a credential to the secrets of the document. */
export type MakeSecret = (what: string, value: string) => SecretReference;

/** Converts what the `http` prober does with a target, or returns why that isn't possible. */
export function readHttp(
  http: Fields,
  url: string,
  secret: MakeSecret,
): { settings: Partial<NewEndpoint> } | { refused: string } {
  const method = (http.text('method') || 'GET').toUpperCase();
  if (!HTTP_METHODS.some((known) => known === method)) return { refused: `the method ${method} is not supported` };
  if (http.has('body_file')) return { refused: 'its body is in another file' };
  if (http.has('oauth2')) return { refused: 'it fetches an OAuth 2 token for each request, which is not supported' };
  const credentials = readCredentials(http, secret);
  if ('refused' in credentials) return credentials;
  const tls = readTls(http.inner('tls_config'));
  if ('refused' in tls) return tls;
  const body = http.text('body');
  const headers = [...readHeaders(http, secret), ...credentials.list];
  const assertions = readAssertions(http);
  const follows = http.raw('follow_redirects') !== false && !http.flag('no_follow_redirects');
  noteProtocol(http, /^https:/i.test(url));
  return {
    settings: {
      method,
      ...(headers.length > 0 && { headers }),
      ...(body.trim() !== '' && { body: secret('body', body) }),
      ...(!follows && { follow_redirects: false }),
      ...(assertions.length > 0 && { assertions }),
      ...(tls.settings && { tls: tls.settings }),
    },
  };
}

function noteProtocol(http: Fields, isHttps: boolean): void {
  if (http.flag('fail_if_ssl')) http.note('fail_if_ssl', 'is ignored: TLS is never a failure');
  if (http.flag('fail_if_not_ssl') && !isHttps)
    http.note('fail_if_not_ssl', 'is ignored: declare an https URL, which fails without TLS');
  if (http.list('valid_http_versions').length > 0)
    http.note('valid_http_versions', 'is ignored: the HTTP version is never a failure');
  if (http.has('proxy_url') || http.has('proxy_from_environment'))
    http.note('proxy_url', 'is not used: the check connects to the target directly');
  for (const name of [
    'enable_http2',
    'enable_http3',
    'compression',
    'body_size_limit',
    'skip_resolve_phase_with_proxy',
  ])
    if (http.has(name)) http.note(name, 'is not converted');
}

function readHeaders(http: Fields, secret: MakeSecret): Sent {
  const headers = http.raw('headers');
  if (!isRecord(headers)) return [];
  return Object.keys(headers).map((key) => {
    const value = textIn(headers, key);
    return { key, value: isSensitiveHeader(key) && value.trim() !== '' ? secret(key, value) : value };
  });
}

function readCredentials(http: Fields, secret: MakeSecret): { list: Sent } | { refused: string } {
  const basic = http.inner('basic_auth');
  const authorization = http.inner('authorization');
  const bearer = http.text('bearer_token');
  const inFile =
    http.has('bearer_token_file') ||
    authorization.has('credentials_file') ||
    basic.has('password_file') ||
    basic.has('username_file');
  if (inFile) return { refused: 'its credentials are in another file' };
  const header = (value: string) => ({ list: [{ key: 'Authorization', value: secret('authorization', value) }] });
  if (http.has('basic_auth')) {
    const pair = Buffer.from(`${basic.text('username')}:${basic.text('password')}`);
    return header(`Basic ${pair.toString('base64')}`);
  }
  if (http.has('authorization'))
    return header(`${authorization.text('type') || 'Bearer'} ${authorization.text('credentials')}`);
  return bearer === '' ? { list: [] } : header(`Bearer ${bearer}`);
}

type Tls = NonNullable<NewEndpoint['tls']>;

function readTls(tls: Fields): { settings: Tls | null } | { refused: string } {
  if (['cert', 'key', 'cert_file', 'key_file', 'cert_ref', 'key_ref'].some((name) => tls.has(name)))
    return { refused: 'it sends a client certificate, which is not supported' };
  if (tls.has('ca_file')) tls.note('ca_file', 'is not in the file: write its content into tls.ca');
  const settings: Tls = {
    ...(tls.flag('insecure_skip_verify') && { verify: false }),
    ...(tls.has('ca') && { ca: tls.text('ca') }),
    ...(tls.has('server_name') && { server_name: tls.text('server_name') }),
  };
  tls.noteRest();
  return { settings: Object.keys(settings).length > 0 ? settings : null };
}

function readAssertions(http: Fields): DeclaredAssertion[] {
  const codes = http.list('valid_status_codes').map(String);
  const status: DeclaredAssertion[] =
    codes.length > 0 ? [{ source: 'status_code', comparison: 'in', target: codes.join(',') }] : [];
  return [
    ...status,
    ...bodyAssertions(http, 'fail_if_body_matches_regexp', 'not_contains'),
    ...bodyAssertions(http, 'fail_if_body_not_matches_regexp', 'contains'),
    ...headerAssertions(http, 'fail_if_header_matches', 'not_contains'),
    ...headerAssertions(http, 'fail_if_header_not_matches', 'contains'),
  ];
}

function bodyAssertions(http: Fields, field: string, comparison: string): DeclaredAssertion[] {
  return http.list(field).flatMap((pattern) => {
    const target = literalOf(String(pattern));
    if (target !== null) return [{ source: 'body', comparison, target }];
    http.note(field, `is ignored because the pattern is more than plain text: ${cut(String(pattern), 100, '')}`);
    return [];
  });
}

function headerAssertions(http: Fields, field: string, comparison: string): DeclaredAssertion[] {
  return http.list(field).flatMap((value) => {
    const rule = isRecord(value) ? value : {};
    const property = textIn(rule, 'header');
    const target = literalOf(textIn(rule, 'regexp'));
    if (target === null || property === '') {
      http.note(
        field,
        `is ignored because the pattern is more than plain text: ${property} ${cut(textIn(rule, 'regexp'), 100, '')}`,
      );
      return [];
    }
    if (rule['allow_missing'] === true) http.note(field, `requires the header ${property}, even with allow_missing`);
    return [{ source: 'header', property, comparison, target }];
  });
}
