import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Compares a message with the file in `golden` beside the spec that keeps how it must look. `UPDATE_GOLDEN=1` writes the file
 * instead: then the difference is read in the commit. A missing file fails.
 */
export function expectGolden(name: string, message: string): void {
  const { testPath } = expect.getState();
  if (testPath === undefined) throw new Error('golden files are compared in a spec only');
  const folder = join(dirname(testPath), 'golden');
  const file = join(folder, name);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, message);
  }
  if (!existsSync(file)) throw new Error(`golden/${name} is missing: run the suite with UPDATE_GOLDEN=1 once`);
  expect(message).toBe(readFileSync(file, 'utf8'));
}
