/** @lane slow @alone */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const TYPESCRIPT = join(__dirname, '../../../scripts/typescript.cjs');
const HERE = (file: string): string => JSON.stringify(join(__dirname, file));

/**
 * Fills the C library's heap with 100 MB in pieces that are too small to be mapped separately. Keeps every fiftieth
 * piece, so that the end of the heap stays in use, and frees the others. Prints by how many megabytes the resident
 * memory has shrunk after the job has run.
 */
const CHILD = `
require('reflect-metadata');
const { Config } = require(${HERE('../config/config')});
const { Metrics } = require(${HERE('../observability/metrics')});
const { Clock } = require(${HERE('../time/clock')});
const { BackgroundJobs } = require(${HERE('background-job')});
const { MemoryTrimJob } = require(${HERE('memory-trim.job')});
const job = new MemoryTrimJob(new BackgroundJobs(new Config(), new Clock(), new Metrics()));
let pieces = Array.from({ length: 1000 }, () => Buffer.alloc(100_000, 1));
globalThis.kept = pieces.filter((_, i) => i % 50 === 49);
pieces = null;
const resident = () => process.memoryUsage().rss / 1024 / 1024;
const looking = setInterval(async () => {
  gc();
  if (process.memoryUsage().arrayBuffers > 10_000_000) return;
  clearInterval(looking);
  const before = resident();
  await job.tick();
  console.log(before - resident());
}, 50);
`;

const isGlibc = (): boolean => {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime !== undefined;
};

describe('MemoryTrimJob', () => {
  const it_ = isGlibc() ? it : it.skip;

  it_('returns free memory of the C library to the system (skipped where that is not glibc)', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '-r', TYPESCRIPT, '-e', CHILD], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(Number(stdout)).toBeGreaterThan(50);
  });
});
