import { z } from 'zod';
import { ENDPOINT_BOUNDS } from '../endpoint-bounds';
import { TargetType, TargetUrl, targetType } from './check-tools';
import { CHANGE, read } from './read-response';
import { findWebsite, WebsiteReference } from './reference';
import { tool } from './tool';
import { EndpointView } from './views';

const Name = z.string().min(1).max(255);

/** Begins to monitor something. */
export const createEndpoint = tool({
  name: 'create_endpoint',
  title: 'Create an endpoint',
  description:
    'Begins to monitor a target: its first check runs at once, then one each interval, and it gets an alert through each default contact unless alerts is false. Test it with test_target first. It belongs to a website: give one that exists, or a new one.',
  role: 'write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z
    .strictObject({
      website: WebsiteReference.optional(),
      new_website: z
        .strictObject({ name: Name, url: z.string().min(1).max(2048).describe('http or https') })
        .optional()
        .describe('A website to be made with it, instead of one that exists.'),
      name: Name.describe('What people call it.'),
      url: TargetUrl,
      type: TargetType,
      interval_seconds: z
        .int()
        .min(ENDPOINT_BOUNDS.interval.minimum)
        .max(ENDPOINT_BOUNDS.interval.maximum)
        .optional()
        .describe('From check to check; 60 without it.'),
      timeout_seconds: z
        .int()
        .min(ENDPOINT_BOUNDS.timeout.minimum)
        .max(ENDPOINT_BOUNDS.timeout.maximum)
        .optional()
        .describe('How long a check may take.'),
      certificate_warn_days: z
        .int()
        .min(ENDPOINT_BOUNDS.warnDays.minimum)
        .max(ENDPOINT_BOUNDS.warnDays.maximum)
        .nullish()
        .describe(
          'Days before its certificate ends at which it is degraded and told; null: never. Without it what every new endpoint has.',
        ),
      tags: z.array(z.string().min(1).max(100)).max(20).optional().describe('Words to find it by.'),
      key: z.string().min(1).max(64).optional().describe('A name for configuration files, unique in its website.'),
      alerts: z.boolean().default(true).describe('false: no alerts through the default contacts.'),
    })
    .refine(({ website, new_website }) => (website === undefined) !== (new_website === undefined), {
      message: 'Give either website or new_website.',
    }),
  output: z.object({ endpoint: EndpointView }),
  async run(
    {
      website,
      new_website,
      alerts,
      url,
      type,
      interval_seconds,
      timeout_seconds,
      certificate_warn_days: days,
      ...rest
    },
    uptime,
  ) {
    const query = { alerts: alerts ? undefined : ('none' as const) };
    const tls = days === undefined ? {} : { tls: { warn_days: days } };
    const fields = { interval: interval_seconds, timeout: timeout_seconds, ...tls };
    const wanted = { ...rest, ...fields, url, type: targetType(type, url) };
    const endpoint = await (new_website ? withWebsite(new_website) : ofWebsite(website ?? ''));
    return { text: `Created ${endpoint.id}; its first check runs now.`, data: { endpoint } };

    async function ofWebsite(reference: string) {
      const { id: websiteId } = (await findWebsite(uptime, reference)).website;
      return read(EndpointView, await uptime.createEndpoint({ path: { websiteId }, query, body: wanted }, CHANGE));
    }

    async function withWebsite(site: { name: string; url: string }) {
      const body = { ...site, endpoints: [wanted] };
      const Made = z.object({ endpoints: z.tuple([EndpointView]) });
      return read(Made, await uptime.createWebsite({ query, body }, CHANGE)).endpoints[0];
    }
  },
});
