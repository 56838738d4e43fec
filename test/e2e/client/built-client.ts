import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../../..');
/** The folder in which jest.config.js builds the client. */
export const CLIENT_FOLDER = join(ROOT, 'packages/client');

/** Returns the built module. Its types aren't tested here: typed-use.spec.ts compiles programs against them. */
export function builtClient(): ClientModule {
  return createRequire(__filename)(join(CLIENT_FOLDER, 'index.cjs')) as ClientModule;
}

type Args = { path?: object; query?: object; headers?: Record<string, string>; body?: unknown };
type Options = { signal?: AbortSignal; timeoutMs?: number; retries?: number; headers?: Record<string, string> };
type Call<Result> = (args?: Args, options?: Options) => Result;

export interface Resource {
  id: string;
  name: string;
}
interface WithResponse<Data> {
  data: Data;
  headers: { etag?: string; xTotalCount?: number };
  response: Response;
}
type Method<Data> = Call<Promise<Data>> & { withResponse: Call<Promise<WithResponse<Data>>> };
type List<Item> = Method<Item[]> & { all: Call<AsyncGenerator<Item>>; pages: Call<AsyncGenerator<Item[]>> };

export interface StreamEvent {
  event: string;
  id?: string;
  data: { endpoint_id?: string; status?: string; number?: number; change?: string };
}
export type StreamOptions = Options & {
  silenceMs?: number;
  onOpen?: () => void;
  onInterruption?: (reason: Error | undefined) => void;
};

/** The part of the client that the specs use. */
export interface Client {
  listWebsites: List<Resource>;
  getWebsite: Method<Resource>;
  createWebsite: Method<Resource>;
  updateWebsite: Method<Resource>;
  deleteWebsite: Method<undefined>;
  createEndpoint: Method<Resource>;
  updateEndpoint: Method<Resource>;
  runCheck: Method<{ outcome: string }>;
  getMetrics: Method<string>;
  planConfiguration: Method<{ changes: unknown[] }>;
  exportConfiguration: Method<object> & { as: (type: string, args?: Args, options?: Options) => Promise<string> };
  stream: (args?: Args, options?: StreamOptions) => AsyncGenerator<StreamEvent>;
}

export interface ClientOptions {
  baseUrl: string;
  apiKey?: string | undefined;
  fetch?: typeof fetch;
  headers?: Record<string, string>;
  timeoutMs?: number;
  retries?: number;
}

interface ClientModule {
  UptimeClient: new (options: ClientOptions) => Client;
  UptimeProblem: new () => Error;
  UptimeNoResponse: new () => Error;
  UptimeUnexpectedResponse: new () => Error;
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
