/** What a process held after all garbage in all its threads was collected. */
export interface MemorySample {
  /** Milliseconds since the epoch. */
  at: number;
  /** Heaps and what they keep outside of themselves, the embedded database's memory included. */
  heldBytes: number;
  /** With what the allocator keeps for later: noisy, so only told. */
  residentBytes: number;
}

/** A line of test/harness/processes/heap-on-signal.cjs. */
interface ThreadLine {
  round: number;
  at: number;
  thread: number;
  heapBytes: number;
  externalBytes: number;
  rssBytes: number;
}

/** Sums up the threads of each round; a round that not every thread has written yet is left out. */
export function readSamples(text: string): MemorySample[] {
  const rounds = new Map<number, ThreadLine[]>();
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  for (const line of complete.split('\n').filter((each) => each !== '')) {
    const told = JSON.parse(line) as ThreadLine;
    rounds.set(told.round, [...(rounds.get(told.round) ?? []), told]);
  }
  const threads = Math.max(0, ...[...rounds.values()].map((lines) => lines.length));
  return [...rounds.values()]
    .filter((lines) => lines.length === threads)
    .map((lines) => ({
      at: Math.min(...lines.map(({ at }) => at)),
      heldBytes: lines.reduce((sum, { heapBytes, externalBytes }) => sum + heapBytes + externalBytes, 0),
      residentBytes: Math.max(...lines.map(({ rssBytes }) => rssBytes)),
    }));
}

/**
 * The largest growth from the second fifth of a life to its last; the first is warm-up. The model keeps at most 64
 * resources, less than a megabyte in the service's caches, so its data explains none of it. Measured: about one megabyte.
 */
const GROWTH_LIMIT_BYTES = 5_000_000;
/** In a fifth: less is no life to judge. */
const FEWEST_SAMPLES = 2;

/** One line for people, and what is wrong. */
export interface MemoryFinding {
  line: string;
  broken: string[];
}

/** Whether the memory of one long life is flat. Too few samples are no proof, and so not flat. */
export function judgeMemory(samples: readonly MemorySample[]): MemoryFinding {
  const fifths = inFifths(samples);
  const [, second = []] = fifths;
  const last = fifths.at(-1) ?? [];
  if (Math.min(second.length, last.length) < FEWEST_SAMPLES) {
    const line = `memory of the anchor: too few samples (${samples.length})`;
    return { line, broken: [line] };
  }
  const seconds = ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / 1000;
  const [before, after] = [second, last].map((fifth) => median(fifth.map(({ heldBytes }) => heldBytes)));
  const [resident, residentAfter] = [second, last].map((fifth) => median(fifth.map((each) => each.residentBytes)));
  const growth = (after ?? 0) - (before ?? 0);
  const line =
    `memory of the anchor after full collections, ${samples.length} in ${seconds.toFixed(0)} s: ` +
    `${mb(before)} MB in its second fifth, ${mb(after)} MB in its last ` +
    `(${growth < 0 ? '' : '+'}${mb(growth)}, limit +${mb(GROWTH_LIMIT_BYTES)}); ` +
    `resident ${mb(resident)} MB and ${mb(residentAfter)} MB`;
  return { line, broken: growth > GROWTH_LIMIT_BYTES ? [`memory is not flat: ${line}`] : [] };
}

function inFifths(samples: readonly MemorySample[]): MemorySample[][] {
  const from = samples[0]?.at ?? 0;
  const length = Math.max(1, (samples.at(-1)?.at ?? 0) - from + 1) / 5;
  return [0, 1, 2, 3, 4].map((fifth) => samples.filter(({ at }) => Math.floor((at - from) / length) === fifth));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const mb = (bytes = 0): string => (bytes / 1e6).toFixed(1);
