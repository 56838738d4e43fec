import { z } from 'zod';
import type { CallOptions } from '../../client/index.cjs';
import { CommandError } from '../uptime/io';
import { allPages, type AskForPage } from '../uptime/pages';

/** Pages of a thousand: more are not for a conversation. */
const MOST_PAGES = 10;

/** Of a request that changes something; others have what `serveMcp` gives all. */
export const CHANGE: CallOptions = { timeoutMs: 60_000 };

/** A response as far as its schema goes. Throws `CommandError` when it has another form. */
export function read<T>(schema: z.ZodType<T>, response: unknown): T {
  const { data, error } = schema.safeParse(response);
  if (error)
    throw new CommandError('The service sent a response that this version of uptime cannot read. Update uptime.');
  return data;
}

/** The items of a list, as far as the schema and `MOST_PAGES` go, as `allPages` has them. */
export const readPages = <T>(schema: z.ZodType<T>, ask: AskForPage<unknown>) =>
  allPages(async (page) => {
    const found = await ask(page);
    return { ...found, data: read(z.array(schema), found.data) };
  }, MOST_PAGES);

/** The time at the service, which decides when things begin: the clock of this machine may be wrong. */
export function serviceTime(headers: Headers): Date {
  const at = new Date(headers.get('date') ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}
