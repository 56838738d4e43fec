import { spawnSync } from 'node:child_process';
import { ROOT } from './project-files';

describe('the API types of the dashboard', () => {
  it('generates web/src/api/schema.d.ts from docs/openapi.json exactly as it is committed', () => {
    const { status, stderr } = spawnSync(process.execPath, ['web/api-schema.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });
});
