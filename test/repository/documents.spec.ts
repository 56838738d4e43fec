import 'reflect-metadata';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Config, loadConfig } from '../../src/platform/config/config';
import type { KeptRows, Retention } from '../../src/platform/jobs/retention.job';

const ROOT = resolve(__dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

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

/** Returns the anchors of headings: lower case, without punctuation, with hyphens for spaces. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(DOCUMENTS)('%s', (document) => {
  const text = read(document);
  // Text in a code block is shown, not linked.
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

/** Returns the paths of this tree in a document: from the root, or in backticks from a module's folder. */
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
  // Some paths don't exist in this tree. Recipes create the files that they name (recipes.spec.ts), and the team
  // writes the files in extending.md. The comparison names files of other projects. The changelog names files that
  // were moved, and a decision names files of its time.
  const own = [...DOCUMENTS, 'SECURITY.md'].filter(
    (path) => !/(recipes|extending|CONTRIBUTING|comparison|CHANGELOG)\.md$|decisions\//.test(path),
  );

  it.each(own)('exist: %s', (document) => {
    const missing = pathsIn(read(document)).filter((path) => !existsSync(join(ROOT, path)));
    expect(missing).toEqual([]);
  });
});

describe('the documents', () => {
  it('docs/decisions/README.md lists every decision once', () => {
    const notes = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name));
    const listed = [...read('docs/decisions/README.md').matchAll(/\]\((\d{4}-[^)]+)\)/g)].map(([, name]) => name);
    expect(listed).toEqual(notes.sort());
    expect(notes.map((name) => name.slice(0, 4))).toEqual([...new Set(notes.map((name) => name.slice(0, 4)))]);
  });

  const known = [...read('src/platform/config/config.ts').matchAll(/@Env\('(\w+)'\)/g)].map(([, name]) => name);

  it.each(['docs/guides/people/people.md', 'docs/guides/people/single-sign-on.md'])('the settings that %s shows are accepted', (document) => {
    const lines = [...read(document).matchAll(/^([A-Z][A-Z_]+)=(.*?)(?: +#.*)?$/gm)];
    const settings = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
    expect(settings).toHaveProperty('GROUP_ROLES');
    expect(Object.keys(settings).filter((name) => !known.includes(name))).toEqual([]);
    expect(() => loadConfig(settings)).not.toThrow();
  });

  it('README names only settings that exist', () => {
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
  tests: string[];
}

/** The entries of docs/contributing/reliability.md: a fault with its expected result, other observations, and its tests. */
function faultEntries(): FaultEntry[] {
  const items = read('docs/contributing/reliability.md').split(/^(?=- |#)/m);
  return items
    .filter((item) => item.includes('\n  - Expected: '))
    .map((item) => {
      const parts = item.split(/\n {2}- (?:Expected|Observed|Test): /);
      const [title = '', expected = ''] = parts;
      const tests = item.includes('\n  - Test: ') ? (parts.at(-1) ?? '') : '';
      const [, number = '', fault = ''] = /^- (?:\*\*(F\d+)\*\* )?([\s\S]*)$/.exec(title) ?? [];
      return {
        number,
        fault,
        expected,
        tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
      };
    });
}

describe('the entries of docs/contributing/reliability.md', () => {
  const entries = faultEntries();

  it('docs/contributing/reliability.md has every numbered fault once', () => {
    const left = [6, 9, 14, 20, 23, 37, 48, 58, 60];
    const given = Array.from({ length: 61 }, (_, index) => index + 1).filter((number) => !left.includes(number));
    const numbers = entries.map(({ number }) => number).filter((number) => number !== '');
    expect(numbers.sort()).toEqual(given.map((number) => `F${number}`).sort());
  });

  it('docs/contributing/reliability.md describes the expected behavior for each fault, and names specs that exist', () => {
    expect(entries.length).toBeGreaterThan(70);
    const bad = entries.filter(
      ({ fault, expected, tests }) =>
        [fault, expected].includes('') ||
        tests.length === 0 ||
        !tests.every((file) => /^(test|src)\/.+\.spec\.ts$/.test(file) && existsSync(join(ROOT, file))),
    );
    expect(bad).toEqual([]);
  });
});

const ARCHITECTURE = read('docs/contributing/architecture.md');

const sectionOf = (text: string, title: string): string =>
  new RegExp(`^## ${title}\\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(text)?.[1] ?? '';

interface ModuleRow {
  imports: string[];
  tables: string[];
}

/** Returns the list of modules in docs/contributing/architecture.md: name, imports, purpose, and the tables it writes. */
function documentedModules(): Map<string, ModuleRow> {
  const list = sectionOf(ARCHITECTURE, 'Modules');
  const items = list.matchAll(/^- `([a-z-]+)` \(([^)]*)\): ((?:.+\n?)(?: {2}.+\n?)*)/gm);
  return new Map(
    [...items].map(([, name = '', imports = '', text = '']) => [
      name,
      {
        imports: imports === 'imports nothing' ? [] : imports.split(',').map((other) => other.trim()),
        tables: [...(/Writes\s+([^]*)/.exec(text)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(([, table = '']) => table),
      },
    ]),
  );
}

describe('the modules in docs/contributing/architecture.md', () => {
  const modules = documentedModules();

  it('the list of modules has the modules and edges that test/repository/architecture.spec.ts allows', () => {
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

  it('the list of modules has every table that the migrations create', () => {
    const migrations = filesUnder('src/platform/database/migrations').map(read).join('\n');
    const made = [...migrations.matchAll(/CREATE TABLE (\w+) /g)].map(([, table = '']) => table);
    const documented = [...modules.values()].flatMap(({ tables }) => tables);
    expect([...new Set(documented)].sort()).toEqual([...new Set(made)].sort());
  });

  it('the list of modules names the module that writes each table', () => {
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

interface Job {
  name: string;
  file: string;
  role: 'any' | 'worker';
}

/** Below `src`, without specs. */
const sources = filesUnder('src')
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
  .map((path) => ({ file: relative('src', path), text: read(path) }));

/** Every `jobs.create({ name: … })` in the source. */
const JOBS: readonly Job[] = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/\bjobs\.create\(\{\s*name: '([a-z-]+)'[^]*?\}\)/g)].map(([call, name = '']) => ({
    name,
    file,
    role: call.includes("role: 'any'") ? 'any' : 'worker',
  })),
);

/**
 * Returns the items of a list that end with a file: `` - `name`, period: text (`file`) ``. A line may have two names.
 */
const listedJobs = (text: string) =>
  [...text.matchAll(/^- (.+) \(`(\S+)`\)$/gm)].flatMap(([, item = '', file = '']) =>
    [...item.matchAll(/`([a-z-]+)`(?:, ([^:,`]+))?/g)].map(([, name = '', period = '']) => ({
      name,
      period,
      file,
      item,
    })),
  );

const UNITS = [
  [60_000, 'min'],
  [1000, 's'],
] as const;
const periodOf = (ms: number): string =>
  UNITS.flatMap(([unit, word]) => (ms % unit ? [] : `${ms / unit} ${word}`))[0] ?? '';

/** Returns the period of a cron expression, with or without seconds. */
function cronPeriod(cron: string): string {
  const [second = '', minute, hour] = cron.split(' ').length === 6 ? cron.split(' ') : `0 ${cron}`.split(' ');
  if (second.startsWith('*/')) return `${second.slice(2)} s`;
  if (minute === '*' || minute === '*/1') return '1 min';
  return hour === '*' ? '1 h' : 'daily';
}

function periodsIn(file: string): string[] {
  const classes = Object.values(require(join(ROOT, 'src', file)) as object).filter(
    (value) => typeof value === 'function',
  );
  const methods = classes.flatMap((type: { prototype?: object }) =>
    Object.values(Object.getOwnPropertyDescriptors(type.prototype ?? {})).map(
      ({ value }) => value as object | undefined,
    ),
  );
  return methods
    .filter((method) => typeof method === 'function')
    .flatMap((method) => {
      const { timeout } = (Reflect.getMetadata('SCHEDULE_INTERVAL_OPTIONS', method) ?? {}) as { timeout?: number };
      const { cronTime } = (Reflect.getMetadata('SCHEDULE_CRON_OPTIONS', method) ?? {}) as { cronTime?: string };
      return [...(timeout ? [periodOf(timeout)] : []), ...(cronTime ? [cronPeriod(cronTime)] : [])];
    });
}

describe('the background jobs in docs/contributing/architecture.md', () => {
  const section = sectionOf(ARCHITECTURE, 'Background jobs');
  const timers = sources.filter(({ text }) => /^ {2}@(?:Cron|Interval)\(/m.test(text)).map(({ file }) => file);

  it('lists each background job once, by name, file and role', () => {
    expect(JOBS.length).toBeGreaterThan(12);
    expect(JOBS).toHaveLength(sources.flatMap(({ text }) => text.match(/\bjobs\.create\(/g) ?? []).length);
    const [inAll = '', inWorkers = ''] = section.split('Only without `ROLE=api`:');
    const listed = (part: string, role: Job['role']): Job[] =>
      listedJobs(part).map(({ name, file }) => ({ name, file, role }));
    const byName = (a: Job, b: Job) => a.name.localeCompare(b.name);
    expect([...listed(inAll, 'any'), ...listed(inWorkers, 'worker')].sort(byName)).toEqual([...JOBS].sort(byName));
  });

  it('shows how often each job runs', () => {
    const wrong = listedJobs(section).filter(({ file, period }) => !periodsIn(file).includes(period));
    expect(wrong).toEqual([]);
  });

  it('names every file that has a timer of Nest', () => {
    expect(timers.length).toBeGreaterThan(12);
    expect(timers.filter((file) => !section.includes(`\`${file}\``))).toEqual([]);
  });
});

/** Every constant `…: Retention = {` in the source, with its file. */
const RETENTIONS = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/^export const (\w+): Retention = /gm)].flatMap(([, constant = '']) => {
    const { [constant]: retention } = require(join(ROOT, 'src', file)) as Record<string, Retention>;
    const isAdded = sources.some((source) => source.text.includes(`retention.add(${constant})`));
    return retention ? [{ file, retention, isAdded }] : [];
  }),
);

