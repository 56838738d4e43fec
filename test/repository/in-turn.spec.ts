import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ATTACKS, COMPARISON } from '../bounds/attacks/attacks';
import { attacksOf, chosenAttacks } from '../bounds/choice';
import { currentCommit, turnAt } from '../harness/in-turn';
import { ROOT } from './project-files';

describe('whose turn it is', () => {
  it.each([
    ['00000000a9', 2, 0],
    ['00000001ff', 2, 1],
    ['ffffffff00', 3, 0],
    ['fffffffe00', 3, 2],
    ['5f3a9c1b77', 3, 0x5f3a9c1b % 3],
  ])('at %s, of %i: %i', (commit, count, turn) => {
    expect(turnAt(commit, count)).toBe(turn);
  });
});

const names = (attacks: readonly { name: string }[]) => attacks.map(({ name }) => name);
const attack = (name: string, ...covers: string[]) => ({ name, covers });
const attacks = [
  attack('a', 'src/stream'),
  attack('b', 'src/audit/audit-log.ts'),
  attack('c'),
  attack('d', 'src/stream'),
  attack('e'),
];

describe('the attacks of a commit', () => {
  it.each([
    ['every fourth', '00000000', [], 'a e'],
    ['the next of four', '00000001', [], 'b'],
    ['the last of four', '00000003', [], 'd'],
    ['beside its quarter those of a changed folder', '00000002', ['src/stream/stream-feed.ts'], 'a c d'],
    ['beside its quarter those of a changed file', '00000002', ['src/audit/audit-log.ts'], 'b c'],
    ['none for a name that only begins like theirs', '00000002', ['src/stream-of-data.ts'], 'c'],
    ['all without git', null, [], 'a b c d e'],
    ['all without the commit before', '00000002', null, 'a b c d e'],
  ])('%s', (_, commit, changed, expected) => {
    expect(names(attacksOf({ commit, changed }, attacks)).join(' ')).toBe(expected);
  });

  const all = [...ATTACKS, ...COMPARISON];

  it('are all played in four turns, each once, and about as many at a time', () => {
    const turns = ['0000000c', '0000000d', '0000000e', '0000000f'].map((commit) =>
      names(attacksOf({ commit, changed: [] }, all)),
    );
    expect(turns.flat().sort()).toEqual(names(all).sort());
    expect(Math.max(...turns.map((each) => each.length))).toBe(Math.ceil(all.length / 4));
  });

  it('are all of them unless CI orders otherwise, and no word is taken for an order by mistake', () => {
    expect(chosenAttacks('', all)).toEqual(all);
    expect(chosenAttacks('all', all)).toEqual(all);
    expect(() => chosenAttacks('some', all)).toThrow('BOUNDS is "all", "in-turn" or a word');
    const own = attacksOf({ commit: currentCommit(), changed: [] }, all);
    expect(names(chosenAttacks('in-turn', all))).toEqual(expect.arrayContaining(names(own)));
  });

  it.each(ATTACKS.map(({ name, covers }) => [name, covers] as const))('cover what exists: %s', (_, covers) => {
    expect(covers.length).toBeGreaterThan(1);
    expect(covers.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
