import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

const SRC = resolve(__dirname, '../../src');
const PACKAGES = resolve(__dirname, '../../packages');

/**
 * The allowed imports between the folders of src and packages. `platform` knows no feature. `checker`, `channel`, and
 * `engine` know no database.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  audit: ['platform'],
  identity: ['audit', 'platform'],
  'probe-protocol': ['checker'],
  probe: ['probe-protocol', 'identity', 'audit', 'platform'],
  // Settings and channel configs use the same rules and marks.
  checker: ['channel', 'platform'],
  engine: ['checker', 'platform'],
  'probe-agent': ['engine', 'checker', 'probe-protocol', 'platform'],
  channel: ['platform'],
  'alert-rule': ['platform'],
  website: ['identity', 'audit', 'platform'],
  endpoint: ['probe', 'website', 'identity', 'engine', 'checker', 'channel', 'audit', 'platform'],
  maintenance: ['endpoint', 'website', 'identity', 'audit', 'platform'],
  history: ['endpoint', 'website', 'probe', 'engine', 'checker', 'platform'],
  delivery: ['channel', 'audit', 'platform'],
  contact: ['alert-rule', 'delivery', 'identity', 'channel', 'audit', 'platform'],
  incident: ['endpoint', 'website', 'identity', 'checker', 'audit', 'platform'],
  alert: [
    'alert-rule',
    'contact',
    'delivery',
    'incident',
    'endpoint',
    'website',
    'probe',
    'identity',
    'channel',
    'checker',
    'audit',
    'platform',
  ],
  monitoring: ['alert', 'history', 'endpoint', 'probe', 'probe-protocol', 'engine', 'checker', 'audit', 'platform'],
  heartbeat: ['monitoring', 'history', 'endpoint', 'identity', 'engine', 'checker', 'audit', 'platform'],
  stream: ['alert', 'incident', 'endpoint', 'history', 'identity', 'platform'],
  'status-page': ['incident', 'website', 'endpoint', 'identity', 'history', 'audit', 'platform'],
  report: ['status-page', 'history', 'endpoint', 'website', 'identity', 'audit', 'platform'],
  configuration: [
    'status-page',
    'maintenance',
    'alert',
    'contact',
    'delivery',
    'endpoint',
    'probe',
    'website',
    'identity',
    'channel',
    'checker',
    'audit',
    'platform',
    'convert',
  ],
  dashboard: ['platform'],
  extension: ['audit', 'platform'],
  start: ['app', 'extension', 'identity', 'probe-agent', 'platform'],
  client: [],
  convert: [],
  cli: ['client', 'checker', 'identity', 'audit', 'platform'],
  testing: [
    'app',
    'extension',
    'probe-agent',
    'probe-protocol',
    'heartbeat',
    'delivery',
    'endpoint',
    'identity',
    'channel',
    'checker',
    'platform',
  ],
  exports: [
    'app',
    'extension',
    'monitoring',
    'alert',
    'incident',
    'website',
    'endpoint',
    'identity',
    'channel',
    'checker',
    'audit',
    'platform',
  ],
};

/** Each checker has its own folder. None imports another one's. */
function protocols(): string[] {
  const folders = readdirSync(join(SRC, 'checker'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).filter((name) => name !== 'assertion');
}

/**
 * The stages inside a module (its subfolders), each with the stages that it may import. Files outside of stages are
 * the module's wiring, or words that several stages share. Cycles between files are refused everywhere.
 */
const STAGES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  platform: {
    text: [],
    cache: [],
    time: ['cache'],
    capacity: ['cache'],
    access: ['capacity', 'config', 'problem', 'time'],
    problem: ['text'],
    ids: ['problem'],
    config: ['text'],
    net: ['cache', 'capacity', 'config', 'text', 'time'],
    database: ['config', 'text', 'time'],
    events: ['database'],
    secrets: ['config', 'database', 'ids'],
    observability: ['access', 'config', 'database', 'net', 'time'],
    jobs: ['config', 'database', 'observability', 'time'],
    http: [
      'access',
      'cache',
      'capacity',
      'config',
      'database',
      'ids',
      'jobs',
      'observability',
      'problem',
      'secrets',
      'text',
      'time',
    ],
    openapi: ['problem'],
  },
  'platform/net': { egress: [], dns: ['egress'], dial: ['dns', 'egress'], http: ['dial', 'egress'] },
  'platform/http': { load: [], body: ['load'], csv: [], precondition: [], idempotency: ['precondition'] },
  'platform/database': { embedded: ['migrations'], migrations: [], connection: [], dump: ['connection'] },
  'platform/database/migrations': { initial: [] },
  identity: {
    quota: [],
    'api-key': ['quota'],
    organization: ['api-key', 'quota'],
    person: [],
    session: ['api-key', 'organization', 'person', 'quota'],
    people: ['api-key', 'organization', 'person', 'quota', 'session'],
    proxy: ['people', 'person', 'session'],
    'single-sign-on': ['people', 'person', 'session'],
  },
  checker: { assertion: [], ...Object.fromEntries(protocols().map((protocol) => [protocol, ['assertion']])) },
  channel: {
    kind: [],
    config: [],
    template: ['config', 'kind'],
    email: ['config', 'kind'],
    declared: ['config', 'kind', 'template'],
    vendor: ['config', 'kind', 'template'],
  },
  endpoint: {
    heartbeat: [],
    locations: [],
    search: ['locations', 'settings'],
    suppression: ['search'],
    settings: ['heartbeat', 'locations'],
    sitemap: ['settings'],
    bin: ['locations', 'settings'],
  },
  delivery: { config: [], plan: [], send: ['config', 'plan'] },
  alert: {
    contact: [],
    suppression: [],
    episode: ['suppression'],
    acknowledgement: ['episode'],
    event: ['episode'],
    timeline: ['suppression'],
    reminder: ['episode', 'suppression'],
    expiry: ['episode', 'suppression'],
    consistency: [],
  },
  history: {
    write: [],
    rollup: [],
    read: ['rollup', 'write'],
    website: ['read'],
    overview: [],
    prometheus: [],
    retention: ['write'],
  },
  'status-page': { render: [], public: ['render'], settings: ['public'] },
  report: { uptime: [], link: ['uptime'], shared: ['link', 'uptime'] },
  configuration: {
    document: [],
    convert: ['document'],
    plan: ['document'],
    export: ['document', 'plan'],
    apply: ['document', 'plan'],
  },
  convert: { gatus: [], 'prometheus-blackbox': [], 'uptime-kuma': [] },
  'convert/gatus': { condition: [] },
  'convert/uptime-kuma': { file: [], monitor: ['file'] },
  client: { layer: [] },
  cli: {
    uptime: [],
    database: [],
    incident: ['uptime'],
    probe: ['uptime'],
    mcp: ['incident', 'uptime'],
    people: ['database', 'uptime'],
  },
  testing: {
    servers: [],
    checker: [],
    channel: ['servers'],
    providers: ['channel', 'servers'],
    service: ['checker'],
    probe: ['checker', 'service'],
    contract: ['servers', 'service'],
  },
  'testing/contract': {
    document: [],
    session: ['document'],
    rules: ['document', 'session'],
    resources: ['document', 'session', 'rules'],
    behaviour: ['document', 'session'],
  },
  'configuration/plan': { state: [], changes: ['state'] },
  engine: { queue: [], run: [], dispatch: ['run'] },
  'probe-agent': { server: [], slots: ['server'], results: ['server', 'slots'] },
  monitoring: {
    record: [],
    'before-trigger': ['record'],
    probes: ['record', 'before-trigger'],
    source: ['record', 'probes'],
  },
  'monitoring/probes': { ask: [], poll: ['ask'], intake: ['ask'], presence: [] },
  'monitoring/source': {
    scheduled: [],
    passive: [],
    'on-demand': [],
  },
};

