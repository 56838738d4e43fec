/** @lane slow */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { HostileOrder, HostileRun } from '../../harness/processes/hostile-checks';

/** `FUZZ_RESPONSES=20000` is the full run. `FUZZ_SEED` repeats a run. */
const RESPONSES = Number(process.env['FUZZ_RESPONSES'] ?? 1000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
/** The longest time that the event loop may be blocked. */
const LIMIT_MS = 50;
const ROOT = join(__dirname, '../../..');

let child: ChildProcess | undefined;
let run: HostileRun;

beforeAll(
  async () => {
    const order: HostileOrder = { seed: SEED, responses: RESPONSES, limitMs: LIMIT_MS };
    const program = [
      '-r',
      './scripts/typescript.cjs',
      'test/harness/processes/hostile-checks.ts',
      JSON.stringify(order),
    ];
    const checks = spawn(process.execPath, program, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    child = checks;
    run = JSON.parse(await text(checks.stdout)) as HostileRun;
    const { held, name } = run.longest;
    process.stdout.write(`longest hold by ${RESPONSES} responses of seed ${SEED}: ${held.toFixed(1)} ms (${name})\n`);
  },
  Math.max(120_000, 400 * RESPONSES),
);

afterAll(() => {
  child?.kill();
});

describe(`Hostile responses, ${RESPONSES} of seed ${SEED},`, () => {
  it(`block the event loop for ${LIMIT_MS} ms at most`, () => {
    expect(run.tooLong).toEqual([]);
  });

  it('block it no longer when many arrive at once', () => {
    expect(run.together).toBeLessThan(2 * LIMIT_MS);
  });
});
