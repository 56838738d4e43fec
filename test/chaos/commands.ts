import fc from 'fast-check';
import type { AnswerMode } from '../harness/servers/switched-server';
import type { Fields, Kind, Resource, Model } from './model';

export type ProviderMode = AnswerMode | 'refuse';
export type DatabaseName = 'embedded' | 'postgres';

/** One step of a run. Names are the world's own; the service knows the resources by ids. */
export type Command =
  | { do: 'create'; kind: Kind; name: string; parent: string | null; fields: Fields }
  | { do: 'update'; kind: Kind; name: string; fields: Fields }
  | { do: 'delete'; kind: Kind; name: string }
  | { do: 'check now'; name: string }
  | { do: 'target'; names: readonly string[]; mode: AnswerMode }
  | { do: 'provider'; channel: number; mode: ProviderMode }
  | { do: 'kill -9'; instance: number }
  | { do: 'restart'; instance: number }
  | { do: 'freeze'; instance: number }
  | { do: 'second instance'; how: 'joins' | 'leaves' | 'is killed' }
  | { do: 'database'; how: 'is stopped' | 'is killed' | 'is frozen'; seconds: number };

/** A command, and how long to wait before the next one. */
export interface Step {
  command: Command;
  pauseMs: number;
}

export const CHANNELS = 6;
/** The place of the instance that no command ends while the run is anchored. */
export const ANCHOR = 0;
const MOST: Readonly<Record<Kind, number>> = { website: 4, endpoint: 24, alert: 36 };
const TARGET_FAULTS = ['error', 'error', 'reset', 'hang'] as const;
const PROVIDER_MODES = ['ok', 'ok', 'error', 'hang', 'refuse', 'busy', 'reset'] as const;
const STEPS_PER_ROUND = 48;

/** Of a hundred commands: what clients do, and what targets and providers do. The rest are faults; an anchor is spared some. */
const SHARES = { mortal: { changes: 39, outside: 43 }, anchored: { changes: 42, outside: 46 } };

/** Takes one of the values, by the next number drawn. */
type Pick = <T>(values: readonly [T, ...T[]]) => T;
type Choice = [weight: number, make: () => Command];

/** Where a round is played. */
export interface Setting {
  database: DatabaseName;
  /** One instance, the anchor, is not ended by any command, so that it lives long enough to show a leak. */
  anchored: boolean;
}

/**
 * The commands of one round and what the world is after them. The seed, the number of the round and the setting decide
 * all of it: nothing that the service answers does.
 */
export function planRound(world: Model, seed: number, round: number, setting: Setting): Step[] {
  return fc
    .sample(fc.noBias(fc.array(fc.nat(), { minLength: 12, maxLength: 12 })), {
      seed: Math.imul(seed, 0x9e37_79b1) ^ round,
      numRuns: STEPS_PER_ROUND,
    })
    .map((numbers) => planStep(world, numbers, setting));
}

function planStep(world: Model, numbers: readonly number[], setting: Setting): Step {
  let place = 0;
  const draw = () => numbers[place++] ?? 0;
  const pick: Pick = (values) => values[draw() % values.length] ?? values[0];
  const pauseMs = 100 + (draw() % 900);
  const share = draw() % 100;
  const shares = setting.anchored ? SHARES.anchored : SHARES.mortal;
  const choices =
    share < shares.changes
      ? changes(world, pick)
      : share < shares.changes + shares.outside
        ? outside(world, pick)
        : faults(world, pick, setting);
  let rest = draw() % choices.reduce((sum, [weight]) => sum + weight, 0);
  const [, make] = choices.find(([weight]) => (rest -= weight) < 0) ?? [];
  if (!make) throw new Error('there is always something to do');
  const command = make();
  world.apply(command);
  return { command, pauseMs };
}

/** What clients do. Steady resources are left alone, so that there is something to compare a whole run by. */
function changes(world: Model, pick: Pick): Choice[] {
  const choices: Choice[] = [];
  const loose = (kind: Kind) => world.of(kind).filter(({ steady }) => !steady);
  const has = (kind: Kind) => world.of(kind).length < MOST[kind];
  const [websites, endpoints, alerts] = [loose('website'), loose('endpoint'), loose('alert')];
  if (has('website')) choices.push([2, () => create('website', world.newName('w'), null, { enabled: true })]);
  if (filled(websites)) {
    if (has('endpoint')) choices.push([8, () => newEndpoint(world, pick(websites).name, pick)]);
    choices.push([2, () => flip(websites, pick)]);
    if (websites.length > 1) choices.push([1, () => remove(pick(websites))]);
  }
  if (filled(endpoints)) {
    if (has('alert')) choices.push([8, () => newAlert(world, pick(endpoints).name, pick)]);
    choices.push(
      [4, () => flip(endpoints, pick)],
      [2, () => edit(pick(endpoints), { interval: pick([1, 2]) })],
      [2, () => retarget(world, pick(endpoints))],
      [3, () => remove(pick(endpoints))],
    );
    const active = endpoints.filter(({ name }) => world.isActive(name));
    if (filled(active)) choices.push([3, () => ({ do: 'check now', name: pick(active).name })]);
  }
  if (filled(alerts))
    choices.push(
      [4, () => flip(alerts, pick)],
      [3, () => edit(pick(alerts), { failure_threshold: pick([1, 2, 3]), success_threshold: pick([1, 2]) })],
      [3, () => edit(pick(alerts), { channel: pick(CHANNEL_NUMBERS) })],
      [3, () => remove(pick(alerts))],
    );
  return choices;
}