/** The files of a package that others import, instead of the files inside it. */
const DOORS = [join('convert', 'index.ts'), join('testing', 'index.ts')];

/** The server code that the converters use, in addition to types: functions of texts, and constants. */
const PURE: Readonly<Record<string, readonly string[]>> = {
  'alert-rule/alert-rule': ['MAX_THRESHOLD', 'REMIND_EVERY_BOUNDS'],
  'channel/config/config-masking': ['isMasked'],
  'platform/config/check-bounds': ['INTERVAL_BOUNDS'],
  'checker/assertion/assertion-rules': ['MAX_ASSERTIONS', 'assertionProblems'],
  'checker/assertion/json-number': ['numberIn', 'numberKey'],
  'checker/assertion/json-path-rules': ['jsonPathProblem'],
  'checker/assertion/number-ranges': ['parseRanges'],
  'checker/check-request': ['HTTP_METHODS'],
  'checker/checker': ['InvalidTarget', 'parseHostPort'],
  'checker/dns/dns-target': ['DNS_RECORD_TYPES', 'parseDnsTarget'],
  'checker/http/http-target': ['parseHttpTarget'],
  'checker/request-headers': ['headerProblem', 'isSensitiveHeader'],
  'checker/tls-settings': ['unverifiedProblem'],
  'checker/url-credentials': ['mayHoldCredential'],
  'configuration/document/document': ['MAX_RESOURCES'],
  'configuration/document/document-text': ['readDocumentText'],
  'configuration/document/keys': ['keyFrom', 'slugFrom'],
  'endpoint/heartbeat/heartbeat-rules': ['typeProblems'],
  'endpoint/heartbeat/heartbeat-schedule': ['EVERY_BOUNDS', 'HEARTBEAT'],
  'endpoint/settings/settings-size': ['sizeProblems'],
  'platform/time/cron-calendar': ['readCron'],
  'platform/time/time-zone': ['isTimeZone', 'momentOfWall'],
  'maintenance/window-rules': ['MAX_DURATION_SECONDS', 'MIN_DURATION_SECONDS', 'problemsOfFields', 'problemsOfTimes'],
  'platform/net/egress/host-name': ['bracketed', 'normalizeHost'],
  'platform/problem/problem': ['problems'],
  'platform/text/json': ['isRecord'],
  'platform/text/read-url': ['readUrl'],
  'platform/text/text-limits': ['cut', 'oneLine'],
  'platform/time/time-units': ['DAY_MS', 'HOUR_MS', 'MINUTE_MS', 'SECOND_MS'],
  'status-page/settings/page-rules': ['SLUG'],
  'website/tags': ['MAX_TAGS', 'isTag', 'tagSet'],
  'website/website-url': ['parseWebsiteUrl'],
};

