import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { OPTIONS } from '../../web/help/search-options';
import { helpForPath, PAGES_BY_PATH } from '../../web/help/dashboard-pages';
import { LINKED_HELP } from '../../web/src/logic/help-topic';
import { readJson, readText, ROOT } from './project-files';

interface Group {
  title?: string;
  pages: (string | { path: string; source?: string })[];
}
const NAVIGATION = readJson('docs/navigation.json') as { title: string; groups: Group[] }[];
const LISTED = NAVIGATION.flatMap(({ groups }) => groups).flatMap(({ pages }) =>
  pages.map((entry) => (typeof entry === 'string' ? entry : entry.path)),
);
/** Pages for developers of the project, and the start page, which is not in the list. */
const NOT_LISTED = /^(README$|contributing\/|decisions\/|exports\/)/;
/** Pages that explain a whole topic instead of one task. They have their own structure. */
const TOPICS = new Set([
  'guides/locations/probes',
  'guides/automate/configuration-as-code',
  'guides/automate/typescript-client',
  'guides/automate/mcp',
  'guides/migrate/moving-in',
  'guides/people/people',
  'guides/people/single-sign-on',
  'guides/operate/reverse-proxies',
  'guides/operate/organizations',
  'guides/operate/scaling',
  'guides/extend/extending',
  'guides/extend/test-kit',
]);

const sourcesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));

