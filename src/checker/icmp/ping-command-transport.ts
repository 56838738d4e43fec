import { spawn, spawnSync, type ChildProcess, type SpawnSyncReturns } from 'node:child_process';
import type { Owner } from '../../platform/capacity/by-owner';
import { FairSemaphore } from '../../platform/capacity/fair-semaphore';
import type { EchoResult, IcmpTransport } from './icmp-transport';

/**
 * A process costs seventy times as much as a packet (decision 0010), and more processes at the same time would disturb
 * every other check. Unresponsive hosts of one organization use at most half of them.
 */
const PROCESS_LIMITS = { size: 16, share: 8, waiting: 1000 };

/** Sends one request per second. Every version of `ping` understands these two options. */
const ECHO_ARGUMENTS = ['-n', '-c', '3'];

/**
 * A `ping` with three requests, including the wait for their replies, takes twelve seconds. One that hangs is killed.
 */
const LIFETIME_MS = 15_000;

const TEST_LIMIT_MS = 3000;
const OUTPUT_LIMIT = 8192;
const ENVIRONMENT = { ...process.env, LC_ALL: 'C' };

/** Runs the system's `ping`, one process per check. This is the fallback if nothing else is permitted. */
export class PingCommandTransport implements IcmpTransport {
  private readonly processes = new FairSemaphore(PROCESS_LIMITS);
  private readonly running = new Set<ChildProcess>();

  constructor(private readonly command = 'ping') {}

  /** If no process can start in time, nothing is sent, and the host is not to blame. */
  async echo(address: string, owner: Owner, signal: AbortSignal): Promise<EchoResult | null> {
    const queuedAt = performance.now();
    const release = await this.processes.take(owner, signal);
    if (!release) return { kind: 'not_sent', code: 'EBUSY' };
    const startedAt = performance.now();
    const result = await this.run(address, signal, release);
    // If a check waited in the queue for longer than its process ran, there was not enough time to receive a reply.
    const hadNoTime = startedAt - queuedAt > performance.now() - startedAt;
    return result ?? (hadNoTime ? { kind: 'not_sent', code: 'EBUSY' } : null);
  }

  close(): void {
    for (const child of this.running) child.kill('SIGKILL');
  }

  /** macOS has a separate command for IPv6. */
  private commandFor(address: string): string {
    return process.platform === 'darwin' && address.includes(':') ? `${this.command}6` : this.command;
  }

  /** For a host that doesn't respond, the process exits before the check ends, and then releases its place. */
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
        // If there is no exit code, this class killed the process.
        const hasFailed = code !== NO_REPLY && code !== null;
        if (result || hasFailed) conclude(result ?? { kind: 'not_sent', code: 'EPERM' });
      });
    });
  }
}

/** The exit code of a `ping` that worked but got no reply. In that case, only the signal ends the wait. */
const NO_REPLY = 1;

/**
 * Tests whether `ping` is installed and allowed to send, by pinging this machine once. Returns `null`, or the reason
 * why it isn't.
 */
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

/** The system's messages when a request cannot be sent, with their error codes. */
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

/** The messages that `ping` prints for ICMP errors from routers: iputils for IPv4 and IPv6, BusyBox, BSD. */
const UNREACHABLE = [
  /destination unreachable: ([\w ]+)/i,
  /destination (\w+ (?:unreachable|unknown|prohibited)[\w ]*)/i,
  /\b(time (?:to live )?exceeded)/i,
  /\b(source route failed|source host isolated|precedence (?:violation|cutoff)|parameter problem)/i,
  /\b(packet too big|frag needed)/i,
  /\b(dest(?:ination)? unreachable\b[\w, :]*)/i,
];

/**
 * Parses the output of `ping` (iputils, BusyBox, BSD) so far. The result is a reply, or else that a router reported the
 * host as unreachable, or else that nothing could be sent. Returns `null` if nothing is known yet.
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
