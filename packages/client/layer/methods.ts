import { createClient, OPERATIONS, type Ops, RESPONSE_TYPES, TEXT_BODIES, type TextTypes } from './api';
import { followStream, type Frame, type StreamEvent, type StreamOptions } from './stream';
import { type CallLimits, reliableFetch } from './transport';

/** Options of a client. */
export interface UptimeClientOptions {
  /** The URL of the service, such as `https://uptime.example.com`. Include the path if a proxy adds one. */
  baseUrl: string;
  /** The API key. It is only sent to this URL, and only for operations that need a key. */
  apiKey?: string;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
  /** Headers to send with every request. */
  headers?: Record<string, string>;
  /** The time limit for a call including all retries, in milliseconds. Default: 60,000. */
  timeoutMs?: number;
  /** The number of retries for calls that are safe to repeat. Default: 3. */
  retries?: number;
}

export interface CallOptions {
  /** Aborts the call. The call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Headers to send in addition to the client's headers. */
  headers?: Record<string, string>;
  /** Overrides the client's value. */
  timeoutMs?: number;
  /** Overrides the client's value. */
  retries?: number;
}

export interface WithResponse<Data, Headers> {
  data: Data;
  /** The headers that the API documents, such as `etag` and `xTotalCount`. */
  headers: Headers;
  /** The response, with its status and all headers. The body has already been read. */
  response: Response;
}

type Operation = keyof Ops;
type Args<Id extends Operation> = Ops[Id]['args'];
type OperationHeaders<Id extends Operation> = Ops[Id] extends { headers: infer Headers }
  ? Headers
  : Record<string, never>;

/** Takes an operation's arguments. They are optional if none is required. */
type Call<Id extends Operation, Result> =
  Partial<Args<Id>> extends Args<Id>
    ? (args?: Args<Id>, options?: CallOptions) => Result
    : (args: Args<Id>, options?: CallOptions) => Result;

/** The methods of operations that return lists. */
interface Paged<Id extends Operation, Item> {
  /** Yields all items, page by page, by following each page's link header. */
  all: Call<Id, AsyncGenerator<Item>>;
  /** Yields every page. */
  pages: Call<Id, AsyncGenerator<Item[]>>;
}

/** The methods of operations that return several types of text. */
interface Texts<Id extends Operation, Type> {
  /** Returns the response as text in this format. */
  as: (
    type: Type,
    ...rest: Partial<Args<Id>> extends Args<Id>
      ? [args?: Args<Id>, options?: CallOptions]
      : [args: Args<Id>, options?: CallOptions]
  ) => Promise<string>;
}

interface Plain<Id extends Operation> {
  /** Makes the same call and also returns the response headers. */
  withResponse: Call<Id, Promise<WithResponse<Ops[Id]['result'], OperationHeaders<Id>>>>;
}

/** An API operation. Call it directly or use one of its methods. */
export type ApiMethod<Id extends Operation> = Ops[Id] extends { kind: 'sse' }
  ? (args?: Args<Id>, options?: StreamOptions) => AsyncGenerator<StreamEvent>
  : Call<Id, Promise<Ops[Id]['result']>> &
      Plain<Id> &
      (Ops[Id] extends { item: infer Item } ? Paged<Id, Item> : unknown) &
      (Id extends keyof TextTypes ? Texts<Id, TextTypes[Id]> : unknown);

type GroupedArgs = { path?: Record<string, unknown>; headers?: Record<string, unknown>; body?: unknown };
type Init = RequestInit & { limits: CallLimits };

interface RuntimeMethod {
  (args: object, init: object): Promise<unknown>;
  pages(args: object, init: object): AsyncGenerator;
  items(args: object, init: object): AsyncGenerator;
}

const TIMEOUT_MS = 60_000;
const RETRIES = 3;

