import fc from 'fast-check';
import type { ResponseMode } from '../harness/servers/switchable-server';
import type { Fields, Kind, Resource, Model } from './model';

export type ProviderMode = ResponseMode | 'refuse';
export type DatabaseName = 'embedded' | 'postgres';

/** One step of a run. Names come from the model. The service knows the resources by IDs. */
export type Command =
  | { do: 'create'; kind: Kind; name: string; parent: string | null; fields: Fields }
  | { do: 'update'; kind: Kind; name: string; fields: Fields }
  | { do: 'delete'; kind: Kind; name: string; replacement?: string }
  | { do: 'detach'; name: string }
  | { do: 'check now'; name: string }
  | { do: 'acknowledge'; name: string }
  | { do: 'incident'; how: IncidentAct; which: number }
  | { do: 'reminders fall due' }
  | { do: 'target'; names: readonly string[]; mode: ResponseMode }
  | { do: 'provider'; channel: number; mode: ProviderMode }
  | { do: 'kill -9'; instance: number }
  | { do: 'restart'; instance: number }
  | { do: 'freeze'; instance: number }
  | { do: 'second instance'; how: 'joins' | 'leaves' | 'is killed' }
  | { do: 'database'; how: 'is stopped' | 'is killed' | 'is frozen'; seconds: number }
  | { do: 'probe'; how: ProbeFault | ProbeChange; probe: number }
  | { do: 'line'; how: LineState; probe: number };

/**
 * Actions of users on the open incident with number `which`, modulo their count, because only the service knows their
 * names.
 */
export const INCIDENT_ACTS = ['is taken in hand', 'is given back', 'is merged', 'is split', 'is told of'] as const;
export type IncidentAct = (typeof INCIDENT_ACTS)[number];

/** The keys of the probes next to the service, each behind a separate line. */
export const PROBES = ['fra', 'use'] as const;
export const PROBE_FAULTS = ['is killed', 'is restarted', 'is frozen'] as const;
export type ProbeFault = (typeof PROBE_FAULTS)[number];
export const PROBE_CHANGES = ['is rotated', 'is disabled', 'is enabled'] as const;
export type ProbeChange = (typeof PROBE_CHANGES)[number];
/** The state of the line between a probe and the service, until the next of these or the end of the round. */
export const LINE_STATES = ['is cut', 'is silent', 'is whole'] as const;
export type LineState = (typeof LINE_STATES)[number];

export const isProbeChange = (how: ProbeFault | ProbeChange): how is ProbeChange =>
  PROBE_CHANGES.some((change) => change === how);

/** A command, and how long to wait before the next one. */
export interface Step {
  command: Command;
  pauseMs: number;
}

/** The number of webhook receivers. The provider after them is the pager. */
export const CHANNELS = 6;
export const PAGER = CHANNELS;
/** The index of the instance that no command ends while it is protected. */
export const PROTECTED_INSTANCE = 0;
const MAX_RESOURCES: Readonly<Record<Kind, number>> = { website: 5, endpoint: 26, alert: 42, contact: 7 };
const TARGET_FAULTS = ['error', 'error', 'reset', 'hang'] as const;
/** Locations of endpoints that are, or may be, checked by probes. */
const FAR_LOCATIONS = ['fra', 'local,fra', 'use,local', 'local,fra,use', 'local'] as const;
const PROVIDER_MODES = ['ok', 'ok', 'error', 'hang', 'refuse', 'busy', 'reset'] as const;
const STEPS_PER_ROUND = 48;

/**
 * The percentage of commands that are client writes or switch targets and providers. The rest are faults, fewer with
 * a protected instance.
 */
const SHARES = { allKillable: { client: 39, environment: 43 }, oneProtected: { client: 42, environment: 46 } };

/** Selects one of the values by the next random number. */
type Pick = <T>(values: readonly [T, ...T[]]) => T;
type Choice = [weight: number, make: () => Command];

export interface Setting {
  database: DatabaseName;
  /** No command ends the first instance, so that it lives long enough to show a leak. */
  protectFirst: boolean;
}

/**
 * Returns the commands of one round, already applied to the model. They depend only on the seed, the number of the
 * round, and the setting, never on a response of the service.
 */
