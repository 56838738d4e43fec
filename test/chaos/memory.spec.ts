import { judgeMemory, type MemorySample, readSamples } from './memory';

const NOON = Date.UTC(2026, 0, 1, 12);

/** Returns a sample every five seconds for three minutes. `heldMb` depends on the minute. */
const life = (heldMb: (minute: number) => number): MemorySample[] =>
  Array.from({ length: 37 }, (_, place) => ({
    at: NOON + place * 5000,
    heldBytes: heldMb(place / 12) * 1e6,
    residentBytes: 180e6 + (place % 7) * 10e6,
  }));

describe('the memory of a long-lived process', () => {
  it('counts as flat if it ends at the value it had after the warm-up, even if single samples differ', () => {
    expect(judgeMemory(life((minute) => 60 + (minute % 0.5))).broken).toEqual([]);
    expect(judgeMemory(life((minute) => (minute < 0.5 ? 20 : 60))).broken).toEqual([]);
    const odd = life((minute) => (minute > 2.95 ? 150 : 60));
    expect(judgeMemory(odd).broken).toEqual([]);
    expect(judgeMemory(life((minute) => 90 - 10 * minute)).broken).toEqual([]);
  });

  it('counts as a leak when it keeps growing', () => {
    const { summary, broken } = judgeMemory(life((minute) => 60 + 3 * minute));
    expect(summary).toContain('62.8 MB in its second fifth, 68.3 MB in its last (+5.5, limit +5.0)');
    expect(broken).toEqual([expect.stringContaining('memory is not flat')]);
    expect(judgeMemory(life((minute) => 60 + 2.5 * minute)).broken).toEqual([]);
  });

  it('does not count as flat with too few samples, or none', () => {
    for (const samples of [life(() => 60).slice(0, 8), []])
      expect(judgeMemory(samples).broken).toEqual([
        `memory of the protected instance: too few samples (${samples.length})`,
      ]);
  });
});

describe('the memory samples that a process writes', () => {
  const line = (round: number, thread: number, heapBytes: number) =>
    `${JSON.stringify({ round, at: NOON + round, thread, heapBytes, externalBytes: 5, rssBytes: 900 + thread })}\n`;

  it('adds up the threads of each round', () => {
    expect(readSamples(line(1, 0, 10) + line(1, 1, 20) + line(2, 1, 21) + line(2, 0, 11))).toEqual([
      { at: NOON + 1, heldBytes: 40, residentBytes: 901 },
      { at: NOON + 2, heldBytes: 42, residentBytes: 901 },
    ]);
  });

  it('ignores a round until every thread has written its line', () => {
    const text = line(1, 0, 10) + line(1, 1, 20) + line(2, 0, 11);
    expect(readSamples(text)).toHaveLength(1);
    expect(readSamples(text + line(2, 1, 21).slice(0, 20))).toHaveLength(1);
    expect(readSamples('')).toEqual([]);
  });
});
