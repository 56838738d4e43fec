import { z } from 'zod';
import { allPages } from '../uptime/pages';
import { read } from './read-response';
import { LOOKS, tool } from './tool';
import { ProbeView } from './views';

const MOST = 100;

export const listProbes = tool({
  name: 'list_probes',
  title: 'List probes',
  description:
    'Lists probes: the locations that endpoints can be checked from, in addition to the service itself (local). An endpoint refers to a probe by its location.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({
    status: z
      .enum(['new', 'online', 'offline', 'disabled', 'unsupported'])
      .optional()
      .describe('Only probes with this status. offline: the probe is lost. unsupported: the probe must be updated.'),
  }),
  output: z.object({
    probes: z.array(ProbeView.extend({ location: z.string().describe('how endpoints refer to the probe') })),
    probes_omitted: z.number(),
  }),
  async run({ status }, uptime) {
    const { items } = await allPages((page) => uptime.listProbes.withResponse({ query: { ...page, status } }), 1);
    const probes = read(z.array(ProbeView), items.slice(0, MOST)).map((probe) => ({
      ...probe,
      location: `${probe.shared ? 'shared/' : ''}${probe.key}`,
    }));
    const offline = probes.filter((probe) => probe.status === 'offline').length;
    return {
      text: `${items.length} probes, ${offline} of them offline.`,
      data: { probes, probes_omitted: items.length - probes.length },
    };
  },
});