/** What targets and providers do. Calm targets never fail. */
function outside(world: Model, pick: Pick): Choice[] {
  const restless = world.of('endpoint').filter(({ calm }) => !calm);
  const choices: Choice[] = [];
  const turn = (endpoints: readonly [Resource, ...Resource[]]): Command => ({
    do: 'target',
    names: endpoints.map(({ name }) => name),
    mode: world.modeOf(endpoints[0].name) === 'ok' ? pick(TARGET_FAULTS) : 'ok',
  });
  if (filled(restless)) {
    const withSiblings = (one: Resource): [Resource, ...Resource[]] => [
      one,
      ...restless.filter((endpoint) => endpoint !== one && endpoint.parent === one.parent),
    ];
    choices.push([28, () => turn([pick(restless)])], [10, () => turn(withSiblings(pick(restless)))]);
  }
  choices.push([18, () => turnProvider(pick)]);
  return choices;
}

const turnProvider = (pick: Pick): Command => ({
  do: 'provider',
  channel: pick(CHANNEL_NUMBERS),
  mode: pick(PROVIDER_MODES),
});

/** What happens to the service and its database. */
function faults(world: Model, pick: Pick, { database, anchored }: Setting): Choice[] {
  const instances: [number, ...number[]] = world.second ? [0, 1] : [0];
  const mortal = instances.filter((instance) => !anchored || instance !== ANCHOR);
  const choices: Choice[] = [[3, () => ({ do: 'freeze', instance: pick(instances) })]];
  if (filled(mortal))
    choices.push(
      [4, () => ({ do: 'kill -9', instance: pick(mortal) })],
      [3, () => ({ do: 'restart', instance: pick(mortal) })],
    );
  // Without its ends the embedded service would be frozen most of the time.
  if (database === 'embedded') return filled(mortal) ? choices : [...choices, [7, () => turnProvider(pick)]];
  const ends = ['leaves', 'is killed'] as const;
  choices.push(
    [world.second ? 3 : 8, () => ({ do: 'second instance', how: world.second ? pick(ends) : 'joins' })],
    [
      5,
      () => ({
        do: 'database',
        how: pick(['is stopped', 'is killed', 'is frozen']),
        seconds: pick([1, 2, 4, 6]),
      }),
    ],
  );
  return choices;
}

const CHANNEL_NUMBERS = Array.from({ length: CHANNELS }, (_, number) => number) as [number, ...number[]];
const filled = <T>(values: T[]): values is [T, ...T[]] => values.length > 0;

const create = (kind: Kind, name: string, parent: string | null, fields: Fields): Command => ({
  do: 'create',
  kind,
  name,
  parent,
  fields,
});

const newEndpoint = (world: Model, website: string, pick: Pick): Command => {
  const name = world.newName('e');
  return create('endpoint', name, website, { enabled: true, interval: pick([1, 2]), path: name });
};

const newAlert = (world: Model, endpoint: string, pick: Pick): Command =>
  create('alert', world.newName('a'), endpoint, {
    enabled: true,
    channel: pick(CHANNEL_NUMBERS),
    failure_threshold: pick([1, 1, 2, 3]),
    success_threshold: pick([1, 2]),
  });

const edit = ({ kind, name }: Resource, fields: Fields): Command => ({ do: 'update', kind, name, fields });
/** What is off is switched on first, so that not everything is off in the end. */
function flip(resources: [Resource, ...Resource[]], pick: Pick): Command {
  const off = resources.filter(({ fields }) => fields['enabled'] !== true);
  return filled(off) ? edit(pick(off), { enabled: true }) : edit(pick(resources), { enabled: false });
}
const remove = ({ kind, name }: Resource): Command => ({ do: 'delete', kind, name });
/** Another path of the same target. */
const retarget = (world: Model, resource: Resource): Command =>
  edit(resource, { path: `${resource.name}/${world.newName('p')}` });

/** What a command is counted as. */
export const kindOf = (command: Command): string =>
  'kind' in command ? `${command.do} ${command.kind}` : 'how' in command ? `${command.do} ${command.how}` : command.do;

/** One line for people. */
export function lineOf(command: Command): string {
  const settings = Object.entries(command)
    .filter(([key]) => !['do', 'kind', 'how', 'fields'].includes(key))
    .map(([key, value]) => (key === 'name' ? String(value) : `${key}=${String(value)}`));
  const fields = 'fields' in command ? Object.entries(command.fields).map(([key, value]) => `${key}=${value}`) : [];
  return [kindOf(command), ...settings, ...fields].join(' ');
}

/** A website with endpoints that nobody edits, and one that everybody does. */
export function firstCommands(): Command[] {
  const commands: Command[] = [];
  for (const website of ['steady', 'loose']) {
    commands.push(create('website', website, null, { enabled: true }));
    for (let place = 0; place < 4; place++) {
      const endpoint = `${website}-e${place}`;
      commands.push(
        create('endpoint', endpoint, website, { enabled: true, interval: 1 + (place % 2), path: endpoint }),
      );
      for (const failure_threshold of [1, 2]) {
        const fields = { enabled: true, channel: (place + failure_threshold) % CHANNELS, failure_threshold };
        const name = `${website}-a${place}-${failure_threshold}`;
        commands.push(create('alert', name, endpoint, { ...fields, success_threshold: 1 }));
      }
    }
  }
  return commands;
}
