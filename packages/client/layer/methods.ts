import { createClient, OPERATIONS, type Ops, RESPONSE_TYPES, TEXT_BODIES, type TextTypes } from './api';
import { followStream, type Frame, type StreamEvent, type StreamOptions } from './stream';
import { type CallLimits, reliableFetch } from './transport';

/** Options of a client. */
export interface UptimeClientOptions {
  /** Where the service is, such as `https://uptime.example.com`; with the path of a proxy, if it is behind one. */
  baseUrl: string;
  /** Sent to this address only, and only by operations that ask for one. */
  apiKey?: string;
  /** In place of the platform's. */
  fetch?: typeof fetch;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Milliseconds for one call with all its retries; default 60,000. */
  timeoutMs?: number;
  /** Tries after the first one, where repeating does nothing twice; default 3. */
  retries?: number;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Sent beside those of the client. */
  headers?: Record<string, string>;
  /** In place of the client's. */
  timeoutMs?: number;
  /** In place of the client's. */
  retries?: number;
}

/** A response with its headers. */
export interface WithResponse<Data, Headers> {
  data: Data;
  /** Those that the API describes: `etag`, `xTotalCount` … */
  headers: Headers;
  /** All headers and the status; its body has been read. */
  response: Response;
}

type Operation = keyof Ops;
type Args<Id extends Operation> = Ops[Id]['args'];
type OperationHeaders<Id extends Operation> = Ops[Id] extends { headers: infer Headers }
  ? Headers
  : Record<string, never>;

/** Takes the arguments of an operation, which may be left out when none is required. */
type Call<Id extends Operation, Result> =
  Partial<Args<Id>> extends Args<Id>
    ? (args?: Args<Id>, options?: CallOptions) => Result
    : (args: Args<Id>, options?: CallOptions) => Result;

/** Of operations that respond with lists. */
interface Paged<Id extends Operation, Item> {
  /** All items, page after page: the header of each page leads to the next. */
  all: Call<Id, AsyncGenerator<Item>>;
  /** The pages, to the last one. */
  pages: Call<Id, AsyncGenerator<Item[]>>;
}

/** Of operations that respond with several types of text. */
interface Texts<Id extends Operation, Type> {
  /** The response as text of this type. */
  as: (
    type: Type,
    ...rest: Partial<Args<Id>> extends Args<Id>
      ? [args?: Args<Id>, options?: CallOptions]
      : [args: Args<Id>, options?: CallOptions]
  ) => Promise<string>;
}

interface Plain<Id extends Operation> {
  /** The same call, with the headers of the response. */
  withResponse: Call<Id, Promise<WithResponse<Ops[Id]['result'], OperationHeaders<Id>>>>;
}

/** An operation of the API: call it, or one of its members. */
export type ApiMethod<Id extends Operation> = Ops[Id] extends { kind: 'sse' }
  ? (args?: Args<Id>, options?: StreamOptions) => AsyncGenerator<StreamEvent>
  : Call<Id, Promise<Ops[Id]['result']>> &
      Plain<Id> &
      (Ops[Id] extends { item: infer Item } ? Paged<Id, Item> : unknown) &
      (Id extends keyof TextTypes ? Texts<Id, TextTypes[Id]> : unknown);

type GroupedArgs = { path?: Record<string, unknown>; headers?: Record<string, unknown>; body?: unknown };
type Init = RequestInit & { limits: CallLimits };

/** A method of the generated runtime. */
interface RuntimeMethod {
  (args: object, init: object): Promise<unknown>;
  pages(args: object, init: object): AsyncGenerator;
  items(args: object, init: object): AsyncGenerator;
}

const TIMEOUT_MS = 60_000;
const RETRIES = 3;

/** The methods of a client. Throws a TypeError when `baseUrl` is not the address of a web server. */
export function bindOperations(options: UptimeClientOptions): { [Id in Operation]: ApiMethod<Id> } {
  if (!/^https?:$/.test(new URL(options.baseUrl).protocol))
    throw new TypeError(`baseUrl must start with http:// or https://, not ${options.baseUrl}`);
  // Called as a function: the platform's refuses to be a method of something else.
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

/** Throws a TypeError when an argument would not stay at its place in the path: `..` leads elsewhere, nothing to the list. */
function placed(args: GroupedArgs): GroupedArgs {
  for (const [name, value] of Object.entries(args.path ?? {}))
    if (['', '.', '..'].includes(String(value)))
      throw new TypeError(`path.${name} must not be ${JSON.stringify(String(value))}`);
  return args;
}

/** The runtime's own stream ends with its connection: the next one is another stream of the runtime. */
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

/** With a key, a browser's cookies stay at home: who asks is the key. */
const ownCredentials = ({ apiKey }: UptimeClientOptions): RequestInit =>
  apiKey === undefined ? {} : { credentials: 'omit' };

/** What the operation wants and the caller did not give: the key of a POST that honours one, the type of a body that is text. */
function defaultHeaders(id: Operation, { headers, body }: GroupedArgs): Record<string, string> {
  const { params = [] } = OPERATIONS[id] as { params?: readonly { name: string }[] };
  const honoursKey = params.some(({ name }) => name === 'Idempotency-Key');
  const textType = typeof body === 'string' ? TEXT_BODIES[id] : undefined;
  return {
    ...(honoursKey && headers?.['Idempotency-Key'] === undefined && { 'Idempotency-Key': randomKey() }),
    ...(textType !== undefined && { 'Content-Type': textType }),
  };
}

/** 128 random bits. `randomUUID` is missing on pages without https. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
