import { z } from 'zod';
import { read } from './read-response';
import { findWebsite, WebsiteReference } from './reference';
import { LOOKS, tool } from './tool';
import { EndpointView } from './views';

export const listEndpoints = tool({
  name: 'list_endpoints',
  title: 'List endpoints',
  description: 'Endpoints with their ids and status, oldest first. Filters combine. next_cursor brings the next page.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({
    status: z.enum(['up', 'down', 'unknown', 'paused']).optional().describe('Only with this status.'),
    type: z.string().min(1).max(32).optional().describe('Only of this type: HTTPS, TCP, DNS, …'),
    tag: z.string().min(1).max(100).optional().describe('Only with this tag.'),
    location: z.string().min(1).max(71).optional().describe('Only those checked from there: local, or a probe.'),
    website: WebsiteReference.optional().describe('Only of this website: its id (ws_…), its key or its exact name.'),
    text: z.string().min(1).max(100).optional().describe('Only those whose name or address contains this.'),
    limit: z.int().min(1).max(100).default(25).describe('How many at most.'),
    cursor: z.string().min(1).max(500).optional().describe('next_cursor of the page before, with the same filters.'),
  }),
  output: z.object({
    endpoints: z.array(EndpointView),
    total: z.number().nullable().describe('how many fit in all; null when there are too many to count'),
    next_cursor: z.string().nullable().describe('null on the last page'),
  }),
  async run({ type, website, text: q, ...filters }, uptime) {
    const website_id = website === undefined ? undefined : (await findWebsite(uptime, website)).website.id;
    const query = { ...filters, type: type?.toUpperCase(), website_id, q };
    const { data, headers } = await uptime.searchEndpoints.withResponse({ query });
    const endpoints = read(z.array(EndpointView), data);
    const { xNextCursor: next = null, xTotalCount: total = null } = headers;
    const more = next === null ? '' : ' There are more: next_cursor brings them.';
    const of = total === null ? '' : ` of ${total}`;
    return { text: `${endpoints.length}${of} endpoints.${more}`, data: { endpoints, total, next_cursor: next } };
  },
});
