import { ExpectedState, type Write } from './expected-state';
import {
  FINALE,
  PROTECTED_INSTANCE,
  type Command,
  type DatabaseName,
  firstCommands,
  INCIDENT_ACTS,
  isFar,
  isPager,
  kindOf,
  LINE_STATES,
  lineOf,
  planRound,
  PROBE_CHANGES,
  PROBE_FAULTS,
} from './commands';
import { mismatches, Model } from './model';

const ROUNDS = 40;
const UNPROTECTED_ROUNDS = 20;

function play(
  seed: number,
  database: DatabaseName,
  unprotectedRounds = UNPROTECTED_ROUNDS,
): { commands: Command[]; model: Model } {
  const model = new Model();
  for (const command of firstCommands()) model.apply(command);
  const rounds = Array.from({ length: ROUNDS }, (_, round) =>
    planRound(model, seed, round + 1, { database, protectFirst: round >= unprotectedRounds }),
  );
  return { commands: rounds.flat().map(({ command }) => command), model };
}

describe('the plan of a chaos run', () => {
  it('plans the same commands for the same seed, and others for another seed', () => {
    const lines = (seed: number) => play(seed, 'postgres').commands.map(lineOf);
    expect(lines(7)).toEqual(lines(7));
    expect(lines(7)).not.toEqual(lines(8));
  });

  it('plans every kind of command; on the embedded database no second instance and no database fault', () => {
    const kinds = (database: DatabaseName) => new Set(play(1, database).commands.map(kindOf));
    const everywhere = ['create', 'update', 'delete'].flatMap((verb) =>
      ['website', 'endpoint', 'alert', 'contact'].map((kind) => `${verb} ${kind}`),
    );
    everywhere.push(
      'detach',
      'check now',
      'acknowledge',
      'reminders fall due',
      'target',
      'provider',
      'kill -9',
      'restart',
      'freeze',
      ...INCIDENT_ACTS.map((how) => `incident ${how}`),
      ...[...PROBE_FAULTS, ...PROBE_CHANGES].map((how) => `probe ${how}`),
      ...LINE_STATES.map((how) => `line ${how}`),
    );
    const onPostgres = ['joins', 'leaves', 'is killed'].map((how) => `second instance ${how}`);
    onPostgres.push('database is stopped', 'database is killed', 'database is frozen');
    expect([...kinds('embedded')].sort()).toEqual(everywhere.sort());
    expect([...kinds('postgres')].sort()).toEqual([...everywhere, ...onPostgres].sort());
  });

  it('never ends the protected instance, and plans every other fault', () => {
    const withProtection = (database: DatabaseName) => play(5, database, 0).commands;
    const victims = (commands: Command[]) =>
      commands.flatMap((command) => (command.do === 'kill -9' || command.do === 'restart' ? command.instance : []));
    expect(victims(withProtection('embedded'))).toEqual([]);
    expect(new Set(victims(withProtection('postgres')))).toEqual(new Set([1]));
    expect(victims(play(5, 'postgres', ROUNDS).commands)).toContain(PROTECTED_INSTANCE);
    const kinds = new Set(withProtection('postgres').map(kindOf));
    for (const kind of ['freeze', 'second instance is killed', 'database is killed', 'database is frozen', 'provider'])
      expect(kinds).toContain(kind);
  });

  it('keeps the resources few, never edits steady ones and never fails calm targets', () => {
    const { commands, model } = play(3, 'postgres');
    expect(model.of('endpoint').length).toBeLessThanOrEqual(30);
    const touched = new Set(commands.flatMap((command) => ('name' in command ? [command.name] : [])));
    expect([...touched].filter((name) => name.startsWith('steady'))).toEqual([]);
    const failed = commands.flatMap((command) => (command.do === 'target' ? command.names : []));
    expect(failed.filter((name) => name.endsWith('-e0'))).toEqual([]);
  });
});

describe('probes and the pager in the plan of a chaos run', () => {
  const { commands, model } = play(1, 'postgres');
  const edited = (field: string) =>
    commands.flatMap((command) =>
      command.do === 'update' && command.kind === 'endpoint' && field in command.fields ? [command] : [],
    );

  it('changes the locations of endpoints, and never the interval of endpoints with other locations', () => {
    expect(new Set(edited('locations').map(({ fields }) => fields['locations'])).size).toBeGreaterThan(3);
    expect(edited('locations').filter((command) => !isFar(command))).toEqual([]);
    expect(edited('interval').filter(isFar)).toEqual([]);
    for (const one of model.of('endpoint')) expect(isFar(one) || one.fields['locations'] === 'local').toBe(true);
  });

  it('leaves the destination of alerts to the pager unchanged', () => {
    const pagers = model.of('alert').filter(isPager);
    expect(pagers.length).toBeGreaterThanOrEqual(4);
    for (const { fields } of pagers) expect(fields).toMatchObject({ via: '', reminds: false });
    expect(pagers.filter(({ fields }) => 'channel' in fields)).toEqual([]);
  });
});