export function planRound(model: Model, seed: number, round: number, setting: Setting): Step[] {
  return fc
    .sample(fc.noBias(fc.array(fc.nat(), { minLength: 16, maxLength: 16 })), {
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
        ? environmentChanges(model, pick, setting)
        : faults(model, pick, setting);
  let rest = draw() % choices.reduce((sum, [weight]) => sum + weight, 0);
  const [, make] = choices.find(([weight]) => (rest -= weight) < 0) ?? [];
  if (!make) throw new Error('no command to choose from');
  const command = make();
  model.apply(command);
  return { command, pauseMs };
}

/** Client writes. They never change steady resources, so that these can be compared over a whole run. */
function clientChanges(model: Model, pick: Pick): Choice[] {
  const choices: Choice[] = [...alertChanges(model, pick), ...contactChanges(model, pick)];
  const [websites, endpoints] = [editable(model, 'website'), editable(model, 'endpoint')];
  if (hasRoom(model, 'website'))
    choices.push([2, () => create('website', model.newName('w'), null, { enabled: true })]);
  if (isNonEmpty(websites)) {
    if (hasRoom(model, 'endpoint')) choices.push([8, () => newEndpoint(model, pick(websites).name, pick)]);
    choices.push([2, () => toggle(websites, pick)]);
    if (websites.length > 1) choices.push([1, () => remove(pick(websites))]);
  }
  if (isNonEmpty(endpoints)) {
    if (hasRoom(model, 'alert')) choices.push([8, () => newAlert(model, pick(endpoints).name, pick)]);
    choices.push(
      [4, () => toggle(endpoints, pick)],
      [2, () => retarget(model, pick(endpoints))],
      [3, () => remove(pick(endpoints))],
    );
    // Recorded slots are judged by the endpoint's current interval.
    const [near, far] = [endpoints.filter((one) => !isFar(one)), endpoints.filter(isFar)];
    if (isNonEmpty(near)) choices.push([2, () => edit(pick(near), { interval: pick([1, 2]) })]);
    if (isNonEmpty(far)) choices.push([5, () => edit(pick(far), { locations: pick(FAR_LOCATIONS) })]);
    const active = endpoints.filter(({ name }) => model.isActive(name));
    if (isNonEmpty(active)) choices.push([3, () => ({ do: 'check now', name: pick(active).name })]);
  }
  const failing = endpoints.filter(({ name }) => model.isActive(name) && model.modeOf(name) !== 'ok');
  if (isNonEmpty(failing))
    choices.push(
      [6, () => ({ do: 'acknowledge', name: pick(failing).name })],
      [9, () => ({ do: 'incident', how: pick(INCIDENT_ACTS), which: pick(SOME_INCIDENTS) })],
    );
  choices.push([6, () => ({ do: 'probe', how: pick(PROBE_CHANGES), probe: pick(PROBE_NUMBERS) })]);
  return choices;
}

function alertChanges(model: Model, pick: Pick): Choice[] {
  const alerts = editable(model, 'alert');
  if (!isNonEmpty(alerts)) return [];
  const choices: Choice[] = [
    [4, () => toggle(alerts, pick)],
    [3, () => edit(pick(alerts), { failure_threshold: pick([1, 2, 3]), success_threshold: pick([1, 2]) })],
    [1, () => edit(pick(alerts), { after: pick(DELAYS) })],
    [3, () => remove(pick(alerts))],
  ];
  const hooks = alerts.filter((alert) => !isPager(alert));
  if (!isNonEmpty(hooks)) return choices;
  choices.push(
    [1, () => edit(pick(hooks), { reminds: pick([true, false]) })],
    [3, () => edit(pick(hooks), { via: '', channel: pick(CHANNEL_NUMBERS), rotation: 0 })],
  );
  const contacts = model.of('contact');
  if (isNonEmpty(contacts)) choices.push([3, () => edit(pick(hooks), { via: pick(contacts).name })]);
  const attached = hooks.filter(({ fields }) => fields['via'] !== '');
  if (isNonEmpty(attached)) choices.push([2, () => ({ do: 'detach', name: pick(attached).name })]);
  const own = hooks.filter(({ fields }) => fields['via'] === '');
  if (isNonEmpty(own)) choices.push([2, () => rotate(model, pick(ratherOpen(model, own)))]);
  return choices;
}

function contactChanges(model: Model, pick: Pick): Choice[] {
  const contacts = editable(model, 'contact');
  const choices: Choice[] = [];
  if (hasRoom(model, 'contact')) choices.push([3, () => newContact(model, pick)]);
  if (!isNonEmpty(contacts)) return choices;
  const open = ratherOpen(model, contacts);
  choices.push(
    [6, () => rotate(model, pick(open))],
    [7, () => edit(pick(open), { channel: pick(CHANNEL_NUMBERS), rotation: 0 })],
  );
  if (contacts.length > 1) choices.push([4, () => replace(model, pick(open), pick)]);
  const used = new Set(model.of('alert').map(({ fields }) => fields['via']));
  const unused = contacts.filter(({ name }) => !used.has(name));
  if (isNonEmpty(unused)) choices.push([1, () => remove(pick(unused))]);
  return choices;
}

type NonEmpty<T> = [T, ...T[]];

/**
 * Returns the alerts or contacts that an open episode uses, if there are any, because changing these is the hard
 * case.
 */
function ratherOpen(model: Model, resources: NonEmpty<Resource>): NonEmpty<Resource> {
  const open = model
    .of('alert')
    .filter(({ name, parent }) => model.isActive(name) && parent !== null && model.modeOf(parent) !== 'ok');
  const names = new Set(open.flatMap(({ name, fields }) => [name, fields['via']]));
  const found = resources.filter(({ name }) => names.has(name));
  return isNonEmpty(found) ? found : resources;
}

/** Switches of targets and providers, and the passing of time. Calm targets never fail. */
function environmentChanges(model: Model, pick: Pick, { database, protectFirst }: Setting): Choice[] {
  const endpoints = switchable(model);
  const choices: Choice[] = [];
  const switchTargets = (failing: NonEmpty<Resource>): Command => ({
    do: 'target',
    names: failing.map(({ name }) => name),
    mode: model.modeOf(failing[0].name) === 'ok' ? pick(TARGET_FAULTS) : 'ok',
  });
  if (isNonEmpty(endpoints)) {
    const withSiblings = (one: Resource): NonEmpty<Resource> => [
      one,
      ...endpoints.filter((endpoint) => endpoint !== one && endpoint.parent === one.parent),
    ];
    choices.push(
      [28, () => switchTargets([pick(endpoints)])],
      [10, () => switchTargets(withSiblings(pick(endpoints)))],
    );
  }
  choices.push([18, () => switchProvider(pick)]);
  // The embedded database can be opened only while its instance isn't running.
  if (database !== 'embedded' || !protectFirst) choices.push([8, () => ({ do: 'reminders fall due' })]);
  return choices;
}

const switchProvider = (pick: Pick): Command => ({
  do: 'provider',
  channel: pick([...CHANNEL_NUMBERS, PAGER]),
  mode: pick(PROVIDER_MODES),
});

function faults(model: Model, pick: Pick, { database, protectFirst }: Setting): Choice[] {
  const instances: [number, ...number[]] = model.hasSecondInstance ? [0, 1] : [0];
  const killable = instances.filter((instance) => !protectFirst || instance !== PROTECTED_INSTANCE);
  const choices: Choice[] = [
    [3, () => ({ do: 'freeze', instance: pick(instances) })],
    [4, () => ({ do: 'probe', how: pick(PROBE_FAULTS), probe: pick(PROBE_NUMBERS) })],
    [5, () => ({ do: 'line', how: pick(LINE_STATES), probe: pick(PROBE_NUMBERS) })],
  ];
  if (isNonEmpty(killable))
    choices.push(
      [4, () => ({ do: 'kill -9', instance: pick(killable) })],
      [3, () => ({ do: 'restart', instance: pick(killable) })],
    );
  // With a single, protected instance, freezes would be the only fault left, and it would be frozen most of the time.
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

/** The delay of an alert in seconds, in addition to its threshold. Its checks reach the threshold sooner. */
const SOME_DELAY = 5;
const DELAYS = [0, 0, 0, SOME_DELAY] as const;
const SOME_INCIDENTS = [0, 1, 2, 3] as const;
const PROBE_NUMBERS = PROBES.map((_, number) => number) as [number, ...number[]];
const CHANNEL_NUMBERS = Array.from({ length: CHANNELS }, (_, number) => number) as [number, ...number[]];
const editable = (model: Model, kind: Kind): Resource[] => model.of(kind).filter(({ steady }) => !steady);
/** Only these endpoints have other locations, or had them. */
export const isFar = ({ name }: { name: string }): boolean => name.startsWith('far') || name.includes('-far-');
export const isPager = ({ fields }: { fields: Fields }): boolean => fields['pager'] === true;
const hasRoom = (model: Model, kind: Kind): boolean => model.of(kind).length < MAX_RESOURCES[kind];
const isNonEmpty = <T>(values: T[]): values is NonEmpty<T> => values.length > 0;

const create = (kind: Kind, name: string, parent: string | null, fields: Fields): Command => ({
  do: 'create',
  kind,
  name,
  parent,
  fields,
});

const newEndpoint = (model: Model, website: string, pick: Pick): Command => {
  const locations = pick(['local', 'local', ...FAR_LOCATIONS]);
  const name = model.newName(locations === 'local' ? 'e' : 'far');
  return create('endpoint', name, website, { enabled: true, interval: pick([1, 2]), path: name, locations });
};

/** A rule for the pager, whose destination never changes. */
const pagerRule = (threshold: number): Fields => ({
  enabled: true,
  via: '',
  pager: true,
  failure_threshold: threshold,
  success_threshold: 1,
  after: 0,
  reminds: false,
});

function newAlert(model: Model, endpoint: string, pick: Pick): Command {
  if (pick([true, false, false, false]))
    return create('alert', model.newName('pager'), endpoint, pagerRule(pick([1, 2])));
  const contacts = model.of('contact');
  const via = pick([true, false]) && isNonEmpty(contacts) ? pick(contacts).name : '';
  return create('alert', model.newName('a'), endpoint, {
    enabled: true,
    via,
    ...(via === '' ? { channel: pick(CHANNEL_NUMBERS), rotation: 0 } : {}),
    failure_threshold: pick([1, 1, 2, 3]),
    success_threshold: pick([1, 2]),
    after: pick(DELAYS),
    reminds: pick([true, true, false]),
  });
}

const newContact = (model: Model, pick: Pick): Command =>
  create('contact', model.newName('c'), null, { channel: pick(CHANNEL_NUMBERS), rotation: 0 });

const edit = ({ kind, name }: Resource, fields: Fields): Command => ({ do: 'update', kind, name, fields });
/** Enables a disabled resource first, so that they do not all end up disabled. */
function toggle(resources: [Resource, ...Resource[]], pick: Pick): Command {
  const off = resources.filter(({ fields }) => fields['enabled'] !== true);
  return isNonEmpty(off) ? edit(pick(off), { enabled: true }) : edit(pick(resources), { enabled: false });
}
const remove = ({ kind, name }: Resource) => ({ do: 'delete', kind, name }) as const;
/** Changes to another path of the same target. */
const retarget = (model: Model, resource: Resource): Command =>
  edit(resource, { path: `${resource.name}/${model.newName('p')}` });

/** Changes the credential but not the URL. */
const rotate = (model: Model, resource: Resource): Command => {
  const { channel, rotation } = model.routeOf(resource);
  return edit(resource, { ...(resource.kind === 'alert' ? { via: '' } : {}), channel, rotation: rotation + 1 });
};
/** Deletes a contact and moves its alerts to any other contact. */
function replace(model: Model, contact: Resource, pick: Pick): Command {
  const others = model.of('contact').filter((other) => other !== contact);
  return { ...remove(contact), replacement: isNonEmpty(others) ? pick(others).name : contact.name };
}

/** Creates an endpoint that no fault has touched, with a separate alert and one with a contact. Neither is flapping. */
function finalCommands(): Command[] {
  const rule = { enabled: true, failure_threshold: 1, success_threshold: 1, after: 0, reminds: true };
  const own = { via: '', channel: 0, rotation: 0 };
  return [
    create('contact', 'final-c', null, { channel: 1, rotation: 0 }),
    create('website', 'final', null, { enabled: true }),
    create('endpoint', 'final-e', 'final', { enabled: true, interval: 1, path: 'final-e', locations: 'local' }),
    create('alert', 'final-a1', 'final-e', { ...rule, ...own }),
    create('alert', 'final-a2', 'final-e', { ...rule, via: 'final-c' }),
    create('alert', 'final-pager', 'final-e', pagerRule(1)),
  ];
}

/**
 * The end of every run, with time to settle after each step. Everything that may fail fails, every credential is
 * rotated, every contact gets another URL, and reminders are due. Finally, everything recovers.
 */
export const FINALE: Readonly<Record<'before' | 'after', readonly ((model: Model) => Command[])[]>> = {
  before: [
    () => finalCommands(),
    (model) => [{ do: 'target', names: switchable(model).map(({ name }) => name), mode: 'error' }],
    (model) => [...editable(model, 'contact'), ...ownRoutes(model)].map((one) => rotate(model, one)),
    (model) =>
      editable(model, 'contact').map((contact) =>
        edit(contact, { channel: (model.routeOf(contact).channel + 1) % CHANNELS, rotation: 0 }),
      ),
  ],
  after: [(model) => [{ do: 'target', names: switchable(model).map(({ name }) => name), mode: 'ok' }]],
};

const switchable = (model: Model): Resource[] => model.of('endpoint').filter(({ calm }) => !calm);
const ownRoutes = (model: Model): Resource[] =>
  editable(model, 'alert').filter((alert) => alert.fields['via'] === '' && !isPager(alert));

/** The name under which the summary counts a command. */
export const kindOf = (command: Command): string =>
  'kind' in command ? `${command.do} ${command.kind}` : 'how' in command ? `${command.do} ${command.how}` : command.do;

export function lineOf(command: Command): string {
  const settings = Object.entries(command)
    .filter(([key]) => !['do', 'kind', 'how', 'fields'].includes(key))
    .map(([key, value]) => (key === 'name' ? String(value) : `${key}=${String(value)}`));
  const fields = 'fields' in command ? Object.entries(command.fields).map(([key, value]) => `${key}=${value}`) : [];
  return [kindOf(command), ...settings, ...fields].join(' ');
}

/** The contacts of the initial websites, and the locations of their four endpoints. */
const FIRST_WEBSITES = {
  steady: { contacts: ['steady-c0'], locations: ['local', 'local', 'local', 'local'] },
  'steady-far': { contacts: ['steady-c0'], locations: ['local,fra,use', 'fra', 'local,fra', 'local,fra,use'] },
  loose: { contacts: ['loose-c0', 'loose-c1'], locations: ['local', 'local', 'local', 'local'] },
} as const;

/**
 * Two websites whose endpoints and contact are never edited, one of them checked by probes, and one website that may
 * be edited.
 */
export function firstCommands(): Command[] {
  const commands: Command[] = [];
  for (const [index, contact] of ['steady-c0', 'loose-c0', 'loose-c1'].entries())
    commands.push(create('contact', contact, null, { channel: (2 * index) % CHANNELS, rotation: 0 }));
  for (const [website, { contacts, locations }] of Object.entries(FIRST_WEBSITES)) {
    commands.push(create('website', website, null, { enabled: true }));
    for (const [index, location] of locations.entries()) {
      const endpoint = `${website}-e${index}`;
      const check = { interval: 1 + (index % 2), path: endpoint, locations: location };
      commands.push(create('endpoint', endpoint, website, { enabled: true, ...check }));
      const rule = { enabled: true, success_threshold: 1, reminds: true };
      const own = { via: '', channel: (index + 1) % CHANNELS, rotation: 0 };
      const via = contacts[index % contacts.length] ?? '';
      const after = index === 3 && location === 'local' ? SOME_DELAY : 0;
      commands.push(
        create('alert', `${website}-a${index}-1`, endpoint, { ...rule, ...own, failure_threshold: 1, after: 0 }),
        create('alert', `${website}-a${index}-2`, endpoint, { ...rule, via, failure_threshold: 2, after }),
      );
      if (index % 2 === 1) commands.push(create('alert', `${website}-pager${index}`, endpoint, pagerRule(1)));
    }
  }
  return commands;
}
