import type { Attack } from '../scene';
import { HostileTarget, response, times } from './targets';

const hanging: Attack = {
  name: 'receivers that hang',
  what: 'six organizations, each with 40 alerts to receivers that never respond',
  covers: ['src/delivery/send'],
  begin: async (world) => {
    const site = world.keep(
      await HostileTarget.listen((socket) => socket.end(response('500 Broken', Buffer.alloc(0)))),
    );
    const receivers = await Promise.all(times(40).map(() => HostileTarget.listen(() => {})));
    for (const receiver of receivers) world.keep(receiver);
    for (const index of times(6)) {
      const attacker = await world.organization(`Attacker ${index}`);
      const endpoint = { name: 'E', url: site.url, type: 'HTTP', interval: 1, timeout: 5 };
      const endpoints = await attacker.createAll(
        `/websites/${attacker.website}/endpoints`,
        times(40).map(() => endpoint),
      );
      await attacker.createAll(
        '/alerts',
        endpoints.map((id, position) => ({
          endpoint_id: id,
          type: 'webhook',
          config: { url: `${receivers[position]?.url ?? ''}/hook` },
          failure_threshold: 1,
        })),
      );
    }
    return async () => {
      const held = receivers.reduce((sum, { connections }) => sum + connections, 0);
      return { text: `${held} of its messages are under way`, asDocumented: held < 64 };
    };
  },
};

export const ON_DELIVERIES: readonly Attack[] = [hanging];
