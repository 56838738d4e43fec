import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../packages/testing/eventually';
import type { Api } from '../../packages/testing/service/api';
import { ServiceProcess } from '../harness/processes/service-process';
import { type Fault, FaultProxy } from '../harness/servers/fault-proxy';
import { type LineState, type ProbeFault, PROBES } from './commands';
import { type ProcessExit, SupervisedProcess } from './supervised-process';

const FREEZE_MS = 4000;
const START_LIMIT_MS = 90_000;

const FAULT_OF: Readonly<Record<LineState, Fault>> = { 'is cut': 'reset', 'is silent': 'silent', 'is whole': 'none' };

/** A probe in the service, and its process, which is restarted whenever it exits. */
class HeldProbe {
  readonly process: SupervisedProcess;
  /** The token with which it was started. */
  private takenToken = '';

  constructor(
    readonly id: string,
    private token: string,
    readonly line: FaultProxy,
    onExit: (exit: ProcessExit) => void,
  ) {
    this.process = new SupervisedProcess(() => this.start(), onExit);
  }

  /** Restarts it with the new token, as an operator would. */
  give(token: string): void {
    this.token = token;
    this.process.end('SIGTERM');
  }

  /** Returns whether it runs with its newest token. A process that started in the meantime is stopped once more. */
  isReady(): boolean {
    if (this.process.running === null || this.process.isEnding) return false;
    if (this.token === this.takenToken) return true;
    this.process.end('SIGTERM');
    return false;
  }

  private start(): Promise<ServiceProcess> {
    this.takenToken = this.token;
    const PROBE_URL = `http://127.0.0.1:${this.line.port}`;
    return ServiceProcess.start('', { ROLE: 'probe', PROBE_URL, PROBE_TOKEN: this.token });
  }
}

/** The probes next to the service, each behind a line to any running instance. */
export class Probes {
  /** Exits that no command requested, and graceful ones with a status other than 0. */
  readonly failures: string[] = [];
  /** How often one of them was killed, restarted, or frozen, or its line was disturbed. */
  faults = 0;
  private readonly held: HeldProbe[] = [];
  private readonly frozen = new Set<Promise<void>>();
  private connections = 0;

  /** `ports` returns the ports of the running instances. */
  constructor(private readonly ports: () => readonly number[]) {}

  get restarts(): number {
    return this.held.reduce((sum, { process }) => sum + process.restarts, 0);
  }

  async start(api: Api): Promise<void> {
    for (const key of PROBES) {
      const fields = { key, allow_private: true };
      const { status, body, text } = await api.post<{ id: string; token: string }>('/probes', fields);
      if (status !== 201) throw new Error(`the probe ${key} could not be made: ${status} ${text}`);
      const line = await FaultProxy.to(() => this.nextPort());
      this.held.push(new HeldProbe(body.id, body.token, line, (exit) => this.judge(key, exit)));
    }
  }

  idOf(number: number): string {
    return this.held[number]?.id ?? '';
  }

  /** Returns false if the fault can't be applied now. */
  inject(fault: ProbeFault, number: number): boolean {
    const process = this.held[number]?.process;
    this.faults++;
    if (fault === 'is frozen') return this.freeze(process?.running ?? null);
    return process?.end(fault === 'is killed' ? 'SIGKILL' : 'SIGTERM') ?? false;
  }

  setLine(number: number, state: LineState): void {
    this.faults++;
    this.held[number]?.line.set(FAULT_OF[state]);
  }

  giveToken(number: number, token: string): void {
    this.held[number]?.give(token);
  }

  /** Lifts every fault, and waits until each probe runs with its newest token. */
  async recover(): Promise<void> {
    for (const { line } of this.held) line.set('none');
    await Promise.all(this.frozen);
    for (const probe of this.held)
      await eventually('a probe runs', () => probe.isReady(), START_LIMIT_MS).catch((error: unknown) => {
        throw new Error(`${String(error)} ${probe.process.startError}`);
      });
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.frozen);
    await Promise.all(this.held.map(({ process }) => process.dismiss('SIGKILL')));
    await Promise.all(this.held.map(({ line }) => line.close()));
  }

  /** Synchronous, for an `exit` handler. */
  killAll(): void {
    for (const { process } of this.held) process.running?.signal('SIGKILL');
  }

  private judge(key: string, { requested, status, log }: ProcessExit): void {
    if (requested === null) this.failures.push(`the probe ${key} ended by itself with ${status}:\n${log}`);
    else if (requested === 'gracefully' && status !== 0)
      this.failures.push(`the probe ${key}, asked to stop, ended with ${status}:\n${log}`);
  }

  /** Rotates over the instances, as a load balancer does. */
  private nextPort(): number | null {
    const ports = this.ports();
    return ports[this.connections++ % Math.max(1, ports.length)] ?? null;
  }

  private freeze(process: ServiceProcess | null): boolean {
    if (!process) return false;
    process.signal('SIGSTOP');
    const thawed: Promise<void> = delay(FREEZE_MS).then(() => {
      process.signal('SIGCONT');
      this.frozen.delete(thawed);
    });
    this.frozen.add(thawed);
    return true;
  }
}
