import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Compares a message with its golden file in `folder`, which defaults to `golden` next to the spec. `UPDATE_GOLDEN=1`
 * writes the file instead, so that the commit shows the difference. Fails if the file is missing.
 */
export function expectGolden(name: string, message: string, folder = folderOfSpec()): void {
  const file = resolve(folder, name);
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, message);
  }
  if (!existsSync(file)) throw new Error(`${file} is missing: run the suite with UPDATE_GOLDEN=1 once`);
  expect(message).toBe(readFileSync(file, 'utf8'));
}

function folderOfSpec(): string {
  const { testPath } = expect.getState();
  if (testPath === undefined) throw new Error('golden files can only be compared in a spec');
  return join(dirname(testPath), 'golden');
}