describe('contacts in the plan of a chaos run', () => {
  const { commands } = play(1, 'postgres');

  it('rotates credentials of contacts and alerts, moves contacts to other addresses and replaces them', () => {
    const changes = (kind: string) =>
      commands.flatMap((command) => (command.do === 'update' && command.kind === kind ? [command.fields] : []));
    for (const kind of ['contact', 'alert'])
      expect(changes(kind).filter((fields) => Number(fields['rotation']) > 0)).not.toEqual([]);
    expect(changes('contact').filter((fields) => fields['rotation'] === 0)).not.toEqual([]);
    expect(changes('alert').filter((fields) => fields['via'])).not.toEqual([]);
    const replaced = commands.filter((command) => command.do === 'delete' && command.replacement !== undefined);
    expect(replaced).not.toEqual([]);
    for (const command of replaced)
      expect(command).not.toMatchObject({ replacement: 'name' in command && command.name });
  });

  it('leaves no alert with a deleted contact, and none with both a contact and its own address', () => {
    const { model } = play(2, 'postgres');
    const contacts = new Set(model.of('contact').map(({ name }) => name));
    for (const { fields } of model.of('alert').filter((alert) => !isPager(alert))) {
      const via = String(fields['via']);
      expect([via === '' || contacts.has(via), 'channel' in fields]).toEqual([true, via === '']);
    }
  });

  it('keeps the address of a contact in an alert that is detached', () => {
    const model = new Model();
    for (const command of firstCommands()) model.apply(command);
    model.apply({ do: 'update', kind: 'contact', name: 'loose-c0', fields: { channel: 5, rotation: 7 } });
    model.apply({ do: 'detach', name: 'loose-a0-2' });
    expect(model.resources.get('loose-a0-2')?.fields).toMatchObject({ via: '', channel: 5, rotation: 7 });
    model.apply({ do: 'delete', kind: 'contact', name: 'loose-c1', replacement: 'loose-c0' });
    expect(model.resources.get('loose-a1-2')?.fields).toMatchObject({ via: 'loose-c0' });
  });
});

describe('the end of every chaos run', () => {
  it('has an alert with its own config and one with a contact fail, be rotated and moved, and recover', () => {
    const { model } = play(9, 'postgres');
    const [alerts, seen] = [['final-a1', 'final-a2'], [] as string[]];
    for (const plan of [...FINALE.before, ...FINALE.after]) {
      for (const command of plan(model)) model.apply(command);
      const routes = alerts.map((name) => model.resources.get(name)).map((alert) => alert && model.routeOf(alert));
      seen.push(
        `${model.modeOf('final-e')} ${routes.map((route) => `${route?.channel}/${route?.rotation}`).join(' ')}`,
      );
    }
    expect(seen).toEqual(['ok 0/0 1/0', 'error 0/0 1/0', 'error 0/1 1/1', 'error 0/1 2/0', 'ok 0/1 2/0']);
  });
});

describe('the model of the service', () => {
  const model = new Model();
  for (const command of firstCommands()) model.apply(command);
  model.apply({ do: 'target', names: ['steady-e1'], mode: 'hang' });
  model.apply({ do: 'update', kind: 'website', name: 'loose', fields: { enabled: false } });

  it('accepts a state that matches it', () => {
    const matching = [
      { name: 'steady-e0', status: 'up' },
      { name: 'steady-a0-1', triggered: false },
      { name: 'steady-e1', status: 'down' },
      { name: 'steady-a1-1', triggered: true },
      { name: 'loose-e1', status: 'paused' },
      { name: 'loose-a1-2', triggered: false },
    ];
    expect(mismatches(model, matching)).toEqual([]);
  });

  it.each([
    [{ name: 'steady-e0', status: 'down' }, 'steady-e0 is down and should be up'],
    [{ name: 'steady-e0', status: 'unknown' }, 'steady-e0 is unknown and should be up'],
    [{ name: 'steady-a1-1', triggered: false }, 'steady-a1-1 has triggered=false, not true'],
    [{ name: 'loose-e0', status: 'up' }, 'loose-e0 is up and should be paused'],
  ])('finds the mismatch of %j', (shown, mismatch) => {
    expect(mismatches(model, [shown])).toEqual([mismatch]);
  });
});

