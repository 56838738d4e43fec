import fc from 'fast-check';
import type { ResponseMode } from '../harness/servers/switchable-server';
import type { Fields, Kind, Resource, Model } from './model';

export type ProviderMode = ResponseMode | 'refuse';
export type DatabaseName = 'embedded' | 'postgres';

/** One step of a run. Names are the model's; the service knows the resources by ids. */
export type Command =
  | { do: 'create'; kind: Kind; name: string; parent: string | null; fields: Fields }
  | { do: 'update'; kind: Kind; name: string; fields: Fields }
  | { do: 'delete'; kind: Kind; name: string }
  | { do: 'check now'; name: string }
  | { do: 'target'; names: readonly string[]; mode: ResponseMode }
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
/** Index of the instance that no command ends while it is protected. */
export const PROTECTED_INSTANCE = 0;
const MAX_RESOURCES: Readonly<Record<Kind, number>> = { website: 4, endpoint: 24, alert: 36 };
const TARGET_FAULTS = ['error', 'error', 'reset', 'hang'] as const;
const PROVIDER_MODES = ['ok', 'ok', 'error', 'hang', 'refuse', 'busy', 'reset'] as const;
const STEPS_PER_ROUND = 48;

/** Percent of commands that are client writes or switch targets and providers; the rest are faults, fewer with a protected instance. */
const SHARES = { allKillable: { client: 39, environment: 43 }, oneProtected: { client: 42, environment: 46 } };

/** Picks one of the values by the next drawn number. */
type Pick = <T>(values: readonly [T, ...T[]]) => T;
type Choice = [weight: number, make: () => Command];

/** Which faults a round may have. */
export interface Setting {
  database: DatabaseName;
  /** No command ends the first instance, so that it lives long enough to show a leak. */
  protectFirst: boolean;
}

/**
 * The commands of one round, already applied to the model. Only the seed, the number of the round and the setting decide
 * them, never a response of the service.
 */
export function planRound(model: Model, seed: number, round: number, setting: Setting): Step[] {
  return fc
    .sample(fc.noBias(fc.array(fc.nat(), { minLength: 12, maxLength: 12 })), {
      seed: Math.imul(seed, 0x9e37_79b1) ^ round,
      numRuns: STEPS_PER_ROUND,
    })
    .map((numbers) => planStep(model, numbers, setting));
}

function planStep(model: Model, numbers: readonly number[], setting: Setting): Step {
  let next = 0;
  const draw = () => numbers[next++] ?? 0;
  const pick: Pick = (values) => values[draw() % values.length] ?? values[0];
  const pauseMs = 100 + (draw() % 900);
  const share = draw() % 100;
  const shares = setting.protectFirst ? SHARES.oneProtected : SHARES.allKillable;
  const choices =
    share < shares.client
      ? clientChanges(model, pick)
      : share < shares.client + shares.environment
        ? environmentChanges(model, pick)
        : faults(model, pick, setting);
  let rest = draw() % choices.reduce((sum, [weight]) => sum + weight, 0);
  const [, make] = choices.find(([weight]) => (rest -= weight) < 0) ?? [];
  if (!make) throw new Error('no command to choose from');
  const command = make();
  model.apply(command);
  return { command, pauseMs };
}

/** Client writes. They leave steady resources alone, so that those can be compared over a whole run. */
function clientChanges(model: Model, pick: Pick): Choice[] {
  const choices: Choice[] = [];
  const editable = (kind: Kind) => model.of(kind).filter(({ steady }) => !steady);
  const has = (kind: Kind) => model.of(kind).length < MAX_RESOURCES[kind];
  const [websites, endpoints, alerts] = [editable('website'), editable('endpoint'), editable('alert')];
  if (has('website')) choices.push([2, () => create('website', model.newName('w'), null, { enabled: true })]);
  if (isNonEmpty(websites)) {
    if (has('endpoint')) choices.push([8, () => newEndpoint(model, pick(websites).name, pick)]);
    choices.push([2, () => toggle(websites, pick)]);
    if (websites.length > 1) choices.push([1, () => remove(pick(websites))]);
  }
  if (isNonEmpty(endpoints)) {
    if (has('alert')) choices.push([8, () => newAlert(model, pick(endpoints).name, pick)]);
    choices.push(
      [4, () => toggle(endpoints, pick)],
      [2, () => edit(pick(endpoints), { interval: pick([1, 2]) })],
      [2, () => retarget(model, pick(endpoints))],
      [3, () => remove(pick(endpoints))],
    );
    const active = endpoints.filter(({ name }) => model.isActive(name));
    if (isNonEmpty(active)) choices.push([3, () => ({ do: 'check now', name: pick(active).name })]);
  }
  if (isNonEmpty(alerts))
    choices.push(
      [4, () => toggle(alerts, pick)],
      [3, () => edit(pick(alerts), { failure_threshold: pick([1, 2, 3]), success_threshold: pick([1, 2]) })],
      [3, () => edit(pick(alerts), { channel: pick(CHANNEL_NUMBERS) })],
      [3, () => remove(pick(alerts))],
    );
  return choices;
}

