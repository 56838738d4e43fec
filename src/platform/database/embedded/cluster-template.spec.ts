import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterTemplate, emptyTemplate, schemaTemplate } from './cluster-template';

describe('the template of a new embedded database cluster', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'uptime-template-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('contains the schema if the build has created it', () => {
    writeFileSync(schemaTemplate(folder), '');
    expect(clusterTemplate(folder)).toBe(schemaTemplate(folder));
  });

  it('is empty if the schema has another text', () => {
    writeFileSync(join(folder, 'embedded-template-0123456789abcdef.tar.br'), '');
    expect(clusterTemplate(folder)).toBe(emptyTemplate(folder));
  });
});
