import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIELD_FOLDER, fieldKinds } from '../harness/field/field-cases';

const ROOT = join(__dirname, '../..');
const readme = readFileSync(join(FIELD_FOLDER, 'README.md'), 'utf8');

describe('Inputs from the field', () => {
  it.each(fieldKinds())('of the kind %s are run by the spec that the README names', (kind) => {
    const row = readme.split('\n').find((line) => line.startsWith(`| \`${kind}/\``));
    const spec = /`([^`]+\.spec\.ts)`/.exec(row ?? '')?.[1] ?? `${kind} has no row in the README`;
    const reads = new RegExp(`fieldCases(<[^>]*>)?\\('${kind}'`);
    expect(readFileSync(join(ROOT, spec), 'utf8')).toMatch(/\.each\(/);
    expect(
      [spec, 'test/harness/field/field-targets.ts'].some((file) => reads.test(readFileSync(join(ROOT, file), 'utf8'))),
    ).toBe(true);
  });

  it.each(fieldKinds())('of the kind %s are YAML files that explain themselves', (kind) => {
    const files = readdirSync(join(FIELD_FOLDER, kind));
    expect(files.filter((file) => !file.endsWith('.yaml'))).toEqual([]);
    for (const file of files) {
      const text = readFileSync(join(FIELD_FOLDER, kind, file), 'utf8');
      expect([file, /^why: /m.test(text), /^seen: /m.test(text)]).toEqual([file, true, true]);
    }
  });
});
