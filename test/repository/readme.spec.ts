import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SwitchableServer } from '../harness/servers/switchable-server';
import { eventually } from '../harness/app/poll';

const ROOT = resolve(__dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** Commands of a shell block, each on one line with the output that is printed below or beside it. */
interface Command {
  line: string;
  printed: string | null;
}

const blocks = (language: string): string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

function commandsOf(block: string): Command[] {
  const commands: Command[] = [];
  for (const line of block.replaceAll('\\\n', ' ').split('\n').filter(Boolean)) {
    const last = commands.at(-1);
    if (line.startsWith('#') && last) last.printed = line.slice(1).trim();
    else commands.push({ line, printed: null });
  }
  return commands;
}

/** Printed output as a pattern: `…` stands for anything, what follows three spaces is a remark. */
function patternOf(printed: string): RegExp {
  const [output = ''] = printed.split('   ');
  const escaped = output.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`);
}

interface Ended {
  code: number | null;
  output: string;
}

/** Runs a command line in a shell, as the reader does. */
const shell = (line: string, env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((settle) => {
    const child = execFile('bash', ['-c', line], { cwd: ROOT, env: { ...process.env, ...env } }, (_, stdout, stderr) =>
      settle({ code: child.exitCode, output: stdout + stderr }),
    );
  });

/** Ends npm, its shell and the service, and waits until the last of them is gone. */
async function endGroup(leader: number): Promise<void> {
  const isThere = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-leader, signal);
    } catch {
      return false;
    }
  };
  isThere('SIGTERM');
  await eventually('the service to end', () => !isThere(0), 30_000);
}

/** A command on a terminal of its own, what it has shown so far, and Ctrl-C, which resolves with its exit code. */
function onTerminal(command: string, env: Record<string, string>) {
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: ROOT,
    env: { ...process.env, BOOTSTRAP_API_KEY: undefined, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((settle) => child.once('exit', settle));
  const terminal = {
    shown: '',
    interrupt: () => {
      child.stdin.write('\u0003');
      return ended;
    },
  };
  child.stdout.on('data', (chunk: Buffer) => (terminal.shown += chunk.toString()));
  return terminal;
}

const linkIn = (text: string): string => /http\S+#\/sign-in\/[\w-]+/.exec(text)?.[0] ?? '';

/** The statuses of using a sign-in link twice, as the dashboard does. */
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
  const commands = blocks('sh').flatMap(commandsOf);
  const isInstallation = ({ line }: Command): boolean => /^npm ci && npm (start|test)$/.test(line);

  it('has no command that this suite does not know', () => {
    const strange = commands.filter((command) => !isInstallation(command) && !/^(curl -s|[A-Z]+=)/.test(command.line));
    expect(strange).toEqual([]);
    expect(commands.filter(isInstallation).map(({ line }) => line)).toEqual([
      'npm ci && npm start',
      'npm ci && npm test',
    ]);
  });

  describe('followed from the top', () => {
    let directory: string;
    let sink: SwitchableServer;
    let service: ChildProcess;
    let banner = '';

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'uptime-readme-'));
      sink = await SwitchableServer.start();
      service = spawn('npm', ['start'], {
        cwd: ROOT,
        detached: true,
        env: { ...process.env, DATABASE_URL: '', DATA_DIR: directory, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      service.stdout?.on('data', (chunk: Buffer) => (banner += chunk.toString()));
      await eventually('the banner', () => banner.includes('└'), 120_000);
    }, 130_000);

    afterAll(async () => {
      if (service.pid !== undefined) await endGroup(service.pid);
      await sink.close();
      rmSync(directory, { recursive: true, force: true });
    }, 40_000);

    it('the service starts with "npm start" and shows the printed banner', () => {
      const printed = blocks('text')[0] ?? '';
      const labels = [...printed.matchAll(/^│ ([A-Z][A-Za-z ]+?)(?: at http| {2}|:)/gm)].map(([, label]) => label);
      expect(labels).toEqual(['Uptime monitor is running', 'Dashboard', 'API reference', 'API key', 'Try it']);
      for (const label of labels) expect(banner).toContain(`│ ${label}`);
      expect(banner).toMatch(/API key +\S.*bootstrap-api-key/);
    });

    it('the command and the addresses of the banner work', async () => {
      const [line = ''] = /curl -s .*?(?= *│)/.exec(banner) ?? [];
      expect(await shell(line)).toEqual({ code: 0, output: '[]' });
      for (const label of ['Dashboard', 'API reference']) {
        const address = new RegExp(`${label} +(\\S+)`).exec(banner)?.[1] ?? '';
        expect([address, (await fetch(address)).status]).toEqual([address, 200]);
      }
    });

    it('every curl line works in its order and prints what the README says', async () => {
      const url = /running at (http\S+)/.exec(banner)?.[1] ?? '';
      const placeholders: Record<string, string> = {
        KEY: readFileSync(join(directory, 'bootstrap-api-key'), 'utf8').trim(),
      };
      // The same on this machine: the service's real port, and a target that needs no internet.
      const local = (line: string): string =>
        line
          .replaceAll('http://127.0.0.1:3000', url)
          .replaceAll('"HTTPS", "url": "https:', '"HTTP", "url": "https:')
          .replaceAll('https://example.com', sink.url);
      const curls = commands.filter(({ line }) => line.startsWith('curl'));
      const settings = commands.filter(({ line }) => /^[A-Z]+=/.test(line)).map(({ line }) => local(line));
      expect(settings).toHaveLength(1);
      expect(curls.length).toBeGreaterThanOrEqual(5);
      for (const { line, printed } of curls) {
        const { code, output } = await shell(`${settings.join('\n')}\n${local(line)}`, placeholders);
        expect([line, code, output]).toEqual([line, 0, expect.not.stringContaining('"status":4')]);
        if (printed !== null) expect(output).toMatch(patternOf(printed));
        const created = /^\{"id":"((ws|ep)_\w+)"/.exec(output);
        if (created?.[2] === 'ws') placeholders['WEBSITE'] ??= created[1] ?? '';
        if (created?.[2] === 'ep') placeholders['ENDPOINT'] ??= created[1] ?? '';
      }
      expect(Object.keys(placeholders)).toEqual(['KEY', 'WEBSITE', 'ENDPOINT']);
      expect(sink.seen.filter(({ path }) => path === '/').length).toBeGreaterThan(0);
    }, 60_000);
  });

  describe('the demo', () => {
    let demo: ReturnType<typeof onTerminal>;

    // Both play the same story, side by side.
    beforeAll(async () => {
      await shell('npm run predemo');
      demo = onTerminal('exec node scripts/demo.mjs', { PORT: '0' });
    }, 120_000);

    it('"npm run demo -- --once" triggers, resolves and ends by itself', async () => {
      expect(README).toContain('`npm run demo`');
      const { code, output } = await shell('npm run demo -- --once', { PORT: '0' });
      expect([code, output]).toEqual([0, expect.stringContaining('Triggered and resolved, by webhook and by mail.')]);
    }, 120_000);

    it('"npm run demo" keeps running after its story, with a link that signs in once, until Ctrl-C', async () => {
      await eventually('the story to end', () => demo.shown.includes('Ctrl-C ends the demo'), 100_000);
      expect(await signInsWith(linkIn(demo.shown))).toEqual([201, 401]);
      expect(await demo.interrupt()).toBe(0);
    }, 130_000);
  });

  it('the first "npm start" on a terminal prints a link that signs in once', async () => {
    const service = onTerminal('npm run prestart && exec node dist/main.js', {
      DATABASE_URL: 'embedded:memory',
      HOST: '127.0.0.1',
      PORT: '0',
    });
    await eventually('the banner', () => service.shown.includes('└'), 120_000);
    expect(service.shown).toMatch(/Dashboard .*#\/sign-in\/\S+ {2}\(signs in once, within 15 minutes\)/);
    expect(await signInsWith(linkIn(service.shown))).toEqual([201, 401]);
    expect(await service.interrupt()).toBe(0);
  }, 130_000);

  it('"npm run check-url" shows phases and verdict, and ends with 1 when the target is down', async () => {
    const line = /`(npm run check-url -- HTTPS https:\/\/example\.com)`/.exec(README)?.[1] ?? '';
    const sink = await SwitchableServer.start();
    const here = line.replace('HTTPS https://example.com', `HTTP ${sink.url}`);
    const up = await shell(here);
    expect([up.code, up.output]).toEqual([0, expect.stringMatching(/UP +HTTP[\s\S]*first byte/)]);
    await sink.close();
    const down = await shell(`${here} --json`);
    expect([down.code, down.output]).toEqual([1, expect.stringContaining('"connection_refused"')]);
  }, 60_000);
});
