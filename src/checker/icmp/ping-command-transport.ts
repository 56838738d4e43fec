import { spawn, spawnSync, type ChildProcess, type SpawnSyncReturns } from 'node:child_process';
import type { Owner } from '../../platform/capacity/by-owner';
import { FairSemaphore } from '../../platform/capacity/fair-semaphore';
import type { EchoResult, IcmpTransport } from './icmp-transport';

/**
 * A process costs seventy times what a packet costs (decision 0010); more of them at once would disturb every other check.
 * Silent hosts of one organization hold half of them at most.
 */
const PROCESS_LIMITS = { size: 16, share: 8, waiting: 1000 };

/** One request a second; every `ping` understands these two options. */
const ECHO_ARGUMENTS = ['-n', '-c', '3'];

/** Three requests and the wait for their replies take a `ping` twelve seconds; one that hangs is ended. */
const LIFETIME_MS = 15_000;

const TEST_LIMIT_MS = 3000;
const OUTPUT_LIMIT = 8192;
const ENVIRONMENT = { ...process.env, LC_ALL: 'C' };

/** The system's `ping`, one process per check: the fallback, permitted where nothing else is. */
export class PingCommandTransport implements IcmpTransport {
  private readonly processes = new FairSemaphore(PROCESS_LIMITS);
  private readonly running = new Set<ChildProcess>();

  constructor(private readonly command = 'ping') {}

  /** When no process may be started in time nothing was sent, and the host is not to blame. */
  async echo(address: string, owner: Owner, signal: AbortSignal): Promise<EchoResult | null> {
    const queuedAt = performance.now();
    const release = await this.processes.take(owner, signal);
    if (!release) return { kind: 'not_sent', code: 'EBUSY' };
    const startedAt = performance.now();
    const result = await this.run(address, signal, release);
    // A check that waited in the queue for longer than its process ran had no time to hear the host.
    const hadNoTime = startedAt - queuedAt > performance.now() - startedAt;
    return result ?? (hadNoTime ? { kind: 'not_sent', code: 'EBUSY' } : null);
  }

  close(): void {
    for (const child of this.running) child.kill('SIGKILL');
  }

  /** macOS has a command of its own for IPv6. */
  private commandFor(address: string): string {
    return process.platform === 'darwin' && address.includes(':') ? `${this.command}6` : this.command;
  }

  /** The process ends before the check of a silent host does, and so does its hold on a place. */
  private run(address: string, signal: AbortSignal, release: () => void): Promise<EchoResult | null> {
    return new Promise((resolve) => {
      const child: ChildProcess = spawn(this.commandFor(address), [...ECHO_ARGUMENTS, address], {
        env: ENVIRONMENT,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: LIFETIME_MS,
        killSignal: 'SIGKILL',
      });
      this.running.add(child);
      let output = '';
      const leave = () => {
        if (this.running.delete(child)) release();
      };
      const conclude = (result: EchoResult | null) => {
        signal.removeEventListener('abort', onAbort);
        child.kill('SIGKILL');
        leave();
        resolve(result);
      };
      const onAbort = () => conclude(readPingOutput(output));
      const read = (chunk: Buffer) => {
        output = (output + chunk.toString('latin1')).slice(0, OUTPUT_LIMIT);
        const result = readPingOutput(output);
        // A reply to a later request would contradict any other result.
        if (result?.kind === 'reply') conclude(result);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.on('error', ({ code }: NodeJS.ErrnoException) => conclude({ kind: 'not_sent', code: code ?? 'ENOENT' }));
      child.on('close', (code) => {
        leave();
        const result = readPingOutput(`${output}\n`);
        // Without a code it was ended by us.
        const hasFailed = code !== NO_REPLY && code !== null;
        if (result || hasFailed) conclude(result ?? { kind: 'not_sent', code: 'EPERM' });
      });
    });
  }
}

/** The exit status of a `ping` that worked but got no reply; then only the signal ends the wait. */
const NO_REPLY = 1;

/** Whether `ping` is installed and allowed to send, by pinging this machine once. `null`, or why not. */
export function testPingCommand(command = 'ping'): string | null {
  const { error, status, stderr }: SpawnSyncReturns<string> & { error?: NodeJS.ErrnoException } = spawnSync(
    command,
    ['-n', '-c', '1', '127.0.0.1'],
    {
      env: ENVIRONMENT,
      timeout: TEST_LIMIT_MS,
      encoding: 'latin1',
    },
  );
  if (error) return error.code === 'ENOENT' ? 'not installed' : (error.code ?? error.message);
  return status === 0 ? null : stderr.trim().split('\n')[0]?.slice(0, 100) || 'not permitted';
}

/** What the system says when a request cannot be sent, and its error. */
const NOT_SENT: readonly [text: RegExp, code: string][] = [
  [/operation not permitted|permission denied|lacking privilege|must be setuid/i, 'EPERM'],
  [/network is unreachable/i, 'ENETUNREACH'],
  [/no route to host/i, 'EHOSTUNREACH'],
  [/host is down/i, 'EHOSTDOWN'],
  [/(can't|cannot) assign requested address/i, 'EADDRNOTAVAIL'],
  [/address family( for hostname)? not supported/i, 'EAFNOSUPPORT'],
  [/no buffer space available/i, 'ENOBUFS'],
  [/invalid argument/i, 'EINVAL'],
];

/** What `ping` calls the ICMP errors of routers: iputils for IPv4 and IPv6, BusyBox, BSD. */
const UNREACHABLE = [
  /destination unreachable: ([\w ]+)/i,
  /destination (\w+ (?:unreachable|unknown|prohibited)[\w ]*)/i,
  /\b(time (?:to live )?exceeded)/i,
  /\b(source route failed|source host isolated|precedence (?:violation|cutoff)|parameter problem)/i,
  /\b(packet too big|frag needed)/i,
  /\b(dest(?:ination)? unreachable\b[\w, :]*)/i,
];

/**
 * What `ping` (iputils, BusyBox, BSD) has printed so far about the host: a reply, or else that a router reported it as
 * unreachable, or else that nothing could be sent. `null` while there is none of these.
 */
export function readPingOutput(output: string): EchoResult | null {
  const time = /\btime[=<] ?(\d+(?:\.\d+)?) ?ms/.exec(output)?.[1];
  if (time !== undefined) return { kind: 'reply', rttMs: Number(time) };
  if (/packet filtered|administratively prohibited/i.test(output))
    return { kind: 'unreachable', reason: 'administratively prohibited' };
  for (const form of UNREACHABLE) {
    const [, reason] = form.exec(output) ?? [];
    if (reason !== undefined) return { kind: 'unreachable', reason: reason.trim().toLowerCase() };
  }
  const code = NOT_SENT.find(([text]) => text.test(output))?.[1];
  return code === undefined ? null : { kind: 'not_sent', code };
}
