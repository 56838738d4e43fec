import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { eventually } from '../../packages/testing/eventually';
import { buildService, ServiceProcess, watch } from '../harness/processes/service-process';
import { fakeTime, SetClock } from '../harness/machine/set-clock';

/** At these moments, local clocks in Berlin are set forward and back by an hour. */
const SUMMER = '2027-03-28T01:00:00Z';
const WINTER = '2027-10-31T01:00:00Z';
/** 2^31 seconds since 1970. */
const OVERFLOW = '2038-01-19T03:14:08Z';
const BEFORE_MS = 600_000;
/** From here on, the clock isn't moved anymore. */
const APPROACH_MS = 2500;

interface Check {
  checked_at: string;
  outcome: string;
}

const suite = fakeTime === null ? describe.skip : describe;

suite('clock changes and the end of 32-bit time (skipped without faketime)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'uptime-calendar-'));
  const clock = new SetClock();
  let target: SwitchableServer;
  let hook: SwitchableServer;
  let service: ServiceProcess;

  beforeAll(async () => {
    buildService();
    [target, hook] = await Promise.all([SwitchableServer.start(), SwitchableServer.start()]);
  }, 180_000);
  afterAll(async () => {
    await service.kill();
    clock.remove();
    await Promise.all([target.close(), hook.close()]);
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);

  const setBefore = (moment: string, ms: number) => clock.setTo(new Date(Date.parse(moment) - ms).toISOString());

  /** Starts the service and its embedded database with a clock ten minutes before the moment. */
  async function startBefore(moment: string): Promise<void> {
    setBefore(moment, BEFORE_MS);
    const zone = { DATA_DIR: directory, TZ: 'Europe/Berlin' };
    service = await ServiceProcess.start('', { ...zone, ...clock.env });
  }

  /** Returns the checks, newest first. */
  const checksOf = async (endpoint: string) => (await service.api.get<Check[]>(`/endpoints/${endpoint}/checks`)).body;

  /** Checks continue across the moment, in UTC, all up, and never in a burst. */
  async function passes(moment: string, endpoint: string): Promise<void> {
    const at = Date.parse(moment);
    const begun = async () =>
      (await checksOf(endpoint)).filter((each) => Date.parse(each.checked_at) > at - 2 * BEFORE_MS);
    await eventually(`checks before ${moment}`, async () => (await begun()).length > 0, 60_000);
    setBefore(moment, APPROACH_MS);
    const after = (check: Check) => Date.parse(check.checked_at) > at + 1000;
    await eventually(`checks after ${moment}`, async () => (await begun()).filter(after).length >= 3, 60_000);
    const checks = await begun();
    expect(checks.map(({ outcome }) => outcome)).toEqual(checks.map(() => 'up'));
    expect(checks.every(({ checked_at: text }) => /^20\d\d-\d\d-\d\dT[\d:.]+Z$/.test(text))).toBe(true);
    const times = checks.map((each) => Date.parse(each.checked_at)).reverse();
    // One check may start late, or half an interval early on a new grid. The next one is on time.
    const spans = times.slice(2).map((time, place) => time - (times[place] ?? 0));
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(1000);
    expect(Math.min(...times)).toBeLessThan(at);
  }

  async function stop(): Promise<void> {
    service.signal('SIGTERM');
    expect(await service.ended()).toBe(0);
  }

  it('checks evenly over summer time, winter time and the end of 32-bit seconds, with every setting at its maximum', async () => {
    await startBefore(SUMMER);
    const largest = {
      endpoint: { interval: 86_400, timeout: 300 },
      alert: { failure_threshold: 100, success_threshold: 100 },
    };
    const slow = await watch(service.api, 1, target.url, hook.url, largest);
    const fast = await watch(service.api, 1, target.url, hook.url);
    const [rare = '', often = ''] = [...slow.endpoints, ...fast.endpoints];
    await passes(SUMMER, often);
    expect(await checksOf(rare)).toHaveLength(1);
    await stop();

    await startBefore(WINTER);
    await passes(WINTER, often);
    await stop();

    await startBefore(OVERFLOW);
    await passes(OVERFLOW, often);
    target.status = 500;
    await eventually('the alert is delivered', () => hook.seen.length > 0);
    target.status = 200;
    await eventually('its resolve is delivered', () => hook.seen.length > 1);
    const received = hook.seen.map(({ body }) => JSON.parse(body) as { type: string; timestamp: string });
    expect(received.map(({ type }) => type)).toEqual(['alert.triggered', 'alert.resolved']);
    for (const { timestamp } of received) expect(timestamp).toMatch(/^2038-01-19T03:1\d:/);
    // The number of missed days does not matter.
    expect((await checksOf(rare)).filter((each) => each.checked_at > '2038').length).toBeLessThanOrEqual(1);
    expect(service.hasEnded).toBe(false);
    await stop();
  }, 240_000);
});
