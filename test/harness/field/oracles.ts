import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The result that another program reports for a target. */
export type Verdict = 'up' | 'down' | 'unknown';

const PLUGINS = '/usr/lib/nagios/plugins';
const EXPORTER = '/usr/bin/prometheus-blackbox-exporter';
const LIMIT_MS = 20_000;
/** The plugins' exit codes: OK, WARNING, CRITICAL, UNKNOWN. */
const VERDICTS: Readonly<Record<number, Verdict>> = { 0: 'up', 1: 'down', 2: 'down', 3: 'unknown' };

const NEEDED: Readonly<Record<string, string>> = {
  [`${PLUGINS}/check_http`]: 'monitoring-plugins',
  [`${PLUGINS}/check_dns`]: 'monitoring-plugins',
  [EXPORTER]: 'prometheus-blackbox-exporter',
  '/usr/bin/nslookup': 'bind9-dnsutils',
};

/** Why the other programs can't run on this machine, or `null`. */
export const noOracles: string | null = obstacle();

function obstacle(): string | null {
  const missing = Object.entries(NEEDED).find(([path]) => !existsSync(path));
  if (missing) return `needs ${missing[1]}`;
  return process.getuid?.() === 0 ? null : 'needs root, for a DNS server on port 53';
}

/** Runs a plugin from monitoring-plugins and returns the result indicated by its exit code. */
export function askPlugin(name: string, ...words: string[]): Promise<Verdict> {
  return new Promise((resolve) => {
    const child = execFile(
      join(PLUGINS, name),
      words,
      { timeout: LIMIT_MS, env: { PATH: process.env['PATH'], LC_ALL: 'C' } },
      () => {
        resolve(VERDICTS[child.exitCode ?? 3] ?? 'unknown');
      },
    );
  });
}

/** A blackbox_exporter module, as written in its configuration file. */
export type BlackboxModule = { prober: 'http' | 'tcp' | 'dns' | 'icmp'; timeout: string } & Record<string, unknown>;

/** A blackbox_exporter that listens on a loopback port. */
export class Blackbox {
  private constructor(
    private readonly child: ChildProcess,
    private readonly address: string,
    private readonly folder: string,
  ) {}

  static async start(modules: Record<string, BlackboxModule>): Promise<Blackbox> {
    const folder = mkdtempSync(join(tmpdir(), 'blackbox-'));
    const file = join(folder, 'blackbox.yml');
    // The exporter reads YAML, which is a superset of JSON.
    writeFileSync(file, JSON.stringify({ modules }));
    const child = spawn(EXPORTER, [`--config.file=${file}`, '--web.listen-address=127.0.0.1:0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return new Blackbox(child, await addressIn(child), folder);
  }

  async ask(module: string, target: string): Promise<Verdict> {
    const query = new URLSearchParams({ module, target });
    const response = await fetch(`http://${this.address}/probe?${query.toString()}`);
    const success = /^probe_success (\d)$/m.exec(await response.text())?.[1];
    return success === undefined ? 'unknown' : success === '1' ? 'up' : 'down';
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}

/** The exporter logs the port that it was assigned. */
function addressIn(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const log: string[] = [];
    if (child.stderr)
      createInterface({ input: child.stderr }).on('line', (line) => {
        const address = /msg="Listening on" address=(\S+)/.exec(line)?.[1];
        if (address === undefined) log.push(line);
        else resolve(address);
      });
    child.on('exit', () => reject(new Error(`blackbox_exporter has ended: ${log.join('\n')}`)));
  });
}
