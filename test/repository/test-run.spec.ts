import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project-files';

interface Spec {
  file: string;
  project: string;
  lane: 'fast' | 'slow' | 'timed';
  databases: 'one' | 'both' | 'embedded';
  alone: boolean;
}
interface Cost {
  file: string;
  seconds: number;
  slowest: number;
}
interface Budget {
  lanes: Record<string, number>;
  above: Record<string, string>;
  specs: Record<string, number>;
}

const lanes = jest.requireActual<{
  allSpecs(): Spec[];
  readPragmas(text: string): Pick<Spec, 'lane' | 'databases' | 'alone'>;
  shuffled(items: readonly string[], seed: number): string[];
  dealt(items: readonly string[], count: number, weightOf: (item: string) => number): string[][];
}>('../../scripts/jest/lanes.cjs');
const budgets = jest.requireActual<{
  readBudget(): Budget;
  unitSeconds(costs: readonly Cost[], specs: readonly Spec[]): number | null;
  findOverruns(run: { lane: string; costs: readonly Cost[]; unit: number }, budget: Budget): { text: string }[];
}>('../../scripts/jest/budget.cjs');

const specs = lanes.allSpecs();
const textOf = ({ file }: Spec) => readFileSync(join(ROOT, file), 'utf8');

describe('a spec', () => {
  it.each([
    ['import x', { lane: 'fast', databases: 'one', alone: false }],
    ['/** @lane slow */\nimport x', { lane: 'slow', databases: 'one', alone: false }],
    ['/** @lane slow @alone */\nimport x', { lane: 'slow', databases: 'one', alone: true }],
    ['/**\n * @lane timed\n * @databases both\n */\nimport x', { lane: 'timed', databases: 'both', alone: false }],
    ['import x\n/** @lane slow */', { lane: 'fast', databases: 'one', alone: false }],
  ])('that begins with %j is of %j', (text, expected) => {
    expect(lanes.readPragmas(text)).toEqual(expected);
  });

  it('that names a lane there is none of is refused', () => {
    expect(() => lanes.readPragmas('/** @lane quick */')).toThrow('@lane is one of fast, slow, timed, not quick');
  });

  it('keeps no snapshots of Jest, which a run that is not in CI writes instead of failing', () => {
    const keeping = specs.filter((spec) => /\.toMatch(Inline)?Snapshot\(/.test(textOf(spec)));
    expect(keeping.map(({ file }) => file)).toEqual([]);
  });

  it('of the fast lane starts no process of the service and no PostgreSQL', () => {
    const starting = /harness\/processes\/|postgres-cluster|buildService/;
    const wrong = specs.filter((spec) => spec.lane === 'fast' && spec.file !== 'test/repository/test-run.spec.ts');
    expect(wrong.filter((spec) => starting.test(textOf(spec))).map(({ file }) => file)).toEqual([]);
  });
});

describe('the order of a lane', () => {
  const items = Array.from({ length: 40 }, (_, index) => `spec ${index}`);

  it('follows from the seed, and has every spec once', () => {
    expect(lanes.shuffled(items, 7)).toEqual(lanes.shuffled(items, 7));
    expect(lanes.shuffled(items, 7)).not.toEqual(lanes.shuffled(items, 8));
    expect(lanes.shuffled(items, 7).toSorted()).toEqual(items.toSorted());
  });

  it('is dealt into groups of about the same weight', () => {
    const weightOf = (item: string) => (item === 'spec 0' ? 20 : 1);
    const groups = lanes.dealt(items, 3, weightOf);
    expect(groups.flat().toSorted()).toEqual(items.toSorted());
    const weights = groups.map((group) => group.reduce((sum, item) => sum + weightOf(item), 0));
    expect(Math.max(...weights) - Math.min(...weights)).toBeLessThanOrEqual(1);
  });
});

describe('the budget', () => {
  const budget: Budget = { lanes: { fast: 100 }, above: { 'a.spec.ts': 'why' }, specs: { 'a.spec.ts': 10 } };
  const cost = (file: string, seconds: number, slowest = 0): Cost => ({ file, seconds, slowest });
  const overruns = (costs: Cost[], unit = 40) =>
    budgets.findOverruns({ lane: 'fast', costs, unit }, budget).map(({ text }) => text);

  it.each([
    ['a spec within twice its budget', [cost('a.spec.ts', 20)], []],
    ['a spec far over its budget', [cost('a.spec.ts', 20.1)], ['a.spec.ts: 20.1 s, budget 10 s']],
    ['a spec without a budget that is no longer cheap', [cost('b.spec.ts', 7.2)], ['b.spec.ts: 7.2 s, budget 1 s']],
    ['a test over its ceiling', [cost('c.spec.ts', 2, 2.1)], ['c.spec.ts: 2.1 s, the fast lane allows a test 1 s']],
    ['a lane far over its budget', Array<Cost>(141).fill(cost('c.spec.ts', 1)), ['lane fast: 141 s, budget 100 s']],
  ])('of %s', (_, costs, expected) => {
    expect(overruns(costs)).toEqual(expected);
  });

  it('is measured by what the unit specs took: a machine of half the speed changes nothing', () => {
    expect(overruns([cost('a.spec.ts', 40)], 80)).toEqual([]);
    expect(overruns([cost('a.spec.ts', 40)], 40)).not.toEqual([]);
    const unit: Spec = { file: 'src/u.spec.ts', project: 'unit', lane: 'fast', databases: 'one', alone: false };
    expect(budgets.unitSeconds([cost('src/u.spec.ts', 3)], [unit])).toBe(3);
    expect(budgets.unitSeconds([], [unit])).toBeNull();
  });

  it('names specs that exist', () => {
    const { specs: listed, above } = budgets.readBudget();
    const files = [...Object.keys(listed), ...Object.keys(above)];
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
