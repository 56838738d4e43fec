import { UptimeClient } from '../../client/index.cjs';
import { readUrl } from '../../../src/platform/text/read-url';
import { CommandError } from './io';

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** The URL of a service, and an API key for one of its organizations. */
export interface Connection {
  url: string;
  key: string;
}

/** Returns the URL of a service without a trailing slash. Throws: `CommandError` if it isn't valid. */
export function readServiceUrl(text: string | undefined): string {
  if (text === undefined || text.trim() === '')
    throw new CommandError('Set UPTIME_URL or --url to the URL of the service, such as https://uptime.example.com.');
  const url = readUrl(text.trim());
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new CommandError(`UPTIME_URL must be an http:// or https:// URL, not ${JSON.stringify(text)}`);
  if (url.username !== '' || url.password !== '')
    throw new CommandError('UPTIME_URL must not contain credentials. Set UPTIME_API_KEY to the API key.');
  return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v1$/, '');
}

/** Returns an API key without surrounding spaces. Throws: `CommandError` if it can't be a key. */
export function readKey(text: string | undefined): string {
  const key = (text ?? '').trim();
  if (key === '')
    throw new CommandError('Set UPTIME_API_KEY to an API key, or use --key-file with a file that contains one.');
  if (!/^[\x21-\x7e]{1,300}$/.test(key))
    throw new CommandError('UPTIME_API_KEY is not an API key: it contains spaces or other characters that no key has.');
  return key;
}

/**
 * Returns the typed client, without retries because a user is waiting. `signal` aborts all its requests. Methods reject
 * with an `UptimeError`, which `errorText` turns into a message.
 */
export const clientOf = (
  { url, key }: Connection,
  { signal, timeoutMs = 60_000 }: { signal?: AbortSignal; timeoutMs?: number } = {},
): UptimeClient =>
  new UptimeClient({
    baseUrl: url,
    apiKey: key,
    retries: 0,
    timeoutMs,
    fetch: async (input, init = {}) => {
      const signals = [init.signal, signal].filter((each) => each instanceof AbortSignal);
      return bounded(await fetch(input, { ...init, signal: AbortSignal.any(signals) }));
    },
  });

/** Returns the response with a body that fails if it grows too large. Streams have no limit. */
function bounded(response: Response): Response {
  const isStream = /^text\/event-stream\b/.test(response.headers.get('content-type') ?? '');
  if (isStream || response.body === null) return response;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes > MAX_RESPONSE_BYTES) controller.error(new CommandError('the response is larger than 64 MiB'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(count), response);
}
