import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

const SRC = resolve(__dirname, '../../src');

/** What each folder of src may import from the others. `platform` knows no feature; `checker` and `channel` no database. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  audit: ['platform'],
  identity: ['audit', 'platform'],
  checker: ['platform'],
  channel: ['platform'],
  website: ['identity', 'audit', 'platform'],
  endpoint: ['website', 'checker', 'audit', 'platform'],
  history: ['endpoint', 'website', 'checker', 'platform'],
  delivery: ['channel', 'audit', 'platform'],
  alert: ['delivery', 'endpoint', 'website', 'channel', 'checker', 'audit', 'platform'],
  monitoring: ['alert', 'history', 'endpoint', 'checker', 'audit', 'platform'],
  stream: ['alert', 'history', 'identity', 'platform'],
  'status-page': ['website', 'endpoint', 'history', 'audit', 'platform'],
  dashboard: ['platform'],
  start: ['identity', 'platform'],
  cli: ['checker', 'platform'],
};

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return path.endsWith('.ts') && !path.endsWith('.spec.ts') ? [path] : [];
  });
}

interface Source {
  path: string;
  text: string;
  /** Files of ours it imports; `typeOnly` imports are erased by the compiler. */
  imports: { path: string; typeOnly: boolean }[];
}

function read(path: string): Source {
  const text = readFileSync(path, 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, false);
  const imports = file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const specifier = statement.moduleSpecifier;
    if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.')) return [];
    const typeOnly = ts.isImportDeclaration(statement) && isTypeOnly(statement.importClause);
    return [{ path: `${resolve(dirname(path), specifier.text)}.ts`, typeOnly }];
  });
  return { path, text, imports };
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const { namedBindings } = clause;
  return (
    !clause.name &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((element) => element.isTypeOnly)
  );
}

const sources = filesUnder(SRC).map(read);
const folderOf = (path: string): string => relative(SRC, path).split(sep)[0] ?? '';
const isInModule = (path: string): boolean => relative(SRC, path).includes(sep);
const short = (path: string): string => relative(SRC, path);

/** Every cycle that a depth-first walk over value imports meets. */
function cycles(): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      found.push([...trail.slice(trail.indexOf(path)), path].map(short).join(' → '));
      return;
    }
    state.set(path, 'open');
    for (const next of byPath.get(path)?.imports ?? []) if (!next.typeOnly) visit(next.path, [...trail, path]);
    state.set(path, 'done');
  };
  for (const { path } of sources) visit(path, []);
  return found;
}

describe('the house', () => {
  it('has only rooms that the plan knows', () => {
    const rooms = new Set(sources.filter(({ path }) => isInModule(path)).map(({ path }) => folderOf(path)));
    expect([...rooms].filter((room) => !(room in ALLOWED))).toEqual([]);
  });

  it('has a plan without cycles', () => {
    const level = (room: string, trail: readonly string[]): number => {
      if (trail.includes(room)) throw new Error(`${[...trail, room].join(' → ')} is a cycle`);
      return 1 + Math.max(0, ...(ALLOWED[room] ?? []).map((other) => level(other, [...trail, room])));
    };
    for (const room of Object.keys(ALLOWED)) expect(level(room, [])).toBeGreaterThan(0);
  });

  it('lets a room import only what the plan allows', () => {
    const wrong = sources
      .filter(({ path }) => isInModule(path))
      .flatMap(({ path, imports }) =>
        imports
          .map((target) => ({
            from: folderOf(path),
            to: isInModule(target.path) ? folderOf(target.path) : 'the top level',
            path,
            target: target.path,
          }))
          .filter(({ from, to }) => from !== to && !(ALLOWED[from] ?? []).includes(to))
          .map(({ target }) => `${short(path)} imports ${short(target)}`),
      );
    expect(wrong).toEqual([]);
  });

  it('imports only files that exist', () => {
    const known = new Set(sources.map(({ path }) => path));
    expect(
      sources.flatMap(({ path, imports }) =>
        imports.filter((target) => !known.has(target.path)).map((target) => `${short(path)}: ${short(target.path)}`),
      ),
    ).toEqual([]);
  });

  it('has no import cycles between files', () => {
    expect(cycles()).toEqual([]);
  });

  it('has no barrels', () => {
    expect(sources.filter(({ path }) => /[/\\]index\.ts$/.test(path)).map(({ path }) => short(path))).toEqual([]);
    const barrels = sources.filter(({ text }) => /^export (\*|\{[^}]*\}) from /m.test(text));
    expect(barrels.map(({ path }) => short(path))).toEqual([]);
  });

  it.each([
    ['forwardRef', /\bforwardRef\b/],
    ['any', /(:|<|\bas)\s*any\b/],
    ['URL.canParse (wrong for Latin-1 text on Node 20; see read-url.ts)', /URL\.canParse\(/],
    ['synchronize: true', /synchronize:\s*true/],
    ['session advisory locks', /pg_(try_)?advisory_lock\s*\(/],
    ['a deep import of Nest', /from '@nestjs\/[a-z-]+\/[a-z]/],
  ])('does without %s', (_, pattern) => {
    expect(sources.filter(({ text }) => pattern.test(text)).map(({ path }) => short(path))).toEqual([]);
  });

  it('keeps databases and routes out of checkers and channels', () => {
    const wrong = sources
      .filter(({ path }) => ['checker', 'channel'].includes(folderOf(path)))
      .filter(
        ({ text, imports }) =>
          /@Controller\(|from 'typeorm'/.test(text) ||
          imports.some((target) => /platform\/database\//.test(target.path)),
      );
    expect(wrong.map(({ path }) => short(path))).toEqual([]);
  });

  it('lists every checker and channel in its shelf', () => {
    for (const shelf of ['checker', 'channel']) {
      const listed = readFileSync(join(SRC, shelf, `${shelf}.module.ts`), 'utf8');
      const files = sources.filter(({ path }) => path.endsWith(`.${shelf}.ts`));
      expect(files.length).toBeGreaterThan(5);
      for (const { path } of files)
        expect(listed).toContain(`'./${relative(join(SRC, shelf), path).replace(/\.ts$/, '')}'`);
    }
  });

  it('has short constructors: at most six things', () => {
    const long = sources.filter(({ text }) => {
      if (!/@(Injectable|Controller|Module)\(/.test(text)) return false;
      const parameters = /constructor\(([^)]*(?:\([^)]*\)[^)]*)*)\)\s*\{/.exec(text)?.[1] ?? '';
      return parameters.split(/,\s*\n/).filter((parameter) => parameter.trim() !== '').length > 6;
    });
    expect(long.map(({ path }) => short(path))).toEqual([]);
  });

  it('sets how memory is collected before anything else is loaded', () => {
    expect(readFileSync(join(SRC, 'main.ts'), 'utf8')).toMatch(/^import '\.\/start\/gc-flags';/);
  });
});
