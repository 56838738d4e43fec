import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';

/** The response. Status 0 means none, because the connection broke or the time ran out. */
export interface Reply {
  status: number;
  text: string;
  ms: number;
}

/** A body that isn't an object, or is serialized once for many requests. */
export interface Text {
  type: string;
  body: string;
}

interface Sent {
  key?: string | null;
  body?: object;
  /** Used instead of `body`. */
  text?: Text;
  headers?: Record<string, string>;
  /** In milliseconds. */
  patience?: number;
  /** The client's address. Each loopback address is another client. */
  from?: string;
  signal?: AbortSignal;
}

/** The victim and its attackers are different clients. */
export const VICTIM = '127.0.0.1';
export const ATTACKER = '127.0.0.2';

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/** Sends one request and never throws, because an attacked service may not respond. */
export function send(
  url: string,
  method: string,
  path: string,
  { key, body, text, headers = {}, patience = 30_000, from = ATTACKER, signal }: Sent = {},
): Promise<Reply> {
  const began = performance.now();
  const payload = text?.body ?? (body === undefined ? null : JSON.stringify(body));
  return new Promise((resolve) => {
    const end = (status: number, text: string) => resolve({ status, text, ms: performance.now() - began });
    const request = httpRequest(
      `${url}${path}`,
      {
        method,
        agent,
        localAddress: from,
        ...(signal === undefined ? {} : { signal }),
        headers: {
          ...(key ? { Authorization: `Bearer ${key}` } : {}),
          ...(payload === null
            ? {}
            : { 'Content-Type': text?.type ?? 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => end(response.statusCode ?? 0, Buffer.concat(chunks).toString()));
        response.on('error', () => end(0, ''));
      },
    );
    request.setTimeout(patience, () => request.destroy());
    request.on('error', () => end(0, ''));
    request.end(payload ?? undefined);
  });
}

/** Creates a resource and returns its ID, or `null` if that is refused. */
export async function create(url: string, key: string, path: string, body: object): Promise<string | null> {
  for (;;) {
    const { status, text } = await send(url, 'POST', `/api/v1${path}`, { key, body });
    if (status === 201) return (JSON.parse(text) as { id: string }).id;
    if (status !== 429) return null;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Starts `action` this many times a second until it is stopped. `stop` resolves when all actions have ended. */
export function repeat(perSecond: number, action: () => Promise<unknown>): { stop(): Promise<void> } {
  const running = new Set<Promise<unknown>>();
  let missing = 0;
  let at = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // After a pause of this process, it makes up for at most a second.
    missing = Math.min(perSecond, missing + ((now - at) / 1000) * perSecond);
    at = now;
    for (; missing >= 1; missing--) {
      const one: Promise<unknown> = action().finally(() => running.delete(one));
      running.add(one);
    }
  }, 20);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

/** Opens a raw connection that sends `text` and reads nothing. Errors close it silently. */
export function rawConnection(url: string, text: string, from = ATTACKER): Socket {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress: from }).pause();
  socket.on('error', () => {});
  if (text !== '') socket.write(text);
  return socket;
}

interface Item {
  error?: { message: string };
}

/** Returns the items of a list, or none if the response is empty or isn't a list. */
export function listOf(text: string): readonly Item[] {
  const list: unknown = JSON.parse(text || '[]');
  return Array.isArray(list) ? (list as Item[]) : [];
}
