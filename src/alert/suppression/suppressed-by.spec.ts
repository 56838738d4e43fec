import { type MarkedCheck, NOTHING_KNOWN, suppressedBy, type SuppressionFacts } from './suppressed-by';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
const BEFORE = at(-1);
const AFTER = at(1);

describe('an alert that a check at 12:00 would trigger', () => {
  const MUTED = { muted: true };
  const ACKNOWLEDGED = { acknowledgedUntil: null };
  const PARENT_DOWN = { isParentDown: true };
  it.each<[string, Partial<MarkedCheck>, Partial<SuppressionFacts>, string | null]>([
    ['with nothing against it', {}, {}, null],
    ['in a window that mutes', MUTED, {}, 'maintenance'],
    ['that came long after it was found', { isLate: true }, {}, 'late'],
    ['that came late, found in a window', { ...MUTED, isLate: true }, {}, 'maintenance'],
    ['that came late, for an acknowledged endpoint', { isLate: true }, ACKNOWLEDGED, 'late'],
    ['that came in time', { isLate: false }, {}, null],
    ['while the endpoint is acknowledged', {}, ACKNOWLEDGED, 'acknowledged'],
    ['while the endpoint is acknowledged until later', {}, { acknowledgedUntil: AFTER }, 'acknowledged'],
    ['when the acknowledgement ends at the same moment', {}, { acknowledgedUntil: at(0) }, null],
    ['when the acknowledgement ended before', {}, { acknowledgedUntil: BEFORE }, null],
    ['while a parent is down', {}, PARENT_DOWN, 'dependency'],
    ['when the parents came up later', {}, { parentsUpSince: AFTER }, 'dependency'],
    ['when the parents came up at the same moment', {}, { parentsUpSince: at(0) }, null],
    ['when the parents came up before', {}, { parentsUpSince: BEFORE }, null],
    [
      'in a window, acknowledged, and with a parent that is down',
      MUTED,
      { ...ACKNOWLEDGED, ...PARENT_DOWN },
      'maintenance',
    ],
    ['acknowledged, and with a parent that is down', {}, { ...ACKNOWLEDGED, ...PARENT_DOWN }, 'acknowledged'],
    [
      'acknowledged until before, with a parent that is down',
      {},
      { acknowledgedUntil: BEFORE, ...PARENT_DOWN },
      'dependency',
    ],
  ])('%s is suppressed by: %4$s', (_, marks, facts, expected) => {
    expect(suppressedBy({ checkedAt: at(0), muted: false, ...marks }, { ...NOTHING_KNOWN, ...facts })).toBe(expected);
  });
});