/** Returns a client's methods. Throws: `TypeError` if `baseUrl` isn't an http or https URL. */
export function bindOperations(options: UptimeClientOptions): { [Id in Operation]: ApiMethod<Id> } {
  if (!/^https?:$/.test(new URL(options.baseUrl).protocol))
    throw new TypeError(`baseUrl must start with http:// or https://, not ${options.baseUrl}`);
  // Wrapped in a function, because the platform's `fetch` fails when called as a method of another object.
  const doFetch = options.fetch ?? ((input, init) => fetch(input, init));
  const runtime = createClient(OPERATIONS, {
    serverUrl: options.baseUrl,
    fetch: reliableFetch(doFetch) as typeof fetch,
    clientHeader: false,
    ...(options.apiKey !== undefined && { auth: { bearer: options.apiKey } }),
  }) as unknown as { readonly [Id in Operation]: RuntimeMethod };
  const bound = (Object.keys(OPERATIONS) as Operation[]).map((id) => {
    const run = runtime[id];
    const method = id === 'stream' ? bindStream(run, options) : bindMethod(run, id, options);
    return [id, method] as const;
  });
  return Object.fromEntries(bound) as unknown as { [Id in Operation]: ApiMethod<Id> };
}

function bindMethod(run: RuntimeMethod, id: Operation, client: UptimeClientOptions): object {
  const init = (args: GroupedArgs, options: CallOptions = {}): Init => ({
    ...ownCredentials(client),
    headers: { ...defaultHeaders(id, args), ...client.headers, ...options.headers },
    limits: {
      timeoutMs: options.timeoutMs ?? client.timeoutMs ?? TIMEOUT_MS,
      retries: options.retries ?? client.retries ?? RETRIES,
      types: RESPONSE_TYPES[id] ?? [],
    },
    ...(options.signal && { signal: options.signal }),
  });
  const method = async (args: GroupedArgs = {}, options?: CallOptions) => run(placed(args), init(args, options));
  return Object.assign(method, {
    withResponse: async (args: GroupedArgs = {}, options?: CallOptions) =>
      run(placed(args), { ...init(args, options), envelope: true }),
    as: async (type: string, args: GroupedArgs = {}, options: CallOptions = {}) => {
      const headers = { Accept: type, ...options.headers };
      return run(placed(args), { ...init(args, { ...options, headers }), parseAs: 'text' });
    },
    ...('pagination' in OPERATIONS[id] && {
      all: (args: GroupedArgs = {}, options?: CallOptions) => run.items(placed(args), init(args, options)),
      pages: (args: GroupedArgs = {}, options?: CallOptions) => run.pages(placed(args), init(args, options)),
    }),
  });
}

/**
 * Throws: `TypeError` if an argument would change the path. `..` would point to another resource, and an empty one to
 * the list.
 */
function placed(args: GroupedArgs): GroupedArgs {
  for (const [name, value] of Object.entries(args.path ?? {}))
    if (['', '.', '..'].includes(String(value)))
      throw new TypeError(`path.${name} must not be ${JSON.stringify(String(value))}`);
  return args;
}

/** The runtime's stream ends when its connection does, so each new connection opens another stream. */
function bindStream(run: RuntimeMethod, client: UptimeClientOptions) {
  return (args: GroupedArgs = {}, options: StreamOptions = {}): AsyncGenerator<StreamEvent> => {
    const { 'Last-Event-ID': lastId, ...own } = args.headers ?? {};
    const open = (position: string | undefined, signal: AbortSignal) =>
      run(
        { ...args, headers: own },
        {
          ...ownCredentials(client),
          headers: {
            ...client.headers,
            ...options.headers,
            ...(position !== undefined && { 'Last-Event-ID': position }),
          },
          limits: { timeoutMs: null, retries: 0 },
          reconnect: false,
          signal,
        },
      ) as unknown as AsyncGenerator<Frame>;
    return followStream(open, typeof lastId === 'string' ? lastId : undefined, options);
  };
}

/** If there is a key, browser cookies aren't sent. The key alone identifies the caller. */
const ownCredentials = ({ apiKey }: UptimeClientOptions): RequestInit =>
  apiKey === undefined ? {} : { credentials: 'omit' };

/**
 * Returns headers that the operation needs and the caller didn't set: an idempotency key for a POST that supports one,
 * and the content type for a text body.
 */
function defaultHeaders(id: Operation, { headers, body }: GroupedArgs): Record<string, string> {
  const { params = [] } = OPERATIONS[id] as { params?: readonly { name: string }[] };
  const honoursKey = params.some(({ name }) => name === 'Idempotency-Key');
  const textType = typeof body === 'string' ? TEXT_BODIES[id] : undefined;
  return {
    ...(honoursKey && headers?.['Idempotency-Key'] === undefined && { 'Idempotency-Key': randomKey() }),
    ...(textType !== undefined && { 'Content-Type': textType }),
  };
}

/** Returns 128 random bits. `randomUUID` is unavailable on pages without HTTPS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
