import { findPostgres } from '../harness/database/postgres-cluster';
import { NEXT_MIGRATION, TEAM_MIGRATION } from './next-version';
import { prints } from './page';
import { COMMANDS, liveAsTeam, type TeamLife } from './team';

const LIMIT_MS = 900_000;

let life: TeamLife;
beforeAll(async () => void (life = await liveAsTeam()), LIMIT_MS);

const titles = COMMANDS.map((step) => [step.heading, step.lines.trimEnd().split('\n').at(-1) ?? '', step] as const);

describe('docs/guides/extend/extending.md, followed in an empty folder with the packed package', () => {
  it('leads to a first green test, with the seconds of each step measured by a script', () => {
    const steps = /^ +[\d.]+ s {2}npm test\n +[\d.]+ s {2}from the empty folder to the first green test$/m;
    expect(life.firstGreenTest).toEqual({ code: 0, output: expect.stringMatching(steps) });
    process.stdout.write(life.firstGreenTest.output);
  });

  it.each(titles)('%s: "%s" works and prints the documented output', (_heading, _line, step) => {
    const { code, output } = life.ended.get(step) ?? { code: null, output: 'not carried out' };
    if (code !== 0 || !prints(output, step.shown ?? '…')) throw new Error(`ended with ${code}:\n${output}`);
  });

  it.each([
    ['EXTENSIONS', 0],
    ['its own main', 1],
    ['EXTENSIONS, after the upgrade', 2],
  ])('shows the routes and types of the team in /docs and its document when it is started by %s', (_how, start) => {
    const shown = life.shown[start];
    expect(shown?.reference).toEqual({ status: 200, type: expect.stringContaining('text/html') });
    expect(Object.keys(shown?.document.paths ?? {})).toEqual(
      expect.arrayContaining(['/api/v1/invoices', '/api/v1/endpoints/{id}']),
    );
    for (const word of ['MEMCACHED', 'SynapseConfig', 'createInvoice', '"invoice"'])
      expect(shown?.document.text).toContain(word);
  });
});

describe('the next version of the package, installed over it', () => {
  it('is the one that runs', () => {
    expect(JSON.parse(life.installed)).toMatchObject({ name: 'uptime-monitor', version: life.nextVersion });
  });

  it("runs the service's migration first and the team's after it, although the team's is older by its name", () => {
    const ran = life.shown.map(({ log }) => [...log.matchAll(/Migrated: (\w+)/g)].map(([, name]) => name));
    expect(ran[0]).toContain('Invoices1800000000000');
    expect(ran[2]).toEqual([NEXT_MIGRATION, TEAM_MIGRATION]);
  });

  it('finds all data that was stored before', () => {
    const { alert, entries, invoices } = life.before;
    expect(life.before).toMatchObject({
      website: { status: 200, body: { name: 'Shop' } },
      endpoint: { status: 200, body: { type: 'MEMCACHED', url: 'memcached://127.0.0.1:11211' } },
      alert: { status: 200, body: { type: 'synapse' } },
      entries: { status: 200, body: [{ action: 'create', resource: 'invoice' }] },
      invoices: { status: 200, body: [{ title: 'November' }, { title: 'December' }] },
    });
    expect(life.upgraded).toMatchObject({
      website: { status: 200, body: { name: 'Shop' } },
      endpoint: { status: 200, body: { type: 'MEMCACHED', url: 'memcached://127.0.0.1:11211' } },
      alert,
      entries,
      invoices,
    });
  });

  it('lets no second process use its data while it runs', () => {
    expect(life.second).toEqual({ code: 1, output: expect.stringContaining('is in use by process') });
  });
});

(findPostgres() === null ? describe.skip : describe)(
  'two processes of the next version, started at once on one PostgreSQL',
  () => {
    it('run each migration once, of the service and of the team', () => {
      const logs = (life.together ?? []).map(({ output }) => output);
      const ran = logs.flatMap((log) => [...log.matchAll(/Migrated: (\w+)/g)].map(([, name = '']) => name));
      expect(life.together).toMatchObject([{ code: 0 }, { code: 0 }]);
      expect(ran.toSorted()).toEqual([...new Set(ran)].toSorted());
      expect(ran).toEqual(expect.arrayContaining([NEXT_MIGRATION, TEAM_MIGRATION]));
    });
  },
);

describe('the service without the extension', () => {
  it('starts, reports that the tables stay, and serves all built-in routes', () => {
    expect(life.without.log).toContain(
      'Extension \\"billing\\" is no longer loaded. Its tables and their rows are kept',
    );
    expect(life.without).toMatchObject({ website: { status: 200 }, invoices: { status: 404 } });
  });

  it('has everything again when the extension is back', () => {
    expect(life.back.invoices).toEqual(life.upgraded.invoices);
    expect(life.back.alert).toEqual(life.upgraded.alert);
    expect(life.back).toMatchObject({
      endpoint: { status: 200, body: { type: 'MEMCACHED' } },
      entries: life.upgraded.entries,
    });
  });
});