const PLATFORM_TABLES = ['server_secret', 'idempotency_key', 'extension_migration'];
/** Lists that cover the whole database by nature, and the only way to join a user's name. */
const NAMING_TABLES = [
  'platform/database/migrations/',
  'platform/secrets/sealed-columns.ts',
  'platform/access/author.ts',
];

/** Packages that consist of one file. */
const LIGHT = ['reflect-metadata', 'ipaddr.js'];

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
  /**
   * Imported files of this project. The compiler erases `typeOnly` imports, and `late` ones are loaded on first use.
   */
  imports: { path: string; names: string[]; typeOnly: boolean; late: boolean }[];
  /** Imported packages, without late and type-only imports. */
  packages: string[];
}

function read(path: string): Source {
  const text = readFileSync(path, 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, false);
  const declared = file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const specifier = statement.moduleSpecifier;
    if (!specifier || !ts.isStringLiteral(specifier)) return [];
    const typeOnly = ts.isImportDeclaration(statement) ? isTypeOnly(statement.importClause) : statement.isTypeOnly;
    return [{ name: specifier.text, names: namesIn(statement), typeOnly, late: false }];
  });
  const late = [...text.matchAll(/\brequire\('([^']+)'\)/g)].map(([, name = '']) => ({
    name,
    names: ['*'],
    typeOnly: false,
    late: true,
  }));
  const isOurs = ({ name }: { name: string }): boolean => name.startsWith('.');
  const imports = [...declared, ...late].filter(isOurs).flatMap(({ name, ...how }) => {
    const target = resolve(dirname(path), name);
    // Files that an old Node must also understand are JavaScript and import nothing.
    if (target.endsWith('.cjs')) return [];
    const declared = `${target}.d.ts`;
    return [{ path: existsSync(declared) ? declared : `${target}.ts`, ...how }];
  });
  const packages = declared.filter((each) => !isOurs(each) && !each.typeOnly).map(({ name }) => name);
  return { path, text, imports, packages };
}

