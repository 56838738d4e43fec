/** The memory of a process after all garbage in all its threads was collected. */
export interface MemorySample {
  /** Milliseconds since the epoch. */
  at: number;
  /** Heaps and the memory that they reference, including the embedded database. */
  heldBytes: number;
  /** Includes memory that the allocator keeps for later. It is noisy, so it is only reported. */
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

/** Adds up the threads of each round. Skips a round that some thread has not written yet. */
export function readSamples(text: string): MemorySample[] {
  const rounds = new Map<number, ThreadLine[]>();
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  for (const line of complete.split('\n').filter((each) => each !== '')) {
    const parsed = JSON.parse(line) as ThreadLine;
    rounds.set(parsed.round, [...(rounds.get(parsed.round) ?? []), parsed]);
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
 * The maximum growth from the second fifth of a process's life to the last. The first fifth is warm-up. The model has
 * at most 71 resources, less than a megabyte in the service's caches, so its data can't explain more. About one
 * megabyte was measured.
 */
const GROWTH_LIMIT_BYTES = 5_000_000;
/** Per fifth. Fewer samples are not enough for a verdict. */
const MIN_SAMPLES = 2;

/** A one-line summary, and the fault if there is one. */
export interface MemoryFinding {
  summary: string;
  broken: string[];
}

/** Judges whether the memory of a long-lived process is flat. Too few samples prove nothing and count as not flat. */
export function judgeMemory(samples: readonly MemorySample[]): MemoryFinding {
  const fifths = inFifths(samples);
  const [, second = []] = fifths;
  const last = fifths.at(-1) ?? [];
  if (Math.min(second.length, last.length) < MIN_SAMPLES) {
    const summary = `memory of the protected instance: too few samples (${samples.length})`;
    return { summary, broken: [summary] };
  }
  const seconds = ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / 1000;
  const [before, after] = [second, last].map((fifth) => median(fifth.map(({ heldBytes }) => heldBytes)));
  const [resident, residentAfter] = [second, last].map((fifth) => median(fifth.map((each) => each.residentBytes)));
  const growth = (after ?? 0) - (before ?? 0);
  const summary =
    `memory of the protected instance after full collections, ${samples.length} in ${seconds.toFixed(0)} s: ` +
    `${megabytes(before)} MB in its second fifth, ${megabytes(after)} MB in its last ` +
    `(${growth < 0 ? '' : '+'}${megabytes(growth)}, limit +${megabytes(GROWTH_LIMIT_BYTES)}); ` +
    `resident ${megabytes(resident)} MB and ${megabytes(residentAfter)} MB`;
  return { summary, broken: growth > GROWTH_LIMIT_BYTES ? [`memory is not flat: ${summary}`] : [] };
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

const megabytes = (bytes = 0): string => (bytes / 1e6).toFixed(1);
