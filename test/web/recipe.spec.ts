import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { plantRecipes } from '../repository/recipe-tree';

const VITE = resolve(__dirname, '../../node_modules/vite/bin/vite.js');
const tree = plantRecipes(['CONTRIBUTING.md', 'docs/recipes.md']);

beforeAll(async () => {
  // Into the folder that the service of the copy serves.
  await promisify(execFile)(process.execPath, [VITE, 'build', 'web', '--logLevel', 'error'], { cwd: tree.root });
}, 120_000);
afterAll(() => tree.remove());

describe('the dashboard with the page of the recipe', () => {
  tree.load('test/web/certificates.spec.ts');
});