/** Returns the values that a statement imports by name, or `*` for all of them. */
function namesIn(statement: ts.ImportDeclaration | ts.ExportDeclaration): string[] {
  const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause;
  if (!bindings || ts.isNamespaceImport(bindings) || ts.isNamespaceExport(bindings)) return ['*'];
  return bindings.elements.flatMap(({ name, propertyName, isTypeOnly }) =>
    isTypeOnly ? [] : [(propertyName ?? name).text],
  );
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

const sources = [SRC, PACKAGES].flatMap(filesUnder).map(read);
const isPackaged = (path: string): boolean => path.startsWith(PACKAGES + sep);
/** Returns the path as in dist, where the packages are next to the modules. */
const short = (path: string): string => relative(isPackaged(path) ? PACKAGES : SRC, path);
const folderOf = (path: string): string => short(path).split(sep)[0] ?? '';
const isInModule = (path: string): boolean => short(path).includes(sep);

/**
 * Returns every cycle in a depth-first walk over imports, including type imports, because files that refer to each
 * other are one unit.
 */
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
    for (const next of byPath.get(path)?.imports ?? []) visit(next.path, [...trail, path]);
    state.set(path, 'done');
  };
  for (const { path } of sources) visit(path, []);
  return found;
}

/** Returns the files that are loaded with this one before it does anything, including itself. */
function loadedWith(path: string, found = new Map<string, Source>()): Source[] {
  const source = sources.find((each) => each.path === path);
  if (!source) throw new Error(`there is no ${path}`);
  found.set(path, source);
  for (const next of source.imports)
    if (!next.typeOnly && !next.late && !found.has(next.path)) loadedWith(next.path, found);
  return [...found.values()];
}

function expectAcyclic(graph: Readonly<Record<string, readonly string[]>>): void {
  const level = (name: string, trail: readonly string[]): number => {
    if (trail.includes(name)) throw new Error(`${[...trail, name].join(' → ')} is a cycle`);
    return 1 + Math.max(0, ...(graph[name] ?? []).map((other) => level(other, [...trail, name])));
  };
  for (const name of Object.keys(graph)) expect(level(name, [])).toBeGreaterThan(0);
}

