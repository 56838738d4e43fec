import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { PLACES, TOKEN_KINDS } from '../e2e/identity/tokens/token-kinds';

const SRC = resolve(__dirname, '../../src');
const sourceFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join(folder, name));

/** Functions that create a value that can't be guessed or forged. */
const MAKERS = new Set([
  'createHmac',
  'createCipheriv',
  'createSign',
  'generateKeyPairSync',
  'getRandomValues',
  'randomBytes',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'sign',
]);

/** Returns the function around a node, by its own name or the name of its method or constant. */
function functionAround(node: ts.Node): string {
  for (let at: ts.Node = node.parent; !ts.isSourceFile(at); at = at.parent) {
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at) || ts.isGetAccessor(at)) && at.name)
      return at.name.getText();
    if (ts.isConstructorDeclaration(at)) return 'constructor';
    if (ts.isPropertyDeclaration(at)) return at.name.getText();
    if (ts.isVariableDeclaration(at) && ts.isSourceFile(at.parent.parent.parent)) return at.name.getText();
  }
  return 'the module';
}

/** Returns the places of a file that call one of `makers`, which are names in the file, or of `node:crypto`. */
function callsIn(path: string, text: string, minted: ReadonlySet<string>): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const makers = new Set<string>();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const from = statement.moduleSpecifier.text;
    const names = statement.importClause?.namedBindings;
    if (!names || !ts.isNamedImports(names)) continue;
    for (const { name, propertyName } of names.elements) {
      const imported = (propertyName ?? name).text;
      const own = `${relative(SRC, resolve(dirname(path), from))}.ts ${imported}`;
      if ((from === 'node:crypto' && MAKERS.has(imported)) || minted.has(own)) makers.add(name.text);
    }
  }
  const place = relative(SRC, path);
  for (const each of minted) if (each.startsWith(`${place} `)) makers.add(each.slice(place.length + 1));
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const called = ts.isPropertyAccessExpression(node.expression)
        ? node.expression.name.text
        : node.expression.getText();
      const isOfCrypto =
        ts.isPropertyAccessExpression(node.expression) &&
        /^(crypto|webcrypto)$/.test(node.expression.expression.getText());
      if (ts.isIdentifier(node.expression) ? makers.has(called) : isOfCrypto && MAKERS.has(called))
        found.push(`${place} ${functionAround(node)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Returns every place of these files that creates a secret, including calls of places that only mint. */
function placesIn(files: readonly (readonly [path: string, text: string])[]): string[] {
  const minted = new Set(Object.entries(PLACES).flatMap(([place, made]) => ('mints' in made ? [place] : [])));
  const names = [...MAKERS, ...[...minted].map((place) => place.split(' ')[1] ?? '')];
  // Few files contain one of the words. Parsing the others isn't worth it.
  const candidates = files.filter(
    ([, text]) => names.some((name) => text.includes(`${name}(`)) || text.includes('node:crypto'),
  );
  return [...new Set(candidates.flatMap(([path, text]) => callsIn(path, text, minted)))].sort();
}

describe('the places that create tokens', () => {
  const files = sourceFiles(SRC).map((path) => [path, readFileSync(path, 'utf8')] as const);

  it('are all in the table with the kinds of tokens that they create, or the reason why they create none', () => {
    expect(placesIn(files)).toEqual(Object.keys(PLACES).sort());
  });

  it('create every kind of token', () => {
    const made = Object.values(PLACES).flatMap((each) => ('tokens' in each ? each.tokens : []));
    expect([...new Set(made)].sort()).toEqual([...TOKEN_KINDS].sort());
  });

  it('are found in every form of import', () => {
    const path = join(SRC, 'identity/people/new.ts');
    const written = [
      `import { randomBytes as bytes } from 'node:crypto';\nexport const newLink = () => bytes(32);`,
      `import { newToken } from '../session/session.service';\nexport class Links { make() { return [1].map(() => newToken()); } }`,
      `import crypto from 'node:crypto';\nexport function other() { return crypto.randomUUID(); }`,
    ];
    expect(written.flatMap((text) => placesIn([[path, text]]))).toEqual([
      'identity/people/new.ts newLink',
      'identity/people/new.ts make',
      'identity/people/new.ts other',
    ]);
  });
});
