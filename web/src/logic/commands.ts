import type { Endpoint } from '../api/types';

/** A word for a POSIX shell. */
export const shell = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

type Target = Pick<Endpoint, 'type' | 'url' | 'method' | 'timeout' | 'headers' | 'body' | 'follow_redirects'>;

/** A command that asks the same question as the check: curl for HTTP and HTTPS, the usual tool for the others. */
export function sameQuestion(endpoint: Target): string {
  const bare = endpoint.url.replace(/^[a-z]+:(\/\/)?/i, '').replace(/\/$/, '');
  const [, host = bare, port = ''] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(bare) ?? [];
  switch (endpoint.type) {
    case 'TCP':
      return `nc -vz -w ${endpoint.timeout} ${shell(host)} ${port}`;
    case 'SSH':
      return `ssh-keyscan -T ${endpoint.timeout} -p ${port || '22'} ${shell(host)}`;
    case 'ICMP':
      return `ping -c 1 -W ${endpoint.timeout} ${shell(host)}`;
    case 'DNS': {
      const [name = '', type = ''] = bare.split('?type=');
      const parts = name.split('/');
      return `dig ${parts.length > 1 ? `@${parts[0]} ` : ''}${shell(parts.at(-1) ?? '')} ${type}`.trim();
    }
    default:
      return curl(endpoint);
  }
}

function curl({ url, method, timeout, headers, body, follow_redirects }: Target): string {
  const parts = ['curl -sS -i', `--max-time ${timeout}`];
  if (follow_redirects) parts.push('-L --max-redirs 5');
  if (method === 'HEAD') parts.push('-I');
  else if (method !== 'GET') parts.push(`-X ${method}`);
  for (const { key, value } of headers) parts.push(`-H ${shell(`${key}: ${value}`)}`);
  if (body !== null && body !== '') parts.push(`--data-binary ${shell(body)}`);
  return [...parts, shell(url)].join(' ');
}

/** The REST call that does what a form is about to do; the key stays out of it. */
export function apiCall(method: 'POST' | 'PUT', origin: string, path: string, body: unknown): string {
  return [
    `curl -X ${method} ${shell(`${origin}${path}`)}`,
    `  -H "Authorization: Bearer $UPTIME_API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${shell(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n');
}
