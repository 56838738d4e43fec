/**
 * @lane slow @alone
 * @databases embedded
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DiskKind, DiskReport, PowerCutReport } from '../../power-cut/power-cut-run';

jest.setTimeout(900_000);

const run = promisify(execFile);
const ROOT = join(__dirname, '../../..');

/** `npm run prove` examines 1,000 disks (scripts/prove.mjs). */
const DISKS: Readonly<Record<DiskKind, number>> = { cut: 16, 'cut again': 5, service: 1, 'not synchronized': 10 };

describe('the embedded database after a power cut', () => {
  let report: PowerCutReport;
  const of = (kind: DiskKind): DiskReport[] => report.disks.filter((disk) => disk.kind === kind);
  const broken = (kind: DiskKind): DiskReport[] => of(kind).filter(({ wrong }) => wrong.length > 0);

  beforeAll(async () => {
    const words = Object.entries(DISKS).flatMap(([kind, count]) => [`--${kind.replaceAll(' ', '-')}`, String(count)]);
    // The script exits with code 1 if a disk is broken. The tests show which one.
    const { stdout } = await run(process.execPath, ['scripts/power-cut.mjs', '--json', ...words], {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: { stdout: string }) => error);
    report = JSON.parse(stdout) as PowerCutReport;
  });

  it('has everything that was confirmed to a client, no event twice, and no damaged file', () => {
    expect(of('cut')).toHaveLength(DISKS.cut);
    expect(broken('cut')).toEqual([]);
  });

  it('has all of it if the power fails again during the recovery', () => {
    expect(of('cut again')).toHaveLength(DISKS['cut again']);
    expect(broken('cut again')).toEqual([]);
  });

  it('runs the service, which sends every pending message and nothing else', () => {
    expect(of('service')).toHaveLength(DISKS.service);
    expect(broken('service')).toEqual([]);
  });

  it('is lost or damaged on some disks if the engine does not wait for the disk, so that these tests prove something', () => {
    expect(broken('not synchronized').length).toBeGreaterThan(0);
  });

  it('was recorded while clients wrote, checks ran, and webhooks were called', () => {
    for (const fact of ['website', 'endpoint', 'deleted', 'pings', 'check', 'event'])
      expect([fact, report.facts[fact]]).toEqual([fact, expect.any(Number)]);
  });
});