/**
 * Returns `ROLLUP_RETENTION_DAYS`, `90 days`, `1 day`, or nothing for rows that are removed regardless of their age.
 */
function keptText({ days }: KeptRows): string[] {
  if (typeof days === 'number') return days === 0 ? [] : [days === 1 ? '1 day' : `${days} days`];
  const read = new Set<string>();
  days(new Proxy(new Config(), { get: (_, key) => (read.add(String(key)), 1) }));
  return [...read].map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
}

describe('the retentions in docs/contributing/architecture.md', () => {
  const section = sectionOf(ARCHITECTURE, 'Data retention');
  const listed = listedJobs(section);

  it('lists each retention once, with its file, the processes it runs in, and its interval', () => {
    expect(RETENTIONS.length).toBeGreaterThan(4);
    expect(RETENTIONS.filter(({ isAdded }) => !isAdded)).toEqual([]);
    const line = (name: string, file: string, isEverywhere: boolean, isDaily: boolean) =>
      [name, file, isEverywhere && 'everywhere', isDaily && 'daily'].filter(Boolean).join(' ');
    const rows = RETENTIONS.map(({ file, retention: { name, role, restMs } }) =>
      line(name, file, role === 'any', restMs !== undefined),
    );
    const found = listed.map(({ name, file, item, period }) =>
      line(name, file, item.includes('also with `ROLE=api`'), period === 'daily'),
    );
    expect(found.sort()).toEqual(rows.sort());
  });

  it.each(RETENTIONS)('shows how long $retention.name keeps its rows', ({ retention }) => {
    const item = listed.find(({ name }) => name === retention.name)?.item;
    const missing = retention.rows.flatMap(keptText).filter((text) => !item?.includes(text));
    expect(missing).toEqual([]);
  });

  it('names every job that removes old or deleted rows', () => {
    const removing = JOBS.filter(({ name }) => /-(?:retention|purge)$/.test(name));
    expect(removing.length).toBeGreaterThan(3);
    expect(removing.filter(({ name }) => !section.includes(`\`${name}\``))).toEqual([]);
  });

  it('names every setting of a retention', () => {
    const settings = [...read('src/platform/config/config.ts').matchAll(/@Env\('(\w+_RETENTION_DAYS)'\)/g)];
    expect(settings.length).toBeGreaterThan(1);
    expect(settings.filter(([, name = '']) => !section.includes(`\`${name}\``))).toEqual([]);
  });
});

/** Returns the tables that a source file writes, by SQL or through their entity. */
function writtenBy(source: string): string[] {
  const sql = [...source.matchAll(/\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+([a-z_]+)/g)].map(([, table = '']) => table);
  const entities = [...source.matchAll(/\bmanager\.(?:insert|update|delete|save|upsert)\(([A-Z]\w+)/g)];
  const snake = (name: string) => name.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return [...sql, ...entities.map(([, name = '']) => snake(name))];
}
