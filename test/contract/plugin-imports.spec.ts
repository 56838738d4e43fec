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

describe('The imports of a plug-in', () => {
  // Names and files in addition to Nest and Node.
  it.each<[string, number, number, () => string]>([
    ['the checker of the recipe', 8, 5, () => example('CONTRIBUTING.md', 'src/checker/memcached/memcached.checker.ts')],
    // It also has TLS, and settings in the API document.
    ['the Redis checker', 13, 8, () => textOf('src/checker/redis/redis.checker.ts')],
    [
      'the channel of the recipe',
      7,
      5,
      () => example('docs/contributing/recipes.md', 'src/channel/vendor/synapse.channel.ts'),
    ],
    ['the Teams channel', 7, 5, () => textOf('src/channel/vendor/teams.channel.ts')],
  ])("%s imports at most %i names from %i of the service's files", (_, most, mostModules, text) => {
    const { modules, names } = ownImports(text());
    expect(names.length).toBeGreaterThan(0);
    expect({ names: names.slice(most), modules: modules.slice(mostModules) }).toEqual({
      names: [],
      modules: [],
    });
  });
});
