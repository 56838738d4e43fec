import { type ReportEntry, reportLines } from './report-text';
import { painter } from './style';

const input = { name: 'config.yaml', locate: (line: number) => ({ file: 'a.yaml', line }) };
const linesOf = (report: ReportEntry[]): string[] => reportLines(report, input, painter(false));
const entry = (name: string, line: number, result: string, why: string | null): ReportEntry => ({
  at: `line ${line}`,
  name,
  result,
  why,
});

describe('the text of a conversion report', () => {
  it('has a line for each reason, and counts the items that lost nothing', () => {
    const phone = { at: '/notificationList/3', name: 'Phone', result: 'skipped', why: 'no counterpart' };
    expect(
      linesOf([
        entry('a', 1, 'mapped', null),
        phone,
        entry('b', 2, 'approximated', 'slower'),
        entry('c', 3, 'approximated', 'slower'),
      ]),
    ).toEqual([
      'skipped       Phone: no counterpart  (config.yaml:/notificationList/3)',
      'approximated  b, c: slower  (a.yaml:2, a.yaml:3)',
      '1 mapped, 2 approximated, 1 skipped.',
    ]);
  });

  it('names the first of many items that share a reason', () => {
    const many = Array.from({ length: 200 }, (_, i) => entry(`s${i}`, i, 'approximated', 'a warning'));
    expect(linesOf(many)).toEqual([
      'approximated  s0, s1, s2, s3, 196 more: a warning  (a.yaml:0, a.yaml:1, a.yaml:2, a.yaml:3, …)',
      '0 mapped, 200 approximated, 0 skipped.',
    ]);
  });
});
