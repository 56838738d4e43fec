/** @lane slow */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversion } from '../../../packages/convert/index';
import type { ConfigurationPlanView } from '../../../src/configuration/plan/plan.dto';
import { startApp, type TestApp } from '../../harness/app/app';

const fixture = (name: string): string => readFileSync(join(__dirname, '../../fixtures/moving-in', name), 'utf8');

/** The environment variables of Gatus. */
const VARIABLES = {
  SLACK_URL: 'https://hooks.slack.com/services/T0/B0/all',
  PAGERDUTY_KEY: '0123456789abcdef0123456789abcdef',
  SMTP_PASSWORD: 'correct horse',
  TELEGRAM_TOKEN: '1:a',
  API_TOKEN: 'Bearer abc',
};
/** The URL isn't a credential. Anyone who may read sees it. */
const HOME_URL = 'https://home.bakery.example/';

/** The UUID of a check of healthchecks. */
const UUID = '31365bce-8da9-4729-8ff3-aaa71d56b712';

/** The address ranges in the fixtures. */
const DOCUMENTATION = ['192.0.2.0/24', '2001:db8::/32'];

describe('Migration from another tool', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp({ role: 'api', egressPrivate: 'allow', egressAllow: DOCUMENTATION });
  });
  afterAll(() => app.close());

  const convert = async (from: string, text: string, key: string): Promise<Conversion> => {
    const response = await fetch(`${app.url}/api/v1/configuration/convert?from=${from}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
      body: text,
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Conversion;
  };

  it.each<[from: string, file: string, more: Readonly<Record<string, string>>, old: readonly string[]]>([
    ['gatus', 'gatus.yaml', VARIABLES, []],
    ['uptime-kuma', 'uptime-kuma-1.json', {}, ['/api/push/tS3cr3tPush?status=up&msg=OK&ping=']],
    ['uptime-kuma', 'uptime-kuma-2.jsonl', {}, []],
    ['healthchecks', 'healthchecks.json', {}, [`/ping/${UUID}`, `/${UUID}`]],
    ['prometheus-blackbox', 'prometheus-blackbox.yml', {}, []],
    ['uptimerobot', 'uptimerobot.json', {}, []],
  ])(
    'from %s (%s): convert, plan, apply, nothing is left to do, nor for the export, and jobs ping the same URLs',
    async (from, file, more, old) => {
      const { read, write } = await app.organization(file);
      const plan = async (document: object) => {
        const { status, text, body } = await read.post<ConfigurationPlanView>('/configuration/plan', document);
        return { status, text, changes: body.changes };
      };
      const { document, report } = await convert(from, fixture(file), read.key ?? '');
      expect(report.length).toBeGreaterThan(0);
      const { secrets, ...declared } = { ...document, owner: 'team' };
      const credentials = Object.values({ ...secrets, ...more });
      const values = { ...secrets, ...more, HOME_URL };

      const planned = await plan({ ...declared, secrets: values });
      expect(planned).toMatchObject({ status: 200 });
      expect(planned.changes.filter(({ action }) => action !== 'create')).toEqual([]);
      expect(planned.changes.filter(({ resource }) => resource === 'endpoint')).toHaveLength(
        (declared.websites ?? []).reduce((sum, { endpoints = [] }) => sum + endpoints.length, 0),
      );
      for (const value of credentials) expect(planned.text).not.toContain(value);

      expect((await write.put('/configuration', { ...declared, secrets: values })).status).toBe(200);
      expect(await plan(declared)).toMatchObject({ status: 200, changes: [] });

      const exported = await write.get<object>('/configuration?owner=team');
      for (const value of credentials) expect(exported.text).not.toContain(value);
      expect(await plan(exported.body)).toMatchObject({ status: 200, changes: [] });

      if (old.length === 0) return;
      const [job] = (await write.get<{ id: string; website_id: string }[]>('/endpoints?key=nightly-backup')).body;
      const website = await write.get<{ ping_key: string }>(`/websites/${job?.website_id}`);
      const addresses = [...old, `/ping/${website.body.ping_key}/nightly-backup`];
      for (const path of addresses) expect([path, (await fetch(app.url + path)).status]).toEqual([path, 200]);
      const checks = await read.get<{ outcome: string }[]>(`/endpoints/${job?.id}/checks`);
      expect(checks.body.map(({ outcome }) => outcome)).toEqual(addresses.map(() => 'up'));
    },
  );
});
