import 'reflect-metadata';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const lineCount = (text: string): number => text.trimEnd().split('\n').length;

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...filesUnder('docs').filter((path) => path.endsWith('.md')),
];

function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

/** Anchors as they are made of headings: lower case, without punctuation, spaces as hyphens. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(DOCUMENTS)('%s', (document) => {
  const text = read(document);
  // What is in a code block is shown, not linked.
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');

  it('links only to files and headings that exist', () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const dead = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? document : join(dirname(document), path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/\bnpm run (?:-s )?([a-z][a-z0-9:-]*[a-z0-9])/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** Paths of this tree as documents name them: from the root, or in backticks from a module's folder on. */
function pathsIn(text: string): string[] {
  const rooted = [...text.matchAll(/(?<![\w/.-])(?:src|packages|test|docs|web|bench|scripts|deploy)\/[\w./-]*[\w/]/g)];
  const homes = ['packages', 'src'].flatMap((home) =>
    readdirSync(join(ROOT, home)).map((name) => [name, home] as const),
  );
  const homeOf = new Map(homes.filter(([name]) => !name.includes('.')));
  const quoted = [...text.matchAll(/`(([a-z-]+)\/[a-z0-9./-]+)`/g)].filter(([, , folder = '']) => homeOf.has(folder));
  return [
    ...rooted.map(([path]) => path),
    ...quoted.map(([, path = '', folder = '']) => `${homeOf.get(folder)}/${path}`),
  ];
}

describe('the paths that the documents name', () => {
  // Recipes plant what they name (recipes.spec.ts), a team writes what extending.md names, the comparison names files of others, the changelog what was moved.
  const own = [...DOCUMENTS, 'SECURITY.md'].filter(
    (path) => !/(recipes|extending|CONTRIBUTING|comparison|CHANGELOG)\.md$/.test(path),
  );

  it.each(own)('exist: %s', (document) => {
    const missing = pathsIn(read(document)).filter((path) => !existsSync(join(ROOT, path)));
    expect(missing).toEqual([]);
  });
});

