import { repeat, send, type Text } from '../client';
import type { Attack } from '../scene';
import { counted, times } from './targets';

/** 8,000 unknown fields, each with a text that no field accepts: 118 KB. */
const WIDE: Text = {
  type: 'application/json',
  body: JSON.stringify(Object.fromEntries(times(8000).map((index) => [String(index), '\0']))),
};

const signIns: Attack = {
  name: 'sign-in bodies',
  what: '100 sign-ins a second with bodies of 118 KB, and 100 with keys that do not exist, without a key',
  covers: ['src/platform/http/body', 'src/identity/session'],
  begin: async (world) => {
    const statuses = new Map<number, number>();
    const ask = async (text: Text) => {
      const { status } = await send(world.url, 'POST', '/auth/session', { text });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    const wide = repeat(100, () => ask(WIDE));
    const guesses = repeat(100, () => {
      const api_key = `ums_a_${Math.random().toString(36).slice(2).padEnd(30, '0')}`;
      return ask({ type: 'application/json', body: JSON.stringify({ api_key }) });
    });
    return async () => {
      await Promise.all([wide.stop(), guesses.stop()]);
      const read = (statuses.get(400) ?? 0) + (statuses.get(401) ?? 0);
      return { text: counted(statuses), asDocumented: read < 100 && (statuses.get(429) ?? 0) > 0 };
    };
  },
};

const wideBodies: Attack = {
  name: 'wide bodies',
  what: '100 new websites a second with bodies of 8,000 unknown fields, by write keys',
  covers: ['src/platform/http/body'],
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const statuses = new Map<number, number>();
    let turn = 0;
    const flood = repeat(100, async () => {
      const key = attacker.write[turn++ % attacker.write.length] ?? '';
      const { status } = await send(world.url, 'POST', '/api/v1/websites', { key, text: WIDE });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    return async () => {
      await flood.stop();
      return { text: counted(statuses), asDocumented: (statuses.get(400) ?? 0) > 0 && !statuses.has(201) };
    };
  },
};

export const ON_BODIES: readonly Attack[] = [signIns, wideBodies];