/** Switches of targets and providers. Calm targets never fail. */
function environmentChanges(model: Model, pick: Pick): Choice[] {
  const switchable = model.of('endpoint').filter(({ calm }) => !calm);
  const choices: Choice[] = [];
  const switchTargets = (endpoints: readonly [Resource, ...Resource[]]): Command => ({
    do: 'target',
    names: endpoints.map(({ name }) => name),
    mode: model.modeOf(endpoints[0].name) === 'ok' ? pick(TARGET_FAULTS) : 'ok',
  });
  if (isNonEmpty(switchable)) {
    const withSiblings = (one: Resource): [Resource, ...Resource[]] => [
      one,
      ...switchable.filter((endpoint) => endpoint !== one && endpoint.parent === one.parent),
    ];
    choices.push(
      [28, () => switchTargets([pick(switchable)])],
      [10, () => switchTargets(withSiblings(pick(switchable)))],
    );
  }
  choices.push([18, () => switchProvider(pick)]);
  return choices;
}

const switchProvider = (pick: Pick): Command => ({
  do: 'provider',
  channel: pick(CHANNEL_NUMBERS),
  mode: pick(PROVIDER_MODES),
});

/** Faults of the service and its database. */
function faults(model: Model, pick: Pick, { database, protectFirst }: Setting): Choice[] {
  const instances: [number, ...number[]] = model.hasSecondInstance ? [0, 1] : [0];
  const killable = instances.filter((instance) => !protectFirst || instance !== PROTECTED_INSTANCE);
  const choices: Choice[] = [[3, () => ({ do: 'freeze', instance: pick(instances) })]];
  if (isNonEmpty(killable))
    choices.push(
      [4, () => ({ do: 'kill -9', instance: pick(killable) })],
      [3, () => ({ do: 'restart', instance: pick(killable) })],
    );
  // With a single, protected instance freezes would be the only fault left, and it would be frozen most of the time.
  if (database === 'embedded') return isNonEmpty(killable) ? choices : [...choices, [7, () => switchProvider(pick)]];
  const ends = ['leaves', 'is killed'] as const;
  choices.push(
    [
      model.hasSecondInstance ? 3 : 8,
      () => ({ do: 'second instance', how: model.hasSecondInstance ? pick(ends) : 'joins' }),
    ],
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
const isNonEmpty = <T>(values: T[]): values is [T, ...T[]] => values.length > 0;

const create = (kind: Kind, name: string, parent: string | null, fields: Fields): Command => ({
  do: 'create',
  kind,
  name,
  parent,
  fields,
});

const newEndpoint = (model: Model, website: string, pick: Pick): Command => {
  const name = model.newName('e');
  return create('endpoint', name, website, { enabled: true, interval: pick([1, 2]), path: name });
};

const newAlert = (model: Model, endpoint: string, pick: Pick): Command =>
  create('alert', model.newName('a'), endpoint, {
    enabled: true,
    channel: pick(CHANNEL_NUMBERS),
    failure_threshold: pick([1, 1, 2, 3]),
    success_threshold: pick([1, 2]),
  });

const edit = ({ kind, name }: Resource, fields: Fields): Command => ({ do: 'update', kind, name, fields });
/** Enables a disabled resource first, so that they do not all end up disabled. */
function toggle(resources: [Resource, ...Resource[]], pick: Pick): Command {
  const off = resources.filter(({ fields }) => fields['enabled'] !== true);
  return isNonEmpty(off) ? edit(pick(off), { enabled: true }) : edit(pick(resources), { enabled: false });
}
const remove = ({ kind, name }: Resource): Command => ({ do: 'delete', kind, name });
/** Another path of the same target. */
const retarget = (model: Model, resource: Resource): Command =>
  edit(resource, { path: `${resource.name}/${model.newName('p')}` });

/** What a command is counted as in the summary. */
export const kindOf = (command: Command): string =>
  'kind' in command ? `${command.do} ${command.kind}` : 'how' in command ? `${command.do} ${command.how}` : command.do;

/** A command as one line of the log. */
export function lineOf(command: Command): string {
  const settings = Object.entries(command)
    .filter(([key]) => !['do', 'kind', 'how', 'fields'].includes(key))
    .map(([key, value]) => (key === 'name' ? String(value) : `${key}=${String(value)}`));
  const fields = 'fields' in command ? Object.entries(command.fields).map(([key, value]) => `${key}=${value}`) : [];
  return [kindOf(command), ...settings, ...fields].join(' ');
}

/** A website whose endpoints are never edited, and one whose endpoints may be. */
export function firstCommands(): Command[] {
  const commands: Command[] = [];
  for (const website of ['steady', 'loose']) {
    commands.push(create('website', website, null, { enabled: true }));
    for (let index = 0; index < 4; index++) {
      const endpoint = `${website}-e${index}`;
      commands.push(
        create('endpoint', endpoint, website, { enabled: true, interval: 1 + (index % 2), path: endpoint }),
      );
      for (const failure_threshold of [1, 2]) {
        const fields = { enabled: true, channel: (index + failure_threshold) % CHANNELS, failure_threshold };
        const name = `${website}-a${index}-${failure_threshold}`;
        commands.push(create('alert', name, endpoint, { ...fields, success_threshold: 1 }));
      }
    }
  }
  return commands;
}