describe('the expected state', () => {
  const create: Write = { do: 'create', kind: 'website', name: 'w1', parent: null, fields: { enabled: true } };
  const disable: Write = { do: 'update', kind: 'website', name: 'w1', fields: { enabled: false } };
  const remove: Write = { do: 'delete', kind: 'website', name: 'w1' };
  const below: Write = { do: 'create', kind: 'endpoint', name: 'e1', parent: 'w1', fields: { interval: 1 } };
  const shown = (enabled: boolean) => [{ kind: 'website' as const, name: 'w1', fields: { enabled } }];

  function after(...writes: [what: 'acknowledge' | 'markUncertain', write: Write][]) {
    const state = new ExpectedState();
    for (const [what, write] of writes) state[what](write);
    return state;
  }

  it('finds an acknowledged write that is lost', () => {
    expect(after(['acknowledge', create]).reconcile([])).toEqual(['lost write: website w1 is gone']);
    const disabled = after(['acknowledge', create], ['acknowledge', disable]);
    expect(disabled.reconcile(shown(true))).toEqual(['lost write: website w1 has enabled=true and should have false']);
    expect(disabled.reconcile(shown(true))).toEqual([]);
  });

  it('finds a deleted resource that reappears, and one that was never requested', () => {
    const state = after(['acknowledge', create], ['acknowledge', below], ['acknowledge', remove]);
    expect(state.reconcile([...shown(true), { kind: 'endpoint', name: 'e1', fields: { interval: 1 } }])).toEqual([
      'website w1 was deleted and exists again',
      'endpoint e1 was deleted and exists again',
    ]);
    expect(new ExpectedState().reconcile(shown(true))).toContain('website w1 was never requested');
    expect(after(['acknowledge', create]).reconcile([...shown(true), ...shown(true)])).toEqual([
      'a resource was created twice',
    ]);
  });

  describe('with contacts', () => {
    const contact = (name: string): Write => ({
      do: 'create',
      kind: 'contact',
      name,
      parent: null,
      fields: { channel: 1 },
    });
    const alert: Write = { do: 'create', kind: 'alert', name: 'a1', parent: null, fields: { via: 'c1' } };
    const replaced: Write = { do: 'delete', kind: 'contact', name: 'c1', replacement: 'c2' };
    const listed = (via: string, ...contacts: string[]) => [
      ...contacts.map((name) => ({ kind: 'contact' as const, name, fields: { channel: 1 } })),
      { kind: 'alert' as const, name: 'a1', fields: { via } },
    ];
    const made = () => after(['acknowledge', contact('c1')], ['acknowledge', contact('c2')], ['acknowledge', alert]);

    it('expects the alerts of a replaced contact at the other contact, in any order of the responses', () => {
      const state = made();
      state.acknowledge(replaced);
      expect(state.reconcile(listed('c2', 'c2'))).toEqual([]);
      const late = made();
      late.acknowledge(replaced);
      late.acknowledge({ do: 'update', kind: 'alert', name: 'a1', fields: { via: 'c1' } });
      expect(late.reconcile(listed('c2', 'c2'))).toEqual([]);
      expect(late.reconcile(listed('', 'c2'))).toEqual(['lost write: alert a1 has via= and should have c2']);
    });

    it('expects the alerts at the old contact if an uncertain replacement did not happen', () => {
      const state = made();
      state.markUncertain(replaced);
      expect(state.reconcile(listed('c1', 'c1', 'c2'))).toEqual([]);
      expect(state.reconcile(listed('c2', 'c1', 'c2'))).toEqual(['lost write: alert a1 has via=c2 and should have c1']);
    });

    it('is sure of a value while every write to it was answered', () => {
      const state = made();
      expect([state.isSure('c1', { channel: 1 }), state.isSure('c1', { channel: 2 })]).toEqual([true, false]);
      state.markUncertain({ do: 'update', kind: 'contact', name: 'c1', fields: { channel: 2 } });
      expect([state.isSure('c1', { channel: 1 }), state.isSure('c1', {})]).toEqual([false, true]);
    });
  });

  it('accepts either outcome of a write without a response, then expects the one it saw', () => {
    for (const isThere of [true, false]) {
      const state = after(['markUncertain', create]);
      expect(state.reconcile(isThere ? shown(true) : [])).toEqual([]);
      expect(state.reconcile(isThere ? [] : shown(true))).toHaveLength(1);
    }
    for (const enabled of [true, false])
      expect(after(['acknowledge', create], ['markUncertain', disable]).reconcile(shown(enabled))).toEqual([]);
    expect(after(['acknowledge', create], ['markUncertain', remove]).reconcile([])).toEqual([]);
  });
});
