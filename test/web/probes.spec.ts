import type { Browser, Locator, Page } from 'playwright-core';
import { Database } from '../../src/platform/database/database';
import { parseId } from '../../src/platform/ids/id';
import {
  type AssignedEndpoint,
  POLL_PATH,
  type PollResponse,
  PROTOCOL,
  RESULTS_PATH,
  type ResultsResponse,
  type SentCheck,
} from '../../src/probe-protocol/protocol';
import { eventually } from '../../packages/testing/eventually';
import { startOwnApp, type TestApp } from '../harness/app/app';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { launchBrowser, Visit } from './browser';

jest.setTimeout(120_000);

const NO_PHASES = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, transfer_ms: null };
const GOOD: SentCheck = {
  outcome: 'up',
  duration_ms: 12,
  phases: NO_PHASES,
  status_code: 200,
  address: '192.0.2.1',
  certificate: null,
  records: null,
  redirects: [],
  error: null,
  warning: null,
};
const TIMED_OUT = { code: 'connection_timeout', phase: 'connect', message: 'No connection within 10 s.' } as const;
const BAD: SentCheck = { ...GOOD, outcome: 'down', status_code: null, address: null, error: TIMED_OUT };

/** A probe that says what it is told to say. */
class ToldProbe {
  private readonly session = crypto.randomUUID();

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  poll(): Promise<PollResponse> {
    return this.post(POLL_PATH, {
      ...{ standby: false, cursor: null, wait: 0, version: '0.0.1', types: ['HTTP'], clock: Date.now() },
      ...{ count: 0, digest: null, buffered: 0, dropped: 0, skipped: 0, lag_ms: 0, rtt_ms: 0 },
    });
  }

  /** Sends what it saw of the only endpoint it has, at the newest slot. */
  async saw(result: SentCheck): Promise<void> {
    let found: { of: AssignedEndpoint; now: number } | undefined;
    await eventually('the probe has its endpoint', async () => {
      const { endpoints, now } = await this.poll();
      if (endpoints[0]) found = { of: endpoints[0], now };
      return found !== undefined;
    });
    if (!found) return;
    const { endpoint_id, revision, interval, phase_ms } = found.of;
    const step = interval * 1000;
    const slot = Math.floor((found.now - phase_ms) / step) * step + phase_ms;
    const times = { slot, checked_at: found.now, ask: null, attempts: 1, first_error: null };
    const sent = await this.post<ResultsResponse>(RESULTS_PATH, {
      results: [{ endpoint_id, revision, ...times, result }],
    });
    expect(sent).toMatchObject({ recorded: 1, refused: [] });
  }