describe('the list of pages in docs/navigation.json', () => {
  it('has every page of docs for users once', () => {
    const written = sourcesOf('docs').filter((file) => file.endsWith('.md'));
    const pages = written.map((file) => file.replace(/\.md$/, '')).filter((path) => !NOT_LISTED.test(path));
    expect(pages.filter((path) => !LISTED.includes(path))).toEqual([]);
    expect(LISTED).toHaveLength(new Set(LISTED).size);
  });

  it.each(LISTED.filter((path) => path.startsWith('guides/') && !TOPICS.has(path)))(
    '%s says what you need, what happens next, and where to continue, in at most 800 words',
    (path) => {
      const text = readText(`docs/${path}.md`);
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      expect(headings[0]).toBe('Before you start');
      expect(headings).toContain('What happens next');
      expect(headings.at(-1)).toBe('Next');
      const prose = text.replace(/^```[\s\S]*?^```$/gm, '').match(/[\p{L}\d'-]+/gu) ?? [];
      expect(prose.length).toBeLessThan(800);
    },
  );
});

describe('the help', () => {
  let folder: string;
  let pages: Map<string, string>;

  /** Returns a folder with the pages. `npm run build` uses the built template instead of its source. */
  function write(...options: string[]): string {
    const out = mkdtempSync(join(tmpdir(), 'uptime-help-'));
    cpSync(join(ROOT, 'web/help/index.html'), join(out, '.template'));
    const args = ['-r', './scripts/typescript.cjs', 'scripts/docs/build.mjs', '--out', out, ...options];
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'pipe' });
    return out;
  }

  beforeAll(() => {
    folder = write();
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
    const urlOf = (file: string) => `/help/${file === 'index.html' ? '' : file.replace(/\.html$/, '')}`;
    pages = new Map(files.map((file) => [urlOf(file), readFileSync(join(folder, file), 'utf8')]));
  }, 60_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const hasFragment = (html: string, hash: string): boolean =>
    hash === '' || html.includes(` id="${decodeURIComponent(hash.slice(1))}"`);

  it('has no dead link between its pages, headings, pictures, and Markdown', () => {
    const others = new Set(['/', '/docs', '/favicon.svg']);
    const dead = [...pages]
      .filter(([path]) => path !== '/help/not-found')
      .flatMap(([path, html]) =>
        [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link = '']) => {
          if (/^(https?:|mailto:)/.test(link) || link === './main.ts') return [];
          const { pathname, hash } = new URL(link.replaceAll('&amp;', '&'), `http://help${path}`);
          if (others.has(pathname)) return [];
          const page = pages.get(pathname);
          const isFile = /\.(png|md)$/.test(pathname) && existsSync(join(folder, pathname.replace('/help/', '')));
          return (page === undefined ? isFile : hasFragment(page, hash)) ? [] : [`${path}: ${link}`];
        }),
      );
    expect(pages.size).toBeGreaterThan(100);
    expect(dead).toEqual([]);
  });

  it('has every page and heading that the dashboard links to', () => {
    const missing = [...LINKED_HELP, ...PAGES_BY_PATH].filter((link) => {
      const [path = '', anchor] = link.split('#');
      const page = pages.get(`/help/${path}`);
      return page === undefined || !hasFragment(page, anchor === undefined ? '' : `#${anchor}`);
    });
    expect(missing).toEqual([]);
  });

  it.each([
    ['', ''],
    ['new', 'guides/monitor/website'],
    ['new/many', 'guides/monitor/many-at-once'],
    ['newest', ''],
    ['contacts/ct_01', 'guides/notify/contacts'],
    ['settings/probes', 'guides/locations/add-a-probe'],
    ['settings', 'guides/people/people'],
  ])('has for the page "%s" of the dashboard the page "%s"', (path, page) => {
    expect(helpForPath(path)).toBe(page);
  });

  it('has a heading for each error code of the API, which each page of the API links to', () => {
    const problems = pages.get('/help/reference/problems') ?? '';
    const { components } = readJson('docs/openapi.json') as {
      components: { schemas: { Problem: { properties: { code: { 'x-enumDescriptions': Record<string, string> } } } } };
    };
    const codes = Object.keys(components.schemas.Problem.properties.code['x-enumDescriptions']);
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !problems.includes(` id="${code}"`))).toEqual([]);
  });

  it('lists every setting, metric, command, and route', () => {
    const text = (path: string): string => readFileSync(join(folder, `${path}.md`), 'utf8');
    const settings = [...readText('src/platform/config/config.ts').matchAll(/@Env\('(\w+)'\)/g)].map(
      ([, name]) => name,
    );
    expect(settings.filter((name) => !text('reference/settings').includes(`\n### ${name}\n`))).toEqual([]);

    const metrics = sourcesOf('src')
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .flatMap((file) => [...readText(`src/${file}`).matchAll(/name: '(uptime_\w+)'/g)].map(([, name]) => name));
    expect(metrics.filter((name) => !text('reference/metrics').includes(`| \`${name}\` |`))).toEqual([]);

    expect(text('reference/cli')).toMatch(/^## uptime plan$[^]*^### uptime probes create$/m);

    const { paths, tags } = readJson('docs/openapi.json') as {
      paths: Record<string, Record<string, { operationId: string }>>;
      tags: { name: string }[];
    };
    const api = LISTED.filter((path) => path.startsWith('reference/api/'))
      .map(text)
      .join('\n');
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.filter((route) => !api.includes(`\n\`${route}\`\n`))).toEqual([]);
    expect(LISTED.filter((path) => path.startsWith('reference/api/'))).toHaveLength(tags.length - 1);
  });

  it('is readable after at most 40 KB: a page, without scripts and pictures', () => {
    const sizes = [...pages].map(([path, html]) => ({ path, bytes: gzipSync(html).length }));
    // The style and the script add at most 16 KiB (web/check-budget.mjs).
    expect(sizes.filter(({ bytes }) => bytes > 24 * 1024)).toEqual([]);
  });

  it('has a list of all pages for language models, whose links work from the root', () => {
    const list = readFileSync(join(folder, 'llms.txt'), 'utf8');
    const links = [...list.matchAll(/\]\(help\/([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.map((link) => link.replace(/\.md$/, ''))).toEqual(LISTED);
    expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
  });

  it('names only pages that exist in the Markdown of each page', () => {
    const files = [...pages.keys()]
      .filter((path) => path !== '/help/not-found')
      .map((path) => path.slice(6) || 'index');
    const dead = files.flatMap((file) =>
      [...readFileSync(join(folder, `${file}.md`), 'utf8').matchAll(/\]\(([^)\s#]+\.md)(?:#[^)]*)?\)/g)].flatMap(
        ([, link = '']) => {
          const target = new URL(link, `http://help/${file}`).pathname.slice(1);
          return existsSync(join(folder, target)) ? [] : [`${file}: ${link}`];
        },
      ),
    );
    expect(dead).toEqual([]);
  });

  it('is also a website for any web server, without links to a running service', () => {
    const site = write('--site');
    const page = readFileSync(join(site, 'guides/monitor/cron-job.html'), 'utf8');
    const links = [...page.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, link = '']) => link);
    const local = links.filter((link) => !/^(#|https?:)/.test(link)).map((link) => link.split('#')[0] ?? '');
    expect(local.length).toBeGreaterThan(100);
    expect(local.filter((link) => !existsSync(join(site, 'guides/monitor', link)))).toEqual([]);
    expect(page).not.toContain('>Dashboard<');
    expect(existsSync(join(site, 'not-found.html'))).toBe(false);
    rmSync(site, { recursive: true, force: true });
  }, 60_000);

  describe('the search', () => {
    const searches = readJson('test/repository/help-searches.json') as [query: string, page: string][];
    let search: (query: string) => string[];

    beforeAll(() => {
      const index = MiniSearch.loadJSON(readFileSync(join(folder, 'search.json'), 'utf8'), OPTIONS);
      search = (query) => index.search(query).map(({ url }) => (url as string).split('#')[0] ?? '');
    });

    it('is tested with at least 30 queries', () => {
      expect(searches.length).toBeGreaterThanOrEqual(30);
    });

    it.each(searches)('finds for "%s" first %s', (query, page) => {
      expect(search(query)[0]).toBe(page);
    });

    it('finds nothing for a text that is in no page', () => {
      expect(search('zzqxv')).toEqual([]);
    });
  });
});
