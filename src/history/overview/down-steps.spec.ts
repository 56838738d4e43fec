import { type DownSpan, downBySteps, firstStepAt } from './down-steps';

const span = (first: number, until: number, endpoints = 1): DownSpan => ({ first, until, endpoints });

describe('the number of endpoints that were down in each step of 24 hours', () => {
  it.each([
    ['nothing, when nothing was down', [], []],
    [
      'the steps of an outage, the one after it not',
      [span(2, 4)],
      [
        [2, 1],
        [3, 1],
      ],
    ],
    [
      'several at once are added up',
      [span(0, 2, 3), span(1, 3)],
      [
        [0, 3],
        [1, 4],
        [2, 1],
      ],
    ],
    [
      'one that starts as another ends',
      [span(5, 6), span(6, 7)],
      [
        [5, 1],
        [6, 1],
      ],
    ],
    ['what started before counts from the first step', [span(-500, 1, 2)], [[0, 2]]],
    ['an outage that continues counts to the last step', [span(287, 300)], [[287, 1]]],
    ['outages that ended before, or start after, count nowhere', [span(-9, 0), span(288, 289)], []],
  ] as const)('%s', (_case, spans, expected) => {
    const steps = downBySteps(spans);
    expect(steps).toHaveLength(288);
    expect(steps.flatMap((down, step) => (down === 0 ? [] : [[step, down]]))).toEqual(expected);
  });

  it('contains the current time in its last step, which starts at a full five minutes', () => {
    const at = (text: string) => new Date(firstStepAt(Date.parse(text))).toISOString();
    expect(at('2026-11-26T12:04:59.999Z')).toBe('2026-11-25T12:05:00.000Z');
    expect(at('2026-11-26T12:05:00.000Z')).toBe('2026-11-25T12:10:00.000Z');
  });
});
