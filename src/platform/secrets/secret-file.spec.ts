import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSecretFile } from './secret-file';

describe('a file with a secret', () => {
  let directory: string;
  let path: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'uptime-secret-file-'));
    path = join(directory, 'key');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

  it('is readable by its user only', async () => {
    await writeSecretFile(path, 'secret\n');
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['secret\n', '600']);
    expect(readdirSync(directory)).toEqual(['key']);
  });

  it('replaces a file that others may read', async () => {
    writeFileSync(path, 'older');
    chmodSync(path, 0o644);
    await writeSecretFile(path, 'secret');
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['secret', '600']);
  });

  it('replaces a link, and does not change its target', async () => {
    const target = join(directory, 'target');
    writeFileSync(target, 'of somebody else');
    symlinkSync(target, path);
    await writeSecretFile(path, 'secret');
    expect([readFileSync(path, 'utf8'), readFileSync(target, 'utf8')]).toEqual(['secret', 'of somebody else']);
  });

  it('leaves nothing behind when it cannot be written', async () => {
    mkdirSync(join(path, 'full'), { recursive: true });
    await expect(writeSecretFile(path, 'secret')).rejects.toThrow();
    expect(readdirSync(directory)).toEqual(['key']);
  });
});
