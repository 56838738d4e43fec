import { repeat, send, type Text } from '../client';
import { type Attack, type Attacker, pause, type World } from '../scene';
import { counted, times } from './targets';

const PLAN = '/api/v1/configuration/plan';
const yaml = (body: string): Text => ({ type: 'application/yaml', body });
const json = (body: object): Text => ({ type: 'application/json', body: JSON.stringify(body) });

const many = (count: number, item: string): string => Array<string>(count).fill(item).join(', ');

/** 4 KB whose aliases expand to 462 MB. */
const BOMB = [
  'version: 1',
  `a0: &a0 "${'x'.repeat(3700)}"`,
  ...times(3).map((level) => `a${level + 1}: &a${level + 1} [${many(50, `*a${level}`)}]`),
].join('\n');

/** Sends the texts with a read key, one after the other, as fast as they are answered and at most five a second. */
function inTurn(world: World, { read }: Attacker, texts: readonly { path: string; text: Text }[]) {
  const statuses = new Map<number, number>();
  let turn = 0;
  const flood = repeat(5, async () => {
    const { path, text } = texts[turn++ % texts.length] ?? { path: PLAN, text: yaml('') };
    const { status } = await send(world.url, 'POST', path, { key: read, text });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  });
  return async () => {
    await flood.stop();
    return statuses;
  };
}

/** An attack with a read key whose requests get one of these responses, or are rate limited. */
const reading = (
  name: string,
  what: string,
  covers: readonly string[],
  expected: readonly number[],
  texts: () => readonly { path: string; text: Text }[],
): Attack => ({
  name,
  what,
  covers,
  begin: async (world) => {
    const end = inTurn(world, await world.organization('Attacker'), texts());
    return async () => {
      const statuses = await end();
      // The attacker's own requests may wait for each other. 0 means no response within 30 s.
      const asDocumented = [...statuses.keys()].every((status) => [...expected, 429, 0].includes(status));
      return { text: counted(statuses), asDocumented: asDocumented && expected.some((one) => statuses.has(one)) };
    };
  },
});

const aliases = reading(
  'document aliases',
  'five plans a second of 4 KB whose aliases stand for 462 MB, by a read key',
  ['src/configuration/document'],
  [400],
  () => [{ path: PLAN, text: yaml(BOMB) }],
);

const unknownFields = reading(
  'document fields',
  'five plans a second of 5,000 unknown fields (44 KB), or of 4,990 endpoints that are refused, by a read key',
  ['src/configuration/document', 'src/configuration/plan'],
  [400],
  () => [
    { path: PLAN, text: yaml(['version: 1', ...times(5000).map((index) => `f${index}: 0`)].join('\n')) },
    {
      path: PLAN,
      text: json({
        version: 1,
        websites: [
          {
            key: 'a',
            name: 'A',
            url: 'https://a.example.com',
            endpoints: times(4990).map((index) => ({ key: `e${index}`, name: 'E', type: 'HTTPS', url: 'ftp://a' })),
          },
        ],
      }),
    },
  ],
);

const conversions = reading(
  'conversions',
  '4,000 monitors of UptimeRobot under one name, 10,000 empty rows of Uptime Kuma, 200 files with aliases in a ConfigMap',
  ['src/configuration/convert', 'packages/convert'],
  [200, 400],
  () => {
    const monitor = (index: number) => ({
      id: index,
      type: 1,
      friendly_name: 'a',
      url: 'http://a.example.com',
      http_username: 'u',
      http_password: `${index}`,
    });
    const at = (from: string) => `/api/v1/configuration/convert?from=${from}`;
    const file = `    a0: &a0 [${many(50, '0')}]\n${times(2)
      .map((level) => `    a${level + 1}: &a${level + 1} [${many(50, `*a${level}`)}]`)
      .join('\n')}`;
    const map = `kind: ConfigMap\ndata:\n${times(200)
      .map((index) => `  f${index}.yaml: |\n${file}`)
      .join('\n')}\n`;
    return [
      { path: at('uptimerobot'), text: json({ stat: 'ok', monitors: times(4000).map(monitor) }) },
      { path: at('uptime-kuma'), text: json({ monitorList: times(10_000).map(() => ({})) }) },
      { path: at('gatus'), text: yaml(map) },
    ];
  },
);