describe('the documents', () => {
  it.each([
    ['README.md', 110],
    ['CONTRIBUTING.md', 200],
    ['docs/architecture.md', 200],
  ])('%s is no longer than %i lines', (document, most) => {
    expect(lineCount(read(document))).toBeLessThanOrEqual(most);
  });

  it('docs/decisions/README.md lists every decision once', () => {
    const notes = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name));
    const listed = [...read('docs/decisions/README.md').matchAll(/\]\((\d{4}-[^)]+)\)/g)].map(([, name]) => name);
    expect(listed).toEqual(notes.sort());
    expect(notes.map((name) => name.slice(0, 4))).toEqual([...new Set(notes.map((name) => name.slice(0, 4)))]);
  });

  it.each(readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name)))(
    'the decision note %s has the headings of all notes',
    (name) => {
      const headings = [...read(`docs/decisions/${name}`).matchAll(/^#{1,2} .+$/gm)].map(([line]) => line);
      const [title = '', ...sections] = headings;
      expect(title).toMatch(new RegExp(`^# ${name.slice(0, 4)} \\S`));
      expect(sections).toEqual(['## Status', '## Question', '## Decision', '## Costs', '## Alternatives']);
    },
  );

  it('README names only settings that exist', () => {
    const known = [...read('src/platform/config/config.ts').matchAll(/@Env\('(\w+)'\)/g)].map(([, name]) => name);
    const section = /^## Configuration\n([\s\S]*?)^## /m.exec(read('README.md'))?.[1] ?? '';
    const named = [...section.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

interface FaultEntry {
  /** `F12`, or empty. */
  number: string;
  fault: string;
  expected: string;
  observed: string;
  tests: string[];
}

/** The entries of docs/reliability.md: a fault, and below it what was expected, what was observed and its tests. */
function faultEntries(): FaultEntry[] {
  const items = read('docs/reliability.md').split(/^(?=- |#)/m);
  return items
    .filter((item) => item.includes('\n  - Expected: '))
    .map((item) => {
      const [title = '', expected = '', observed = '', tests = ''] = item.split(/\n {2}- (?:Expected|Observed|Test): /);
      const [, number = '', fault = ''] = /^- (?:\*\*(F\d+)\*\* )?([\s\S]*)$/.exec(title) ?? [];
      return {
        number,
        fault,
        expected,
        observed,
        tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
      };
    });
}

describe('the entries of docs/reliability.md', () => {
  const entries = faultEntries();

  it('docs/reliability.md has every numbered fault once', () => {
    const left = [6, 9, 14, 20, 23, 37, 48, 58, 60];
    const given = Array.from({ length: 61 }, (_, index) => index + 1).filter((number) => !left.includes(number));
    const numbers = entries.map(({ number }) => number).filter((number) => number !== '');
    expect(numbers.sort()).toEqual(given.map((number) => `F${number}`).sort());
  });

  it('docs/reliability.md says for each fault what was expected and observed, and names specs that exist', () => {
    expect(entries.length).toBeGreaterThan(70);
    const bad = entries.filter(
      ({ fault, expected, observed, tests }) =>
        [fault, expected, observed].includes('') ||
        tests.length === 0 ||
        !tests.every((file) => /^(test|src)\/.+\.spec\.ts$/.test(file) && existsSync(join(ROOT, file))),
    );
    expect(bad).toEqual([]);
  });
});

interface ModuleRow {
  imports: string[];
  tables: string[];
}

/** The table of modules in docs/architecture.md. */
function documentedModules(): Map<string, ModuleRow> {
  const rows = read('docs/architecture.md').matchAll(/^\| `([a-z-]+)` +\|([^|]*)\|[^|]*\|([^|]*)\|$/gm);
  return new Map(
    [...rows].map(([, name = '', imports = '', tables = '']) => [
      name,
      {
        imports: imports
          .split(',')
          .map((other) => other.trim())
          .filter(Boolean),
        tables: [...tables.matchAll(/`(\w+)`/g)].map(([, table = '']) => table),
      },
    ]),
  );
}

describe('the table of modules in docs/architecture.md', () => {
  const modules = documentedModules();

  it('the module table has the modules and edges that test/repository/architecture.spec.ts allows', () => {
    const plan = /const ALLOWED[^{]*\{([\s\S]*?)\n\};/.exec(read('test/repository/architecture.spec.ts'))?.[1] ?? '';
    const allowed = [...plan.matchAll(/^ {2}'?([a-z-]+)'?: \[([^\]]*)\],$/gm)].map(([, name = '', list = '']) => [
      name,
      [...list.matchAll(/'([a-z-]+)'/g)].map(([, other = '']) => other),
    ]);
    expect(allowed.length).toBeGreaterThan(10);
    expect(Object.fromEntries([...modules].map(([name, { imports }]) => [name, imports]))).toEqual(
      Object.fromEntries(allowed),
    );
  });

  it('the module table has every table that the migrations create', () => {
    const migrations = filesUnder('src/platform/database/migrations').map(read).join('\n');
    const made = [...migrations.matchAll(/CREATE TABLE (\w+) /g)].map(([, table = '']) => table);
    const looped = [...migrations.matchAll(/\.\.\.\[([^\]]+)\]\.map\(\s*\(table\)/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/'(\w+)'/g)].map(([, table = '']) => table),
    );
    const documented = [...modules.values()].flatMap(({ tables }) => tables);
    expect([...new Set(documented)].sort()).toEqual([...new Set([...made, ...looped])].sort());
  });

  it('the module table names the module that writes each table', () => {
    const tables = new Set([...modules.values()].flatMap((row) => row.tables));
    const writes = filesUnder('src')
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.includes(`migrations${sep}`))
      .flatMap((path) =>
        writtenBy(read(path)).map((table) => ({ table, by: relative('src', path).split(sep)[0] ?? '' })),
      )
      .filter(({ table }) => tables.has(table));
    expect(new Set(writes.map(({ table }) => table)).size).toBeGreaterThan(15);
    const strangers = writes.filter(({ table, by }) => !modules.get(by)?.tables.includes(table));
    expect(strangers).toEqual([]);
  });
});

/** Tables that a source file writes, by SQL or through their entity. */
function writtenBy(source: string): string[] {
  const sql = [...source.matchAll(/\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+([a-z_]+)/g)].map(([, table = '']) => table);
  const entities = [...source.matchAll(/\bmanager\.(?:insert|update|delete|save|upsert)\(([A-Z]\w+)/g)];
  const snake = (name: string) => name.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return [...sql, ...entities.map(([, name = '']) => snake(name))];
}
