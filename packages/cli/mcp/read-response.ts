import { z } from 'zod';
import type { CallOptions } from '../../client/index.cjs';
import { CommandError } from '../uptime/io';
import { allPages, type AskForPage } from '../uptime/pages';

/** Pages have a thousand items. More items are not useful in a conversation. */
const MOST_PAGES = 10;

/** Options for requests that change something. Other requests use the options of `serveMcp`. */
export const CHANGE: CallOptions = { timeoutMs: 60_000 };

/** Validates a response and keeps the fields of the schema. Throws: `CommandError` if the response has another form. */
export function read<T>(schema: z.ZodType<T>, response: unknown): T {
  const { data, error } = schema.safeParse(response);
  if (error)
    throw new CommandError('The service sent a response that this version of uptime cannot read. Update uptime.');
  return data;
}

/** Returns the items of a list, limited to the fields of the schema and to `MOST_PAGES`. See `allPages`. */
export const readPages = <T>(schema: z.ZodType<T>, ask: AskForPage<unknown>) =>
  allPages(async (page) => {
    const found = await ask(page);
    return { ...found, data: read(z.array(schema), found.data) };
  }, MOST_PAGES);

/** Returns the service's time, which decides when windows start. The clock of this machine may be wrong. */
export function serviceTime(headers: Headers): Date {
  const at = new Date(headers.get('date') ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}
