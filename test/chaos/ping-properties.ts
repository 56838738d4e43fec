import { ERROR_CODES, type ErrorCode } from '../../src/checker/checker';
import { SECOND_MS } from '../../src/platform/time/time-units';

/** The settings of every job of a run. */
export const HEARTBEAT = { every: 60, grace: 2, max_runtime: 15 } as const;

export interface SentPing {
  job: string;
  /** The body of the ping, which is unique. */
  marker: string;
  acknowledged: boolean;
}

/** Times are milliseconds since the epoch. */
export interface StoredPing {
  at: number;
  /** 0 success, 1 start, 2 fail, 3 log. */
  kind: number;
  run: string | null;
  marker: string | null;
}

export interface StoredVerdict {
  at: number;
  /** 0 down, 1 up, 2 unknown. */
  outcome: number;
  /** The index of the error's code, or -1 for none. */
  error: number;
}

/** The data of a job in the database at one moment. */
export interface StoredJob {
  job: string;
  pings: StoredPing[];
  checks: StoredVerdict[];
  /** Decided but perhaps not recorded yet. */
  pending: { atMs: number; outcome: string; code: ErrorCode | null }[];
}

const LIMIT_MS = (HEARTBEAT.every + HEARTBEAT.grace) * SECOND_MS;
/** Instances know the database's time to some milliseconds, and no two checks have the same time. */
const SKEW_MS = 500;
/**
 * A sweep runs every second, or later on a busy machine. An absence of the service moves a deadline to the next run
 * at most.
 */
const NOTICED_MS = HEARTBEAT.every * SECOND_MS + 40_000;

const isEnd = ({ kind }: StoredPing): boolean => kind === 0 || kind === 2;
const codeOf = ({ error }: StoredVerdict): ErrorCode | null => ERROR_CODES[error] ?? null;

/**
 * Returns the broken promises to jobs. `sent` contains the pings up to the moment before the database was read at
 * `now`.
 */
export const brokenPings = (sent: readonly SentPing[], stored: readonly StoredJob[], now: number): string[] =>
  stored.flatMap((job) => [
    ...lost(sent, job),
    ...withoutCheck(job),
    ...falselyMissed(job),
    ...falselyOverrun(job),
    ...forgotten(job, now),
  ]);

/** Every acknowledged ping is stored, and none is stored twice. */
function lost(sent: readonly SentPing[], { job, pings }: StoredJob): string[] {
  const counts = new Map<string, number>();
  for (const { marker } of pings) counts.set(marker ?? '', (counts.get(marker ?? '') ?? 0) + 1);
  return sent
    .filter((ping) => ping.job === job)
    .flatMap(({ marker, acknowledged }) => {
      const count = counts.get(marker) ?? 0;
      if (acknowledged && count === 0) return [`lost ping: ${marker}`];
      return count > 1 ? [`ping ${marker} is there ${count} times`] : [];
    });
}

/** Returns checks, and verdicts that are about to become checks. */
function verdictsOf({ checks, pending }: StoredJob): StoredVerdict[] {
  const outcomes = ['down', 'up', 'unknown'];
  const known = new Set(checks.map(({ at }) => at));
  const more = pending
    .filter(({ atMs }) => !known.has(atMs))
    .map(({ atMs, outcome, code }) => ({
      at: atMs,
      outcome: outcomes.indexOf(outcome),
      error: code === null ? -1 : ERROR_CODES.indexOf(code),
    }));
  return [...checks, ...more].toSorted((a, b) => a.at - b.at);
}

/** Each ping that ends a run is one check, in order. */
function withoutCheck(stored: StoredJob): string[] {
  const ends = stored.pings.filter(isEnd);
  const told = verdictsOf(stored).filter((one) => one.error === -1 || codeOf(one) === 'heartbeat_failed');
  if (ends.length !== told.length) return [`${stored.job}: ${ends.length} pings that end a run, ${told.length} checks`];
  return ends.flatMap(({ at, kind, marker }, place) => {
    const check = told[place];
    const isAsTold = check && (check.outcome === 1) === (kind === 0) && Math.abs(check.at - at) <= SKEW_MS;
    return isAsTold ? [] : [`ping ${marker} has another check: ${JSON.stringify(check)}`];
  });
}

/** A run is missed only once, and only if none has ended for that long. */
function falselyMissed(stored: StoredJob): string[] {
  const missed = verdictsOf(stored).filter((one) => codeOf(one) === 'heartbeat_missed');
  return missed.flatMap(({ at }, place) => {
    const before = missed[place - 1]?.at ?? -Infinity;
    const ended = stored.pings.find(
      (ping) => isEnd(ping) && ping.at > at - LIMIT_MS + SKEW_MS && ping.at < at - SKEW_MS,
    );
    return [
      ...(ended ? [`${stored.job} was missed at ${at} after ${ended.marker}`] : []),
      ...(at - before < HEARTBEAT.every * SECOND_MS - SKEW_MS ? [`${stored.job} was missed twice at ${at}`] : []),
    ];
  });
}

/** A run takes too long only once, and only if it started and has not ended. */
function falselyOverrun(stored: StoredJob): string[] {
  const { job, pings } = stored;
  const open = new Set(pings.filter(({ kind }) => kind === 1));
  const verdicts = verdictsOf(stored);
  return verdicts
    .filter((one) => codeOf(one) === 'heartbeat_overran')
    .flatMap(({ at }) => {
      // The result of a ping between the deadline and the sweep comes first. The missed run follows a millisecond
      // later.
      const isBehind = verdicts.some((one) => one.at === at - 1);
      const may = [...open].filter(({ at: startedAt }) => {
        const laterMs = at - startedAt - HEARTBEAT.max_runtime * SECOND_MS;
        return laterMs >= -SKEW_MS && laterMs <= (isBehind ? NOTICED_MS : SKEW_MS);
      });
      const endOf = ({ run }: StoredPing) =>
        pings.find((ping) => isEnd(ping) && ping.run === run && ping.at < at - SKEW_MS);
      // Several runs may have started in that time. The report is about one that is still running.
      const begun = may.find((start) => !endOf(start)) ?? may[0];
      if (!begun) return [`${job} took too long at ${at}, and nothing began: ${nearby(stored, at)}`];
      open.delete(begun);
      const end = endOf(begun);
      return end ? [`${job} took too long at ${at} after ${end.marker}`] : [];
    });
}

/** Returns the pings and verdicts of the minute before, to explain a finding. */
const nearby = (stored: StoredJob, at: number): string =>
  JSON.stringify([...stored.pings, ...verdictsOf(stored)].filter((one) => Math.abs(at - 30_000 - one.at) < 31_000));

/** A job that stays silent must be detected. */
function forgotten(stored: StoredJob, now: number): string[] {
  const last = stored.pings.filter(isEnd).at(-1);
  if (!last || now < last.at + LIMIT_MS + NOTICED_MS) return [];
  const isTold = verdictsOf(stored).some((one) => {
    const code = codeOf(one);
    return one.at > last.at && (code === 'heartbeat_missed' || code === 'monitor_offline');
  });
  return isTold ? [] : [`${stored.job} is silent since ${last.marker}, and nothing is said of it`];
}