describe('the modules of src and packages', () => {
  it('has no module that the plan does not know', () => {
    const modules = new Set(sources.filter(({ path }) => isInModule(path)).map(({ path }) => folderOf(path)));
    expect([...modules].filter((name) => !(name in ALLOWED))).toEqual([]);
  });

  it('plans the modules without cycles', () => {
    expectAcyclic(ALLOWED);
  });

  it('lets a module import only what the plan allows', () => {
    const wrong = sources
      .filter(({ path }) => isInModule(path))
      .flatMap(({ path, imports }) =>
        imports
          .map((target) => ({
            from: folderOf(path),
            to: isInModule(target.path) ? folderOf(target.path) : 'app',
            path,
            target: target.path,
          }))
          .filter(({ from, to }) => from !== to && from !== 'convert' && !(ALLOWED[from] ?? []).includes(to))
          .map(({ target }) => `${short(path)} imports ${short(target)}`),
      );
    expect(wrong).toEqual([]);
  });

  // Code that the server does not need isn't part of it.
  it('lets the server import no package but the converters', () => {
    const wrong = sources
      .filter(({ path }) => !isPackaged(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter((target) => isPackaged(target.path) && short(target.path) !== join('convert', 'index.ts'))
          .map((target) => `${short(path)} imports ${short(target.path)}`),
      );
    expect(wrong).toEqual([]);
  });

  it('lets the converters import only types and pure code of the server, and no package', () => {
    const own = sources.filter(({ path }) => isPackaged(path) && folderOf(path) === 'convert');
    const wrong = own.flatMap(({ path, imports }) =>
      imports
        .filter((target) => !target.typeOnly && folderOf(target.path) !== 'convert')
        .flatMap((target) => target.names.map((name) => [short(target.path).replace(/\.ts$/, ''), name] as const))
        .filter(([file, name]) => !PURE[file]?.includes(name))
        .map(([file, name]) => `${short(path)} imports ${name} of ${file}`),
    );
    expect(wrong).toEqual([]);
    expect(own.flatMap((source) => source.packages).filter((name) => !name.startsWith('node:'))).toEqual([]);
  });

  // They are clients of the API. Code that runs without the API is next to them.
  it('lets the commands of the API import only rules for texts from the server', () => {
    const wrong = sources
      .filter(({ path }) => /^cli[/\\](uptime|incident|mcp)[/\\]/.test(short(path)))
      .flatMap(({ path, imports }) =>
        imports
          .filter((target) => !isPackaged(target.path) && !short(target.path).startsWith(join('platform', 'text')))
          .map((target) => `${short(path)} imports ${short(target.path)}`),
      );
    expect(wrong).toEqual([]);
  });

  it('plans the stages of each module without cycles', () => {
    for (const stages of Object.values(STAGES)) expectAcyclic(stages);
  });

  it('has no sub-folder that is not a planned stage', () => {
    const folders = new Set(sources.map(({ path }) => short(dirname(path))).filter((folder) => folder.includes('/')));
    const unknown = [...folders].filter((folder) => !(STAGES[dirname(folder)] ?? {})[basename(folder)]);
    expect(unknown).toEqual([]);
  });

  it('lets a stage import only the stages of its module that the plan allows', () => {
    const wrong = Object.entries(STAGES).flatMap(([module, stages]) => {
      const stageOf = (path: string): string | null => {
        const [stage, ...rest] = relative(module, short(path)).split(sep);
        return stage === undefined || stage === '..' || rest.length === 0 ? null : stage;
      };
      return sources.flatMap(({ path, imports }) => {
        const from = stageOf(path);
        if (from === null) return [];
        return imports
          .filter((target) => {
            const to = stageOf(target.path);
            return to !== null && to !== from && !(stages[from] ?? []).includes(to);
          })
          .map((target) => `${short(path)} imports ${short(target.path)}`);
      });
    });
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

  // The exports of the package must be gathered somewhere. No file of this project imports that place.
  it("has no barrel files except the package's entry points", () => {
    const inside = sources.filter(({ path }) => folderOf(path) !== 'exports' && !DOORS.includes(short(path)));
    expect(inside.filter(({ path }) => /[/\\]index\.ts$/.test(path)).map(({ path }) => short(path))).toEqual([]);
    const barrels = inside.filter(({ text }) => /^export (\*|\{[^}]*\}) from /m.test(text));
    expect(barrels.map(({ path }) => short(path))).toEqual([]);
  });

  it.each([
    ['forwardRef', /\bforwardRef\b/],
    ['any', /(:|<|\bas)\s*any\b/],
    ['URL.canParse (wrong for Latin-1 text on Node 20; see read-url.ts)', /URL\.canParse\(/],
    ['synchronize: true', /synchronize:\s*true/],
    ['session advisory locks', /pg_(try_)?advisory_lock\s*\(/],
    ['a deep import of Nest', /from '@nestjs\/[a-z-]+\/[a-z]/],
  ])('does not use %s', (_, pattern) => {
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/ [^\n]*/g, '');
    expect(sources.filter(({ text }) => pattern.test(code(text))).map(({ path }) => short(path))).toEqual([]);
  });

  // A @Route does not compile without its access, its idempotency, and its handling of If-Match.
  it('declares each route of a controller by @Route, except the routes for supervisors and security.txt', () => {
    const own = /@(?:All|Get|Post|Put|Delete|Patch|Head|Options|Search|Sse)\(/;
    const others = sources.filter(({ path, text }) => path.endsWith('.controller.ts') && own.test(text));
    expect(others.map(({ path }) => short(path)).sort()).toEqual([
      join('dashboard', 'security-txt.controller.ts'),
      join('platform', 'observability', 'health.controller.ts'),
    ]);
  });

  // With an Idempotency-Key, a handler is one transaction. A separate read would wait forever for the one connection
  // of the embedded database. `Database` and its `manager` are part of that transaction, but a DataSource isn't.
  it('leaves every DataSource to platform/database', () => {
    const outside = sources.filter(
      ({ path }) => !short(path).startsWith(join('platform', 'database') + sep) && !path.endsWith('.spec.ts'),
    );
    expect(outside.filter(({ text }) => /\bdataSource\b/i.test(text)).map(({ path }) => short(path))).toEqual([]);
  });

  // Migrations create all tables. Commands also need the list of columns with secrets, and load no feature.
  it('keeps the tables of features out of platform', () => {
    const namesIn = (pattern: RegExp): string[] =>
      sources.flatMap(({ text }) => [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []));
    const entities = namesIn(/@Entity\('(\w+)'/g);
    const tables = [...entities, ...namesIn(/CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/g)];
    const theirs = tables.filter((name) => !PLATFORM_TABLES.includes(name));
    const named = new RegExp(
      `\\b(?:FROM|JOIN|INTO|UPDATE|TABLE) (?:ONLY )?(?:${theirs.join('|')})\\b|'(?:${entities.join('|')})'`,
    );
    expect([entities.length, theirs.length].every((count) => count > 4)).toBe(true);
    const wrong = sources
      .filter(
        ({ path }) => folderOf(path) === 'platform' && !NAMING_TABLES.some((file) => short(path).startsWith(file)),
      )
      .filter(({ text }) => named.test(text));
    expect(wrong.map(({ path }) => short(path))).toEqual([]);
  });

  it('keeps databases and routes out of checkers, channels and the engine', () => {
    const wrong = sources
      .filter(({ path }) => ['checker', 'channel', 'engine'].includes(folderOf(path)))
      .filter(
        ({ text, imports }) =>
          /@Controller\(|from 'typeorm'/.test(text) ||
          imports.some((target) => /platform\/database\//.test(target.path)),
      );
    expect(wrong.map(({ path }) => short(path))).toEqual([]);
  });

  it('lists every checker and channel in its module', () => {
    for (const kind of ['checker', 'channel']) {
      const listed = readFileSync(join(SRC, kind, `${kind}.module.ts`), 'utf8');
      const files = sources.filter(({ path }) => path.endsWith(`.${kind}.ts`) && path.startsWith(join(SRC, kind)));
      const classes = files.flatMap(
        ({ text }) => text.match(/(?<=^@(?:Checker|Channel)\([^]*?^export class )\w+/gm) ?? [],
      );
      expect(classes.length).toBeGreaterThan(5);
      for (const name of classes) expect(listed).toMatch(new RegExp(`^ {4}${name},$`, 'm'));
      for (const { path } of files)
        expect(listed).toContain(`'./${relative(join(SRC, kind), path).replace(/\.ts$/, '')}'`);
    }
  });

  it('checks the version of Node and sets the flags of V8 and libuv before anything else is loaded', () => {
    const first = /^#!\/usr\/bin\/env node\nimport '\.\/start\/node-version\.cjs';\nimport '\.\/start\/runtime-flags';/;
    expect(readFileSync(join(SRC, 'main.ts'), 'utf8')).toMatch(first);
  });

  // The cost of reporting a mistake: a tenth of a second with these imports, more than a second with the application.
  it.each(['src/main.ts', 'packages/cli/keys.ts', 'packages/cli/backup.ts', 'packages/cli/rotate-secrets.ts'])(
    '%s validates settings and arguments before it loads Nest, TypeORM, or rules of class-validator',
    (entry) => {
      const packages = loadedWith(resolve(__dirname, '../..', entry)).flatMap((source) => source.packages);
      expect(packages.filter((name) => !name.startsWith('node:') && !LIGHT.includes(name))).toEqual([]);
    },
  );
});
