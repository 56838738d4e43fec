import { z } from 'zod';
import type { CallOptions } from '../../client/index.cjs';
import { CommandError } from '../uptime/io';
import { allPages, type AskForPage } from '../uptime/pages';

/** A page has a thousand items. More isn't useful in a conversation. */
const MOST_PAGES = 10;

/** Options for requests that change data. Other requests use the options from `serveMcp`. */
export const CHANGE: CallOptions = { timeoutMs: 60_000 };

/**
 * Validates a response and keeps only the fields in the schema. Throws: `CommandError` if the response doesn't match.
 */
export function read<T>(schema: z.ZodType<T>, response: unknown): T {
  const { data, error } = schema.safeParse(response);
  if (error)
    throw new CommandError('The service sent a response that this version of uptime cannot read. Update uptime.');
  return data;
}

/** Returns list items with only the fields in the schema, up to `MOST_PAGES` pages. See `allPages`. */
export const readPages = <T>(schema: z.ZodType<T>, ask: AskForPage<unknown>) =>
  allPages(async (page) => {
    const found = await ask(page);
    return { ...found, data: read(z.array(schema), found.data) };
  }, MOST_PAGES);

/** Returns the service's time, which determines when windows start. This machine's clock may be wrong. */
export function serviceTime(headers: Headers): Date {
  const at = new Date(headers.get('date') ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}
