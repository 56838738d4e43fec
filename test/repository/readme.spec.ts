/** @lane slow */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { eventually } from '../../packages/testing/eventually';
import { onTerminal, signInLinkIn, type Terminal } from '../harness/processes/terminal';

const ROOT = resolve(__dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const QUICKSTART = readFileSync(join(ROOT, 'docs/get-started/quickstart.md'), 'utf8');

const blocks = (language: string, page = README): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

interface Ended {
  code: number | null;
  output: string;
}

/** Returns ports without a listener. */
async function freePorts(count: number): Promise<string[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => SwitchableServer.start()));
  const ports = servers.map(({ url }) => new URL(url).port);
  await Promise.all(servers.map((server) => server.close()));
  return ports;
}

/** Runs a command line in a shell, as a reader does. */
const shell = (line: string, env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((settle) => {
    const child = execFile('bash', ['-c', line], { cwd: ROOT, env: { ...process.env, ...env } }, (_, stdout, stderr) =>
      settle({ code: child.exitCode, output: stdout + stderr }),
    );
  });

/** Returns the statuses of using a sign-in link twice, as the dashboard does. */
async function signInsWith(link: string): Promise<number[]> {
  const [url = '', token] = link.split('/#/sign-in/');
  const signIn = () =>
    fetch(`${url}/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sign_in_token: token }),
    });
  return [(await signIn()).status, (await signIn()).status];
}

describe('README', () => {
  const [story, ...otherStories] = blocks('sh', QUICKSTART);

  it('has no block of commands that this suite does not know', () => {
    expect(blocks('sh')).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n']);
    expect(otherStories).toEqual([]);
  });

  describe('followed from the top', () => {
    let directory: string;
    let service: Terminal;
    let banner: string;

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'uptime-readme-'));
      const settings = { DATABASE_URL: '', DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn' };
      service = onTerminal('exec npm start', ROOT, settings);
      await eventually('the banner', () => service.shown.includes('┘'), 120_000);
      banner = service.shown;
    }, 130_000);

    afterAll(async () => {
      await service.interrupt();
      rmSync(directory, { recursive: true, force: true });
    }, 40_000);

    it('the service starts with "npm start" and shows the printed banner', () => {
      const printed = blocks('text')[0] ?? '';
      const labels = [...printed.matchAll(/^│ ([A-Z][A-Za-z ]+?)(?: at http| {2}|:)/gm)].map(([, label]) => label);
      expect(labels).toEqual(['Uptime monitor is running', 'Dashboard', 'API reference', 'API key', 'Try it']);
      for (const label of labels) expect(banner).toContain(`│ ${label}`);
      expect(banner).toMatch(/API key +ums_a_\w+ /);
    });

    it('the command and the addresses of the banner work', async () => {
      const [key = '', request = ''] = banner.match(/(?<=│ {3})(export UPTIME_API_KEY=|curl -s ).*?(?= *│)/g) ?? [];
      expect(await shell(`${key}\n${request}`)).toEqual({ code: 0, output: '[]' });
      for (const label of ['Dashboard', 'API reference']) {
        const address = new RegExp(`${label} +(\\S+)`).exec(banner)?.[1] ?? '';
        expect([address, (await fetch(address)).status]).toEqual([address, 200]);
      }
    });

    it('the story of the quickstart works as written: a page is watched, breaks, and the receiver gets the message', async () => {
      const url = /running at (http\S+)/.exec(banner)?.[1] ?? '';
      const ports = ['3000', '8081', '8082'];
      // Unchanged except for the ports, which may be in use on this machine.
      const free = [new URL(url).port, ...(await freePorts(2))];
      const here = (story ?? '').replace(/\b(3000|8081|8082)\b/g, (port) => free[ports.indexOf(port)] ?? port);
      const [, key = ''] = /UPTIME_API_KEY=(\w+)/.exec(banner) ?? [];
      const { code, output } = await shell(here, { UPTIME_API_KEY: key });
      const [alert, check, told, events] = ['"id": "al_', '"outcome": "up"', '"type": "alert.triggered"', '"id": "ev_'];
      const inOrder = [alert, check, told, events].map((part) => part?.replace(/[[{.]/g, '\\$&')).join('[^]*');
      expect([code, output]).toEqual([0, expect.stringMatching(inOrder)]);
      // The output is for readers, so it must have short lines.
      expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThan(300);
    }, 120_000);
  });

  describe('the demo', () => {
    let demo: Terminal;

    // Both run the same scenario in parallel.
    beforeAll(async () => {
      await shell('node scripts/build.mjs --if-needed');
      demo = onTerminal('exec node scripts/demo.mjs', ROOT, { PORT: '0' });
    }, 120_000);

    it('"npm run demo -- --once" shows an outage, who acknowledges it, and its end, and exits automatically', async () => {
      expect(README).toContain('`npm run demo`');
      const { code, output } = await shell('npm run demo -- --once', { PORT: '0' });
      const story = [
        'through Operations: 4',
        'is down',
        'takes it in hand, by the link',
        'is back up',
        'and resolved',
        'Incident #2: 4 endpoints at 127.0.0.1 are down',
        'Incident #2 is over',
      ];
      expect([code, output]).toEqual([0, expect.stringMatching(story.join('[^]*'))]);
      expect(output.split('\n').length).toBeLessThan(35);
    }, 120_000);

    it('"npm run demo" keeps running after its story, with a link that signs in once, until Ctrl-C', async () => {
      await eventually('the story to end', () => demo.shown.includes('Ctrl-C ends the demo'), 100_000);
      expect(await signInsWith(signInLinkIn(demo.shown))).toEqual([201, 401]);
      expect(await demo.interrupt()).toBe(0);
    }, 130_000);
  });

  it('the first "npm start" on a terminal prints a link that signs in once', async () => {
    const service = onTerminal('exec node scripts/built.cjs dist/main.js', ROOT, {
      DATABASE_URL: 'embedded:memory',
      HOST: '127.0.0.1',
      PORT: '0',
    });
    await eventually('the banner', () => service.shown.includes('└'), 120_000);
    expect(service.shown).toMatch(/Dashboard .*#\/sign-in\/\S+ [^(]*\(this link works once, within 15 minutes\)/);
    expect(await signInsWith(signInLinkIn(service.shown))).toEqual([201, 401]);
    expect(await service.interrupt()).toBe(0);
  }, 130_000);

  it('"npm run check-url" shows phases and verdict, and exits with code 2 if the target is down', async () => {
    const line = /`(npm run check-url -- https:\/\/example\.com)`/.exec(README)?.[1] ?? '';
    const sink = await SwitchableServer.start();
    const here = line.replace('https://example.com', sink.url);
    const up = await shell(here);
    expect([up.code, up.output]).toEqual([0, expect.stringMatching(/up +http:[\s\S]*first byte/)]);
    await sink.close();
    const down = await shell(`${here} --json`);
    expect([down.code, down.output]).toEqual([2, expect.stringContaining('"connection_refused"')]);
  }, 60_000);
});
