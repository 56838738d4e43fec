import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import { recipeBlocks } from '../repository/recipe-tree';

const ROOT = resolve(__dirname, '../..');
const textOf = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

function example(document: string, path: string): string {
  const block = recipeBlocks(textOf(document)).find((one) => one.path === path);
  if (!block) throw new Error(`${document} has no file ${path}`);
  return block.text;
}

/** Returns a file's imports from this project: their paths, and the names. A namespace counts as one name. */
function ownImports(text: string): { modules: string[]; names: string[] } {
  const { statements } = ts.createSourceFile('plugin.ts', text, ts.ScriptTarget.ES2022, false);
  const own = statements
    .filter((statement) => ts.isImportDeclaration(statement))
    .filter(({ moduleSpecifier }) => ts.isStringLiteral(moduleSpecifier) && moduleSpecifier.text.startsWith('.'));
  return {
    modules: own.map(({ moduleSpecifier }) => (ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '')),
    names: own.flatMap(({ importClause }) => namesOf(importClause)),
  };
}

function namesOf(clause: ts.ImportClause | undefined): string[] {
  const bindings = clause?.namedBindings;
  if (!bindings) return [];
  return ts.isNamespaceImport(bindings) ? [bindings.name.text] : bindings.elements.map(({ name }) => name.text);
}

/** The maximum number of names that adding a checker or a channel requires, in addition to Nest and Node. */
const MOST_NAMES = 7;
const MOST_MODULES = 5;

describe('The imports of a plug-in', () => {
  it.each([
    ['the checker of the recipe', () => example('CONTRIBUTING.md', 'src/checker/redis/redis.checker.ts')],
    ['the TCP checker', () => textOf('src/checker/tcp/tcp.checker.ts')],
    [
      'the channel of the recipe',
      () => example('docs/contributing/recipes.md', 'src/channel/vendor/matrix.channel.ts'),
    ],
    ['the Teams channel', () => textOf('src/channel/vendor/teams.channel.ts')],
  ])("%s imports at most seven names from five of the service's files", (_, text) => {
    const { modules, names } = ownImports(text());
    expect(names.length).toBeGreaterThan(0);
    expect({ names: names.slice(MOST_NAMES), modules: modules.slice(MOST_MODULES) }).toEqual({
      names: [],
      modules: [],
    });
  });
});
