import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './project-files';

const durations: Record<string, number> = jest.requireActual('../../scripts/jest/durations.json');

describe('the run of all tests', () => {
  it('begins with the slowest specs: each file of scripts/jest/durations.json exists', () => {
    const files = Object.keys(durations);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
