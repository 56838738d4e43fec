import { z } from 'zod';
import { ENDPOINT_BOUNDS } from '../endpoint-bounds';
import { TargetType, TargetUrl, targetType } from './check-tools';
import { CHANGE, read } from './read-response';
import { findWebsite, WebsiteReference } from './reference';
import { tool } from './tool';
import { EndpointView } from './views';

const Heartbeat = z.strictObject({
  every_seconds: z.int().min(60).max(31_536_000).optional().describe('From ping to ping.'),
  cron: z.string().min(1).max(200).optional().describe('Five fields, such as 30 2 * * *.'),
  timezone: z.string().min(1).max(64).optional().describe('Of cron, such as Europe/Berlin.'),
  grace_seconds: z
    .int()
    .min(0)
    .max(31_536_000)
    .optional()
    .describe('How late a ping may be; a tenth of the period without it.'),
});

const Name = z.string().min(1).max(255);

const MadeEndpoint = EndpointView.extend({ heartbeat: z.object({ ping_url: z.string().nullable() }).nullable() });

const waitingFor = ({ every_seconds: every, grace_seconds: grace, ...cron }: z.infer<typeof Heartbeat>) => ({
  type: 'HEARTBEAT' as const,
  heartbeat: { ...cron, every, grace },
});

export const createEndpoint = tool({
  name: 'create_endpoint',
  title: 'Create an endpoint',
  description:
    'Begins to monitor a target: its first check runs at once, then one each interval, and it gets an alert through each default contact unless alerts is false. Test it with test_target first. With heartbeat instead of url it waits for the pings of a job, and is down when one does not come. It belongs to a website: give one that exists, or a new one.',
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
      url: TargetUrl.optional(),
      type: TargetType,
      heartbeat: Heartbeat.optional().describe(
        'When a job must ping, either every_seconds or cron with timezone; instead of url.',
      ),
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
      locations: z
        .array(z.string().min(1).max(71))
        .min(1)
        .max(10)
        .optional()
        .describe(
          'Where it is checked from: local, keys of probes, or shared/ and the key of a shared one; local without it.',
        ),
      quorum: z
        .union([z.enum(['majority', 'any', 'all']), z.int().min(1).max(10)])
        .optional()
        .describe('How many locations must see it down; majority without it.'),
      tags: z.array(z.string().min(1).max(100)).max(20).optional().describe('Words to find it by.'),
      key: z.string().min(1).max(64).optional().describe('A name for configuration files, unique in its website.'),
      alerts: z.boolean().default(true).describe('false: no alerts through the default contacts.'),
    })
    .refine(({ website, new_website }) => (website === undefined) !== (new_website === undefined), {
      message: 'Give either website or new_website.',
    })
    .refine(({ url, heartbeat }) => (url === undefined) !== (heartbeat === undefined), {
      message: 'Give either url or heartbeat.',
    }),
  output: z.object({
    endpoint: EndpointView,
    ping_url: z
      .string()
      .nullable()
      .describe(
        'Of a heartbeat: where its job pings, a secret; null where the service does not know its own address, and for others.',
      ),
  }),
  async run(
    {
      website,
      new_website,
      alerts,
      url,
      type,
      interval_seconds,
      timeout_seconds,
      heartbeat,
      certificate_warn_days: days,
      ...rest
    },
    uptime,
  ) {
    const query = { alerts: alerts ? undefined : ('none' as const) };
    const tls = days === undefined ? {} : { tls: { warn_days: days } };
    const fields = { interval: interval_seconds, timeout: timeout_seconds, ...tls };
    const target = heartbeat ? waitingFor(heartbeat) : { url, type: targetType(type, url ?? '') };
    const wanted = { ...rest, ...fields, ...target };
    const { heartbeat: made, ...endpoint } = await (new_website ? withWebsite(new_website) : ofWebsite(website ?? ''));
    const then = heartbeat ? 'it waits for its first ping' : 'its first check runs now';
    return { text: `Created ${endpoint.id}; ${then}.`, data: { endpoint, ping_url: made?.ping_url ?? null } };

    async function ofWebsite(reference: string) {
      const { id: websiteId } = (await findWebsite(uptime, reference)).website;
      return read(MadeEndpoint, await uptime.createEndpoint({ path: { websiteId }, query, body: wanted }, CHANGE));
    }

    async function withWebsite(site: { name: string; url: string }) {
      const body = { ...site, endpoints: [wanted] };
      const Made = z.object({ endpoints: z.tuple([MadeEndpoint]) });
      return read(Made, await uptime.createWebsite({ query, body }, CHANGE)).endpoints[0];
    }
  },
});
