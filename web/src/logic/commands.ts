import type { Endpoint } from '../api/types';

/** Quotes a word for a POSIX shell if necessary. */
export const shellQuote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export type Target = Pick<
  Endpoint,
  'type' | 'url' | 'method' | 'timeout' | 'headers' | 'body' | 'follow_redirects' | 'tls'
>;

/** Returns a command that does what the check does: curl for HTTP and HTTPS, the usual tool, or `uptime check`. */
export function checkCommand(endpoint: Target): string {
  const bare = endpoint.url.replace(/^[a-z]+:(\/\/)?/i, '').replace(/\/$/, '');
  const [, host = bare, port = ''] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(bare) ?? [];
  switch (endpoint.type) {
    case 'TCP':
      return `nc -vz -w ${endpoint.timeout} ${shellQuote(host)} ${port}`;
    case 'SSH':
      return `ssh-keyscan -T ${endpoint.timeout} -p ${port || '22'} ${shellQuote(host)}`;
    case 'ICMP':
      return `ping -c 1 -W ${endpoint.timeout} ${shellQuote(host)}`;
    case 'DNS': {
      const [name = '', type = ''] = bare.split('?type=');
      const parts = name.split('/');
      return `dig ${parts.length > 1 ? `@${parts[0]} ` : ''}${shellQuote(parts.at(-1) ?? '')} ${type}`.trim();
    }
    case 'HTTP':
    case 'HTTPS':
      return curl(endpoint);
    default:
      return `uptime check --local ${shellQuote(endpoint.url)}`;
  }
}

function curl({ url, method, timeout, headers, body, follow_redirects, tls }: Target): string {
  const parts = ['curl -sS -i', `--max-time ${timeout}`];
  if (follow_redirects) parts.push('-L --max-redirs 5');
  if (tls?.verify === false) parts.push('-k');
  else if (tls && tls.ca !== null) parts.push('--cacert ca.pem');
  if (method === 'HEAD') parts.push('-I');
  else if (method !== 'GET') parts.push(`-X ${method}`);
  for (const { key, value } of headers ?? []) parts.push(`-H ${shellQuote(`${key}: ${value}`)}`);
  if (body !== null && body !== '') parts.push(`--data-binary ${shellQuote(body)}`);
  if (!tls || tls.server_name === null) return [...parts, shellQuote(url)].join(' ');
  const { protocol, host, hostname, port } = new URL(url);
  const [at, name] = [port || (protocol === 'https:' ? '443' : '80'), tls.server_name];
  parts.push(`--connect-to ${shellQuote(`${name}:${at}:${hostname}:${at}`)} -H ${shellQuote(`Host: ${host}`)}`);
  return [...parts, shellQuote(url.replace(/\/\/[^/?#]*/, `//${name}${port && `:${port}`}`))].join(' ');
}

/** Replaces the values at these JSON pointers with the result of `mark` for the pointer's last segment. */
function marked(body: unknown, pointers: ReadonlySet<string>, mark: (name: string) => string, at = ''): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const pointer = `${at}/${key}`;
      return [key, pointers.has(pointer) ? mark(key) : marked(value, pointers, mark, pointer)];
    }),
  );
}

/**
 * A placeholder for a variable until the body is quoted. It is made of characters that no one types, as JSON escapes
 * them.
 */
const VARIABLE = /\\u0000(\w+)\\u0000/g;

/**
 * Returns the curl command for an API request, without the API key. Values at the JSON pointers in `secrets` become
 * shell variables named after their fields, such as `$ROUTING_KEY`.
 */
export function apiCall(
  method: 'POST' | 'PUT',
  origin: string,
  path: string,
  body: unknown,
  secrets: readonly string[] = [],
): string {
  const shown = marked(body, new Set(secrets), (name) => `\0${name.toUpperCase()}\0`);
  const json = shellQuote(JSON.stringify(shown, null, 2)).replace(VARIABLE, `'"$$$1"'`);
  return [
    `curl -X ${method} ${shellQuote(`${origin}${path}`)}`,
    `  -H "Authorization: Bearer $UPTIME_API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${json}`,
  ].join(' \\\n');
}

/** Returns the shell commands that configure `uptime` to use an API key for this service. */
export const commandsWith = (key: string, origin: string): string =>
  [`export UPTIME_URL=${shellQuote(origin)}`, `export UPTIME_API_KEY=${shellQuote(key)}`, 'uptime ls'].join('\n');
