import { countsIn, type Proof, proofTable, recorded } from '../harness/proof-record';
import { readText } from './project-files';

const proof = (section: string, more: Partial<Proof> = {}): Proof => ({
  section,
  isGreen: true,
  seconds: 12.4,
  counts: { passed: 7, failed: 0, skipped: 1 },
  commit: 'abc1234',
  date: '2026-07-30',
  ...more,
});
const place = (table: string) =>
  `Before.\n\n<!-- proven: written by npm run prove -- --record -->\n\n${table}\n\n<!-- /proven -->\n\nAfter.\n`;

describe('the record of npm run prove', () => {
  it.each([
    ['the last line', 'ok\nTook 3 s\n7 passed, 0 failed, 1 skipped\n', { passed: 7, failed: 0, skipped: 1 }],
    [
      'the last of several',
      '1 passed, 0 failed, 0 skipped\nOnce more\n2 passed, 3 failed, 4 skipped\nbye',
      { passed: 2, failed: 3, skipped: 4 },
    ],
    ['none in the middle of a line', 'Tests: 7 passed, 0 failed, 1 skipped, 8 in all', null],
    ['none without tests', 'All files are formatted', null],
  ])('reads counts: %s', (_, output, counts) => {
    expect(countsIn(output)).toEqual(counts);
  });

  it('has a row for each section, and says what failed, what has no tests and what was not proven yet', () => {
    const proofs = [proof('lint', { counts: null }), proof('faults', { isGreen: false, seconds: 825.6 })];
    expect(proofTable(['lint', 'faults', 'web'], proofs).split('\n').slice(2)).toEqual([
      '| lint | ok | 12 |  |  |  | abc1234 | 2026-07-30 |',
      '| faults | **failed** | 826 | 7 | 0 | 1 | abc1234 | 2026-07-30 |',
      '| web | not yet |  |  |  |  |  |  |',
    ]);
  });

  it('replaces the rows of what was played, keeps the others, drops sections that are gone, and touches nothing else', () => {
    const before = place(
      proofTable(
        ['lint', 'faults', 'gone'],
        ['lint', 'faults', 'gone'].map((name) => proof(name)),
      ),
    );
    const again = proof('faults', { commit: 'def5678', date: '2026-08-01' });
    const after = recorded(before, ['lint', 'faults'], [again]);
    expect(after).toBe(place(proofTable(['lint', 'faults'], [proof('lint'), again])));
    expect(recorded(after, ['lint', 'faults'], [])).toBe(after);
  });

  it('is refused where there is no place for it', () => {
    expect(() => recorded('Nothing here', [], [])).toThrow('no place for the record');
  });

  it('has its place in docs/reliability.md, with a row for each section of scripts/prove.mjs', () => {
    const [, list = ''] = /^const SECTIONS = \[([\s\S]*?)^\];/m.exec(readText('scripts/prove.mjs')) ?? [];
    const sections = [...list.matchAll(/^ {2}\[\s*'([^']+)'/gm)].map(([, name = '']) => name);
    expect(sections.length).toBeGreaterThan(8);
    const document = readText('docs/reliability.md');
    expect(recorded(document, sections, []).replace(/ +/g, ' ').replace(/-+/g, '-')).toBe(
      document.replace(/ +/g, ' ').replace(/-+/g, '-'),
    );
  });
});
