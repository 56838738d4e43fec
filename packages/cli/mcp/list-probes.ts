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
    'Probes: the places that endpoints can be checked from, beside the service itself (local). An endpoint names one by its location.',
  role: 'read',
  hints: LOOKS,
  input: z.strictObject({
    status: z
      .enum(['new', 'online', 'offline', 'disabled', 'unsupported'])
      .optional()
      .describe('Only with this status; offline is lost, unsupported has to be updated.'),
  }),
  output: z.object({
    probes: z.array(ProbeView.extend({ location: z.string().describe('how an endpoint names it') })),
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
