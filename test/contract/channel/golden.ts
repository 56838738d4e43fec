import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DIRECTORY = join(__dirname, 'golden');

/**
 * Compares a message with the file that keeps how it must look. `UPDATE_GOLDEN=1` writes the file instead: then the
 * difference is read in the commit. A missing file fails.
 */
export function expectGolden(name: string, message: string): void {
  const file = join(DIRECTORY, name);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, message);
  if (!existsSync(file)) throw new Error(`test/golden/${name} is missing: run the suite with UPDATE_GOLDEN=1 once`);
  expect(message).toBe(readFileSync(file, 'utf8'));
}
