import { z } from 'zod';
import { read } from './read-response';
import { findWebsite, WebsiteReference } from './reference';
import { LOOKS, tool } from './tool';
import { EndpointView } from './views';

export const listEndpoints = tool({
  name: 'list_endpoints',
  title: 'List endpoints',
  description:
    'Lists endpoints with their IDs and status, oldest first. Filters can be combined. Pass next_cursor to get the next page.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({
    status: z.enum(['up', 'down', 'unknown', 'paused']).optional().describe('Only endpoints with this status.'),
    type: z.string().min(1).max(32).optional().describe('Only endpoints of this type: HTTPS, TCP, DNS, …'),
    tag: z.string().min(1).max(100).optional().describe('Only endpoints with this tag.'),
    location: z
      .string()
      .min(1)
      .max(71)
      .optional()
      .describe('Only endpoints that are checked from this location: local, or a probe.'),
    website: WebsiteReference.optional().describe(
      'Only endpoints of this website, by its ID (ws_…), key, or exact name.',
    ),
    text: z.string().min(1).max(100).optional().describe('Only endpoints whose name or URL contains this string.'),
    limit: z.int().min(1).max(100).default(25).describe('The maximum number of endpoints to return.'),
    cursor: z.string().min(1).max(500).optional().describe('next_cursor of the previous page, with the same filters.'),
  }),
  output: z.object({
    endpoints: z.array(EndpointView),
    total: z.number().nullable().describe('how many match in total; null if there are too many to count'),
    next_cursor: z.string().nullable().describe('null on the last page'),
  }),
  async run({ type, website, text: q, ...filters }, uptime) {
    const website_id = website === undefined ? undefined : (await findWebsite(uptime, website)).website.id;
    const query = { ...filters, type: type?.toUpperCase(), website_id, q };
    const { data, headers } = await uptime.searchEndpoints.withResponse({ query });
    const endpoints = read(z.array(EndpointView), data);
    const { xNextCursor: next = null, xTotalCount: total = null } = headers;
    const more = next === null ? '' : ' There are more: pass next_cursor to get them.';
    const of = total === null ? '' : ` of ${total}`;
    return { text: `${endpoints.length}${of} endpoints.${more}`, data: { endpoints, total, next_cursor: next } };
  },
});