const windows = reading(
  'windows of documents',
  'five plans a second of 990 windows that are due every 28 years, or of 4,990, by a read key',
  ['src/configuration/plan', 'src/maintenance'],
  [200, 400],
  () =>
    [990, 4990].map((count) => ({
      path: PLAN,
      text: json({
        version: 1,
        maintenance_windows: times(count).map((index) => ({
          key: `w${index}`,
          name: 'W',
          cron: '0 0 * 2 MON#5',
          timezone: 'UTC',
          duration: 3600,
          scope: { all: true },
        })),
      }),
    })),
);

/** 20 endpoints with 40 alerts each: 820 resources. */
const documentOf = (description: string): Text =>
  json({
    version: 1,
    owner: 'attacker',
    websites: [
      {
        key: 'site',
        name: 'Site',
        url: 'https://attacker.example.com',
        endpoints: times(20).map((endpoint) => ({
          key: `e${endpoint}`,
          name: 'E',
          type: 'HTTP',
          url: 'http://127.0.0.1:9',
          interval: 86_400,
          alerts: times(40).map((alert) => ({
            key: `a${alert}`,
            type: 'webhook',
            config: { url: 'http://127.0.0.1:9/hook' },
            description,
          })),
        })),
      },
    ],
  });

const applies: Attack = {
  name: 'applies',
  what: 'two clients that apply 800 alerts over and over, each time with another description, by write keys',
  covers: ['src/configuration/apply', 'src/alert/declared-alerts.service.ts'],
  // An apply holds the only session of the embedded database for as long as it writes.
  readsWithinMs: 3000,
  begin: async (world) => {
    const attacker = await world.organization('Attacker');
    const statuses = new Map<number, number>();
    const state = { isOver: false };
    let turn = 0;
    let longest = 0;
    const client = async () => {
      while (!state.isOver) {
        const key = attacker.write[turn % attacker.write.length] ?? '';
        const text = documentOf(`description ${turn++}`);
        const { status, ms } = await send(world.url, 'PUT', '/api/v1/configuration', { key, text });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        longest = Math.max(longest, ms);
        if (status !== 200) await pause(100);
      }
    };
    const clients = [client(), client()];
    return async () => {
      state.isOver = true;
      await Promise.all(clients);
      const known = [...statuses.keys()].every((status) => status === 200 || status === 429);
      const text = `${counted(statuses)}; the longest took ${(longest / 1000).toFixed(1)} s`;
      return { text, asDocumented: known && statuses.has(200) };
    };
  },
};

const crowding: Attack = {
  name: 'plans that wait',
  what: 'twelve plans at once of 9.5 KB with aliases, again and again, by a read key, while another organization plans',
  covers: ['src/configuration/document'],
  begin: async (world) => {
    const [attacker, other] = [await world.organization('Attacker'), await world.organization('Other')];
    const filler = times(100).map((index) => `b${index}: [${many(20, '*a2')}]`);
    const text = yaml(`${BOMB.replaceAll('x', '').replace('a0: &a0 ""', 'a0: &a0 [0]')}\n${filler.join('\n')}`);
    const [own, others] = [new Map<number, number>(), new Map<number, number>()];
    const state = { isOver: false };
    const client = async () => {
      while (!state.isOver) {
        const { status } = await send(world.url, 'POST', PLAN, { key: attacker.read, text });
        own.set(status, (own.get(status) ?? 0) + 1);
        if (status === 429) await pause(200);
      }
    };
    const clients = times(12).map(client);
    const long = yaml(`version: 1\n# ${'x'.repeat(9000)}\n`);
    const planning = repeat(1, async () => {
      const { status } = await send(world.url, 'POST', PLAN, { key: other.read, text: long });
      others.set(status, (others.get(status) ?? 0) + 1);
    });
    return async () => {
      state.isOver = true;
      await planning.stop();
      await Promise.all(clients);
      const asDocumented = others.has(200) && others.size === 1;
      return { text: `its plans: ${counted(own)}; the other’s: ${counted(others)}`, asDocumented };
    };
  },
};

export const ON_DOCUMENTS: readonly Attack[] = [aliases, unknownFields, conversions, windows, applies, crowding];
