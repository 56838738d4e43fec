import { buildService } from '../harness/processes/service-process';
import { ATTACKS, COMPARISON } from './attacks/attacks';
import { chosenAttacks } from './choice';
import { HEAD, lineOf } from './line';
import { type Attack, type Measured, play } from './scene';
import { OLDEST_PAGE_MS } from './visitors';

/** A hanging host needs two checks of 4 s with a confirmation each: 16 s without any attack. */
const ALERT_LIMIT_MS = 30_000;
const P99_LIMIT_MS = 500;
/** The limit in CPU time, which is also longer on a busy machine. */
const PIECE_LIMIT_MS = 120;
/** Without any attack, the embedded database takes 330 MB of it. */
const MEMORY_LIMIT_MB = 640;

const NOTHING = {
  slotsMissed: 0,
  alertedInTime: true,
  fastReads: true,
  failedReads: 0,
  shortPieces: true,
  withinItsMemory: true,
  stayedLive: true,
  failedVisits: [] as readonly string[],
  youngPage: true,
  asDocumented: true,
};

/** Returns the relevant part of the victim's results. */
const felt = ({ readsWithinMs }: Attack, seen: Measured): typeof NOTHING => ({
  slotsMissed: seen.missed,
  alertedInTime: seen.alertMs !== null && seen.alertMs < ALERT_LIMIT_MS,
  fastReads: seen.p99 < (readsWithinMs ?? P99_LIMIT_MS),
  failedReads: seen.failedReads,
  shortPieces: seen.pieceMs < PIECE_LIMIT_MS,
  withinItsMemory: seen.memoryMb < MEMORY_LIMIT_MB,
  stayedLive: seen.stayedLive,
  failedVisits: seen.visits?.failures ?? [],
  youngPage: (seen.visits?.oldestPageMs ?? 0) < OLDEST_PAGE_MS,
  asDocumented: seen.effect.asDocumented,
});

const ALL = [...ATTACKS, ...COMPARISON];
const chosen = chosenAttacks(process.env['BOUNDS'] ?? '', ALL);
const rest = ALL.filter((attack) => !chosen.includes(attack));

describe('another organization is not affected', () => {
  beforeAll(() => {
    if (rest.length > 0)
      process.stderr.write(
        `Chosen: ${chosen.map(({ name }) => name).join('; ')}. All ${ALL.length}: BOUNDS=all npm run test:bounds\n`,
      );
    buildService();
  }, 120_000);

  const lines: string[] = [];
  afterAll(() => process.stderr.write(`${[...HEAD, ...lines].join('\n')}\n`));

  it.each(chosen)(
    'by $name',
    async (attack) => {
      const seen = await play(attack);
      lines.push(lineOf(attack, 'now', seen));
      const figures = `${attack.what}: ${JSON.stringify(seen, null, 1)}`;
      expect({ ...felt(attack, seen), figures }).toEqual({ ...NOTHING, figures });
    },
    300_000,
  );

  if (rest.length > 0) it.skip.each(rest)('by $name (it is not its turn)', () => {});
});
