import type { z } from 'zod';
import type { ApiClient, Request } from '../uptime/api-client';
import { CommandError } from '../uptime/io';

const READ_TIMEOUT_MS = 30_000;
const CHANGE_TIMEOUT_MS = 60_000;

/** A query; what is undefined is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A response, as far as its schema goes. */
export interface Read<T> {
  value: T;
  /** Where the next page begins; null on the last one. */
  next: string | null;
  /** How many there are in all; null when the API does not count them. */
  total: number | null;
  headers: Headers;
}

/** The API during one call of a tool: a cancelled call ends its requests, and each request has a deadline. */
export class CallApi {
  constructor(
    private readonly client: ApiClient,
    private readonly signal: AbortSignal,
  ) {}

  /** Throws `ApiProblem` when the API refuses, `CommandError` when nothing usable came back. */
  async read<T>(schema: z.ZodType<T>, path: string, query: Query = {}): Promise<Read<T>> {
    return this.send(schema, { path: withQuery(path, query), timeoutMs: READ_TIMEOUT_MS });
  }

  /** Sends `body` as JSON. Throws as `read` does; when nothing came back, it may or may not have been done. */
  async change<T>(
    schema: z.ZodType<T>,
    method: 'POST' | 'PUT',
    path: string,
    body: unknown,
    timeoutMs = CHANGE_TIMEOUT_MS,
  ): Promise<Read<T>> {
    return this.send(schema, { method, path, timeoutMs, body: JSON.stringify(body) });
  }

  /** Any request, its response read by the schema. Throws as `read` does. */
  async send<T>(schema: z.ZodType<T>, request: Request): Promise<Read<T>> {
    const { body, headers } = await this.client.json({ ...request, signal: this.signal });
    const { data, error } = schema.safeParse(body);
    if (error)
      throw new CommandError('The service responded in a form that this version of uptime does not know. Update it.');
    const total = headers.get('x-total-count');
    const next = headers.get('x-next-cursor');
    return { value: data, next, total: total === null ? null : Number(total), headers };
  }

  /** All pages of a list, as far as `mostPages` go; `isWhole` says whether that was all. */
  async readAll<T>(
    schema: z.ZodType<T[]>,
    path: string,
    query: Query,
    mostPages: number,
  ): Promise<{ items: T[]; isWhole: boolean; headers: Headers }> {
    const items: T[] = [];
    let cursor: string | undefined;
    for (let page = 1; ; page++) {
      const { value, next, headers } = await this.read(schema, path, { limit: 1000, ...query, cursor });
      items.push(...value);
      if (next === null || page >= mostPages) return { items, isWhole: next === null, headers };
      cursor = next;
    }
  }
}

/** The path with those parts of the query that are given. */
export function withQuery(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}

/** The time at the service, which decides when things begin: the clock of this machine may be wrong. */
export function serviceTime(headers: Headers): Date {
  const at = new Date(headers.get('date') ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}
