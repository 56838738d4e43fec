import { Injectable } from '@nestjs/common';
import type { AssignedEndpoint } from '../../probe-protocol/protocol';
import { digestOf } from '../../probe-protocol/digest';
import type { CheckDefinition } from '../../engine/check-definition';
import { SECOND_MS } from '../../platform/time/time-units';
import { ServerClock } from '../server/server-clock';
import { DefinitionReader } from './definition-reader';
import { atOnceDelayMs, type Grid, nextSlot, slotAtOnce } from './slots';

/** An endpoint that this probe checks. Times are according to the server's clock, in milliseconds. */
export interface Assigned {
  readonly definition: CheckDefinition;
  readonly grid: Grid;
  /** The streak at which a failure is confirmed by a second check, or `null` for never. */
  readonly confirmAt: number | null;
  /** When its next check starts. */
  runAtMs: number;
  /** The newest slot that was started, or -Infinity before the first. */
  lastSlotMs: number;
  /** The number of consecutive failures that this probe has found. */
  failures: number;
}

/** The endpoints that this probe checks. They are only kept in memory, and are forgotten when the token is rejected. */
@Injectable()
export class Assignments {
  private readonly endpoints = new Map<string, Assigned>();
  /** A counter that identifies waiting results. */
  private key = 0;
  private isOfSeveral = false;

  constructor(
    private readonly reader: DefinitionReader,
    private readonly clock: ServerClock,
  ) {}

  get size(): number {
    return this.endpoints.size;
  }

  /** Whether the endpoints belong to several organizations. If so, no organization may use all the capacity. */
  get ofSeveral(): boolean {
    return this.isOfSeveral;
  }

  get digest(): string {
    return digestOf(
      Array.from(this.all(), ({ definition: { endpointId, revision } }) => ({ endpoint_id: endpointId, revision })),
    );
  }

  all(): IterableIterator<Assigned> {
    return this.endpoints.values();
  }

  get(endpointId: string): Assigned | undefined {
    return this.endpoints.get(endpointId);
  }

  /** Adds new endpoints, and replaces changed ones. */
  put(endpoints: readonly AssignedEndpoint[]): void {
    const nowMs = this.clock.now();
    const count = endpoints.filter((endpoint) => endpoint.run_now).length;
    let turn = 0;
    for (const endpoint of endpoints) {
      const delayMs = endpoint.run_now ? atOnceDelayMs(turn++, count, endpoint.interval * SECOND_MS) : null;
      this.set(endpoint, nowMs, delayMs);
    }
    this.changed();
  }

  remove(endpointIds: Iterable<string>): void {
    for (const id of endpointIds) this.endpoints.delete(id);
    this.changed();
  }

  keepOnly(endpointIds: ReadonlySet<string>): void {
    this.remove([...this.endpoints.keys()].filter((id) => !endpointIds.has(id)));
  }

  clear(): void {
    this.endpoints.clear();
    this.changed();
  }

  /** Resumes after a period without checks. Missed checks are skipped. */
  resume(): void {
    const nowMs = this.clock.now();
    for (const assigned of this.all())
      if (assigned.runAtMs <= nowMs) assigned.runAtMs = nextSlot(nowMs, assigned.lastSlotMs, assigned.grid);
  }

  private set(endpoint: AssignedEndpoint, nowMs: number, delayMs: number | null): void {
    const { endpoint_id, revision, confirm_at, phase_ms } = endpoint;
    const before = this.endpoints.get(endpoint_id);
    const grid = { phaseMs: phase_ms, intervalMs: endpoint.interval * SECOND_MS };
    const lastSlotMs = before?.lastSlotMs ?? -Infinity;
    const atOnceMs = delayMs === null ? null : slotAtOnce(nowMs, delayMs, lastSlotMs, grid);
    const isOnGrid = before?.grid.phaseMs === grid.phaseMs && before.grid.intervalMs === grid.intervalMs;
    const nextMs = isOnGrid ? before.runAtMs : nextSlot(nowMs, lastSlotMs, grid);
    this.endpoints.set(endpoint_id, {
      definition: this.reader.read(endpoint, before?.definition.endpointKey ?? String(++this.key)),
      grid,
      confirmAt: confirm_at,
      runAtMs: atOnceMs ?? nextMs,
      lastSlotMs,
      failures: before?.definition.revision === revision ? before.failures : 0,
    });
  }

  private changed(): void {
    const organizations = new Set<string>();
    for (const { definition } of this.all()) {
      organizations.add(definition.orgId);
      if (organizations.size > 1) break;
    }
    this.isOfSeveral = organizations.size > 1;
  }
}
