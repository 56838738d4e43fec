import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { engineOf, startEarly } from './early-engine';
import { StartError } from '../../config/start-error';

describe('an engine that is started early', () => {
  let folder: string;
  const unhandled: unknown[] = [];
  const keep = (error: unknown): void => void unhandled.push(error);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-early-'));
    process.on('unhandledRejection', keep);
  });
  afterEach(() => {
    process.off('unhandledRejection', keep);
    rmSync(folder, { recursive: true, force: true });
  });

  it('reports why it cannot start when it is first used, and not before', async () => {
    const file = join(folder, 'data');
    writeFileSync(file, '');
    await startEarly(file, true);
    await turn();
    expect(unhandled).toEqual([]);
    await expect(engineOf(file, true)).rejects.toThrow(StartError);
  });
});