  private async post<T>(path: string, body: object): Promise<T> {
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${this.token}` },
      body: JSON.stringify({ protocol: PROTOCOL, session: this.session, ...body }),
    });
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  }
}

describe('probes in the dashboard', () => {
  let app: TestApp;
  let target: SwitchableServer;
  let browser: Browser;
  let visit: Visit;
  let page: Page;
  let frankfurt: ToldProbe;

  const section = (title: string): Locator =>
    page.locator('.section', { has: page.getByRole('heading', { name: title, exact: true }) });
  const row = (label: string, name: string): Locator =>
    page.getByRole('region', { name: label }).getByRole('row', { name: new RegExp(`^${name}`) });

  beforeAll(async () => {
    app = await startOwnApp();
    target = await SwitchableServer.start();
    browser = await launchBrowser();
    visit = await Visit.start(browser, app.url, { width: 320 });
    page = visit.page;
    await visit.signIn(app.admin.key ?? '');
  });
  afterAll(async () => {
    expect(visit.complaints).toEqual([]);
    await visit.close();
    await browser.close();
    await target.close();
    await app.close();
  });

  it('are added with a token that is shown once, and seen online as soon as they call', async () => {
    await visit.open('/settings/probes');
    await page.getByText('A probe is this program at another place').waitFor();
    await page.getByLabel('Key', { exact: true }).fill('fra');
    await page.getByLabel('Name (optional)').fill('Frankfurt');
    await page.getByRole('button', { name: 'Add probe' }).click();
    await page.getByText('Copy the token of “Frankfurt” now').waitFor();
    const token = (await page.locator('.once pre').textContent()) ?? '';
    expect(token).toMatch(/^ump_/);
    await page.getByRole('tab', { name: 'Docker' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('region', { name: 'Lines for Compose' }).textContent()).toContain(token);
    await row('Probes', 'Frankfurt').getByText('Not seen yet').waitFor();
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
    frankfurt = new ToldProbe(app.url, token);
    await frankfurt.poll();
    await row('Probes', 'Frankfurt').getByText('Online, with trouble').waitFor();
    await page.getByRole('button', { name: 'Details of Frankfurt' }).click();
    await page.getByText('Its version is before ours: update it.').waitFor();
    await page.reload();
    await row('Probes', 'Frankfurt').waitFor();
    expect(await page.locator('.once').count()).toBe(0);
  });

  it('are places of an endpoint: where one of three sees it down it is degraded, and says from where', async () => {
    const { body } = await app.admin.post<{ token: string }>('/probes', { key: 'virginia', name: 'Virginia' });
    const virginia = new ToldProbe(app.url, body.token);
    await virginia.poll();
    await visit.open('/new');
    await page.getByLabel('URL, host or host:port').fill(target.url);
    for (const name of ['Frankfurt', 'Virginia']) await page.getByLabel(name).check();
    await page.getByLabel('It is down when so many see it down').selectOption({ label: 'Most: 2 of 3 must agree' });
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
    await page.getByRole('button', { name: 'Create' }).click();
    await section('Locations').getByText('It is down when 2 of 3 say so.').waitFor();
    await Promise.all([frankfurt.saw(GOOD), virginia.saw(BAD)]);
    await page.locator('.head').getByText('1 of 3: virginia, connection timeout').waitFor();
    await page.locator('.head .state', { hasText: 'Degraded' }).waitFor();
    await row('Locations', 'Virginia').getByText('No connection within 10 s.').waitFor();
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
    await visit.open('/?location=fra');
    await page.getByText('1 of 3 down').waitFor();
    await page.getByLabel('Location').selectOption({ label: 'From Virginia' });
    await page.locator('.row').waitFor();
    expect(await visit.barriers()).toEqual([]);
  });

  it('are lost after a while, which a row of the endpoint says', async () => {
    const [endpoint] = (await app.write.get<{ id: string }[]>('/endpoints')).body;
    const long = `now() - interval '1 hour'`;
    await app.app.get(Database).query(
      `UPDATE endpoint_location SET assigned_at = ${long}, last_checked_at = ${long}, last_known_at = ${long}
        WHERE endpoint_id = $1 AND number = (SELECT number FROM probe WHERE key = 'fra')`,
      [parseId('endpoint', endpoint?.id)],
    );
    await visit.open(`/endpoints/${endpoint?.id}`);
    await row('Locations', 'Frankfurt').getByText('It does not count until it reports again').waitFor();
    await row('Locations', 'Frankfurt').getByText('Lost', { exact: true }).waitFor();
  });

  it('can be told of when they are lost, by an endpoint that a form is filled in for', async () => {
    await visit.open('/settings/probes');
    await page.getByRole('button', { name: 'Details of Frankfurt' }).click();
    expect(await page.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Tell me when it is lost' }).click();
    await page.getByLabel('Probe', { exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Probe Frankfurt');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.head .state', { hasText: 'Up' }).waitFor();
    await visit.open('/settings/probes');
    await page.getByRole('button', { name: 'Details of Frankfurt' }).click();
    await page.getByRole('link', { name: 'Told by Probe Frankfurt' }).waitFor();
    expect([await visit.overflow(), await visit.barriers()]).toEqual([0, []]);
  });
});
