import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterTemplate, emptyTemplate, schemaTemplate } from './cluster-template';

describe('what a new cluster of the embedded database begins as', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-template-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is the one with the schema where the build has made that', () => {
    writeFileSync(schemaTemplate(folder), '');
    expect(clusterTemplate(folder)).toBe(schemaTemplate(folder));
  });

  it('is the empty one beside a schema of another text', () => {
    writeFileSync(join(folder, 'embedded-template-0123456789abcdef.tar.br'), '');
    expect(clusterTemplate(folder)).toBe(emptyTemplate(folder));
  });
});
