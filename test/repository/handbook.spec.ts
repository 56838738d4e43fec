import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, readText, readYaml, ROOT } from './project-files';

describe('the handbook', () => {
  const metrics = new Set(
    readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .flatMap((name) =>
        [...readText(`src/${name}`).matchAll(/name: '(uptime_\w+)'/g)].map(([, metric = '']) => metric),
      ),
  );
  const handbook = readText('docs/reference/operations.md');

  it('explains every metric that exists, and no other', () => {
    expect(metrics.size).toBeGreaterThan(20);
    const explained = new Set([...handbook.matchAll(/\buptime_[a-z_]+/g)].map(([name]) => name));
    expect([...metrics].filter((name) => !explained.has(name))).toEqual([]);
    expect([...explained].filter((name) => !metrics.has(name) && name !== 'uptime_')).toEqual([]);
  });

  it('has alert rules over existing metrics, each with a severity and a summary', () => {
    interface Rule {
      alert: string;
      expr: string;
      labels: { severity: string };
      annotations: { summary: string };
    }
    const { groups } = readYaml('deploy/prometheus/alerts.yaml') as { groups: { rules: Rule[] }[] };
    const rules = groups.flatMap(({ rules: each }) => each);
    expect(rules.length).toBeGreaterThan(8);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, expr, labels, annotations } of rules) {
      for (const [name] of expr.matchAll(/\buptime_[a-z_]+/g)) {
        expect([alert, metrics.has(name.replace(/_(bucket|sum|count)$/, ''))]).toEqual([alert, true]);
      }
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(20);
    }
  });

  it('has a Grafana dashboard over existing metrics, whose panels do not overlap and describe themselves', () => {
    interface Panel {
      type: string;
      title: string;
      description?: string;
      gridPos: { x: number; y: number; w: number; h: number };
      targets?: { expr: string }[];
    }
    const { panels } = readJson('deploy/grafana/dashboard.json') as { panels: Panel[] };
    const graphs = panels.filter(({ type }) => type !== 'row');
    expect(graphs.length).toBeGreaterThan(15);
    for (const { title, description = '', targets = [] } of graphs) {
      expect([title, description.length > 5, targets.length > 0]).toEqual([title, true, true]);
      const names = targets.flatMap(({ expr }) => [...expr.matchAll(/\buptime_[a-z_]+/g)].map(([name]) => name));
      const unknown = names.filter((name) => !metrics.has(name.replace(/_(bucket|sum|count)$/, '')));
      expect([title, unknown]).toEqual([title, []]);
    }
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  it('explains every problem of the API, as the API document does', () => {
    const { problemsPage } = require('../../scripts/problems-page.cjs') as {
      problemsPage: (document: unknown) => string;
    };
    const withoutLayout = (text: string): string => text.replace(/-{3,}/g, '---').replace(/ +\|/g, ' |');
    expect(withoutLayout(readText('docs/reference/problems.md'))).toBe(
      withoutLayout(problemsPage(readJson('docs/openapi.json'))),
    );
  });

  it('operations.md and SECURITY.md link only to existing files and name only existing scripts', () => {
    const { scripts } = readJson('package.json') as { scripts: Record<string, string> };
    for (const [path, folder] of [
      ['docs/reference/operations.md', 'docs/reference'],
      ['SECURITY.md', '.'],
    ] as const) {
      const text = readText(path);
      for (const [, link = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        expect([path, link, existsSync(join(ROOT, folder, link))]).toEqual([path, link, true]);
      }
      for (const [, name = ''] of text.matchAll(/npm run ([a-z:-]+)/g)) expect(Object.keys(scripts)).toContain(name);
    }
  });

  it('operations.md lists only log lines that the source writes', () => {
    const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|cjs)$/.test(name) && !name.endsWith('.spec.ts'))
      .map((name) => readText(`src/${name}`))
      .join('\n');
    const table = handbook.slice(handbook.indexOf('## Log messages'));
    const lines = [...table.matchAll(/^\| ([^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line),
    );
    expect(lines.length).toBeGreaterThan(20);
    const parts = lines.flatMap((line) => line.split(/…|\bn\b/)).map((part) => part.trim());
    expect(parts.filter((part) => !source.includes(part))).toEqual([]);
  });
});
