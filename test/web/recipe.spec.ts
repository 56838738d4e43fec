import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { plantRecipes } from '../repository/recipe-tree';

const ROOT = resolve(__dirname, '../..');
const tree = plantRecipes(['CONTRIBUTING.md', 'docs/contributing/recipes.md']);
const run = (script: string, ...words: string[]) =>
  promisify(execFile)(process.execPath, [join(ROOT, script), ...words], { cwd: tree.root });

beforeAll(async () => {
  // Into the folders that the service of the copy serves.
  const build = (page: string, folder: string) =>
    run('node_modules/vite/bin/vite.js', 'build', page, '--outDir', join(tree.root, folder), '--logLevel', 'error');
  await build('web', 'dist/public');
  await build('web/reference', 'dist/public/docs');
  await build('web/help', 'dist/public/help');
}, 120_000);
afterAll(() => tree.remove());

describe('the dashboard with the page of the recipe', () => {
  it('the dashboard with the page of the recipe keeps to its budget', async () => {
    const { stdout } = await run('web/check-budget.mjs', join(tree.root, 'dist/public'));
    expect(stdout).toContain('all .js');
  });

  tree.load('test/web/renewals.spec.ts');
});
