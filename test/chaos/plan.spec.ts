import { ExpectedState, type Write } from './expected-state';
import { ANCHOR, type Command, type DatabaseName, firstCommands, kindOf, lineOf, planRound } from './commands';
import { misfits, Model } from './model';

const ROUNDS = 40;
const MORTAL_ROUNDS = 20;

function play(
  seed: number,
  database: DatabaseName,
  mortalRounds = MORTAL_ROUNDS,
): { commands: Command[]; world: Model } {
  const world = new Model();
  for (const command of firstCommands()) world.apply(command);
  const rounds = Array.from({ length: ROUNDS }, (_, round) =>
    planRound(world, seed, round + 1, { database, anchored: round >= mortalRounds }),
  );
  return { commands: rounds.flat().map(({ command }) => command), world };
}

describe('the plan of a run', () => {
  it('is the same for the same seed, and another one for another', () => {
    const lines = (seed: number) => play(seed, 'postgres').commands.map(lineOf);
    expect(lines(7)).toEqual(lines(7));
    expect(lines(7)).not.toEqual(lines(8));
  });

  it('has every kind of command; the embedded database shares no instance and is never away', () => {
    const kinds = (database: DatabaseName) => new Set(play(1, database).commands.map(kindOf));
    const everywhere = ['create', 'update', 'delete'].flatMap((verb) =>
      ['website', 'endpoint', 'alert'].map((kind) => `${verb} ${kind}`),
    );
    everywhere.push('check now', 'target', 'provider', 'kill -9', 'restart', 'freeze');
    const onPostgres = ['joins', 'leaves', 'is killed'].map((how) => `second instance ${how}`);
    onPostgres.push('database is stopped', 'database is killed', 'database is frozen');
    expect([...kinds('embedded')].sort()).toEqual(everywhere.sort());
    expect([...kinds('postgres')].sort()).toEqual([...everywhere, ...onPostgres].sort());
  });

  it('ends no instance that is an anchor, and goes on with everything else', () => {
    const anchored = (database: DatabaseName) => play(5, database, 0).commands;
    const victims = (commands: Command[]) =>
      commands.flatMap((command) => (command.do === 'kill -9' || command.do === 'restart' ? command.instance : []));
    expect(victims(anchored('embedded'))).toEqual([]);
    expect(new Set(victims(anchored('postgres')))).toEqual(new Set([1]));
    expect(victims(play(5, 'postgres', ROUNDS).commands)).toContain(ANCHOR);
    const kinds = new Set(anchored('postgres').map(kindOf));
    for (const kind of ['freeze', 'second instance is killed', 'database is killed', 'database is frozen', 'provider'])
      expect(kinds).toContain(kind);
  });

  it('stays small, leaves the steady resources alone and the calm targets well', () => {
    const { commands, world } = play(3, 'postgres');
    expect(world.of('endpoint').length).toBeLessThanOrEqual(30);
    const touched = new Set(commands.flatMap((command) => ('name' in command ? [command.name] : [])));
    expect([...touched].filter((name) => name.startsWith('steady'))).toEqual([]);
    const failed = commands.flatMap((command) => (command.do === 'target' ? command.names : []));
    expect(failed.filter((name) => name.endsWith('-e0'))).toEqual([]);
  });
});

describe('the model of the world', () => {
  const world = new Model();
  for (const command of firstCommands()) world.apply(command);
  world.apply({ do: 'target', names: ['steady-e1'], mode: 'hang' });
  world.apply({ do: 'update', kind: 'website', name: 'loose', fields: { enabled: false } });

  it('says how everything must look', () => {
    const right = [
      { name: 'steady-e0', status: 'up' },
      { name: 'steady-a0-1', triggered: false },
      { name: 'steady-e1', status: 'down' },
      { name: 'steady-a1-1', triggered: true },
      { name: 'loose-e1', status: 'paused' },
      { name: 'loose-a1-2', triggered: false },
    ];
    expect(misfits(world, right)).toEqual([]);
  });

  it.each([
    [{ name: 'steady-e0', status: 'down' }, 'steady-e0 is down and should be up'],
    [{ name: 'steady-e0', status: 'unknown' }, 'steady-e0 is unknown and should be up'],
    [{ name: 'steady-a1-1', triggered: false }, 'steady-a1-1 has triggered=false, not true'],
    [{ name: 'loose-e0', status: 'up' }, 'loose-e0 is up and should be paused'],
  ])('finds that %j is wrong', (shown, finding) => {
    expect(misfits(world, [shown])).toEqual([finding]);
  });
});

describe('the books', () => {
  const create: Write = { do: 'create', kind: 'website', name: 'w1', parent: null, fields: { enabled: true } };
  const disable: Write = { do: 'update', kind: 'website', name: 'w1', fields: { enabled: false } };
  const remove: Write = { do: 'delete', kind: 'website', name: 'w1' };
  const below: Write = { do: 'create', kind: 'endpoint', name: 'e1', parent: 'w1', fields: { interval: 1 } };
  const shown = (enabled: boolean) => [{ kind: 'website' as const, name: 'w1', fields: { enabled } }];

  function after(...writes: [what: 'acknowledge' | 'doubt', write: Write][]) {
    const books = new ExpectedState();
    for (const [what, write] of writes) books[what](write);
    return books;
  }

  it('know an acknowledged write that is gone', () => {
    expect(after(['acknowledge', create]).reconcile([])).toEqual(['lost write: website w1 is not there']);
    const disabled = after(['acknowledge', create], ['acknowledge', disable]);
    expect(disabled.reconcile(shown(true))).toEqual(['lost write: website w1 has enabled=true and should have false']);
    expect(disabled.reconcile(shown(true))).toEqual([]);
  });

  it('know a deleted resource that is there again, and one that nobody asked for', () => {
    const books = after(['acknowledge', create], ['acknowledge', below], ['acknowledge', remove]);
    expect(books.reconcile([...shown(true), { kind: 'endpoint', name: 'e1', fields: { interval: 1 } }])).toEqual([
      'website w1 was deleted and is there again',
      'endpoint e1 was deleted and is there again',
    ]);
    expect(new ExpectedState().reconcile(shown(true))).toContain('website w1 was never asked for');
    expect(after(['acknowledge', create]).reconcile([...shown(true), ...shown(true)])).toEqual([
      'a resource was made twice',
    ]);
  });

  it('accept either outcome of a write whose answer is unknown, and then hold on to what they saw', () => {
    for (const isThere of [true, false]) {
      const books = after(['doubt', create]);
      expect(books.reconcile(isThere ? shown(true) : [])).toEqual([]);
      expect(books.reconcile(isThere ? [] : shown(true))).toHaveLength(1);
    }
    for (const enabled of [true, false])
      expect(after(['acknowledge', create], ['doubt', disable]).reconcile(shown(enabled))).toEqual([]);
    expect(after(['acknowledge', create], ['doubt', remove]).reconcile([])).toEqual([]);
  });
});
