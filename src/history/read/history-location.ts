import { applyDecorators, Injectable } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { EndpointService } from '../../endpoint/endpoint.service';
import { LOCAL } from '../../engine/finished-check';
import { Database } from '../../platform/database/database';
import { epochMs } from '../../platform/database/epoch-ms';
import { Optional } from '../../platform/http/validators';
import { problems } from '../../platform/problem/problem';
import { HOUR_MS } from '../../platform/time/time-units';
import { LOCAL_NAME, ProbeDirectory } from '../../probe/probe-directory';
import type { TimeRange } from '../time-range';

/** A location of an endpoint, as its history is read. */
export interface HistoryLocation {
  /** Of its probe, 0 for the service itself. */
  number: number;
  /** Hours that are known of the endpoint as a whole, because it had one location, are this one's when they begin in this range. */
  alone: TimeRange;
}

/** A row of endpoint_location. */
export interface AssignedLocation {
  number: number;
  assignedMs: number;
}

/** `?location=` of what history tells of an endpoint. */
export const LocationQuery = (description: string): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ description, example: 'fra' }), Optional(), IsString(), MaxLength(100));

/** What history is asked of: the internal number of the endpoint, and which of its locations (`null`: what counts of all). */
export interface HistorySubject {
  key: string;
  location: HistoryLocation | null;
}

/** Finds endpoints and their locations by name. */
@Injectable()
export class HistoryLocations {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly database: Database,
    private readonly probes: ProbeDirectory,
  ) {}

  /** Throws `not_found`, also for what is none of the endpoint's locations. A location is two statements more, `local` one. */
  async require(orgId: string, endpointId: string, name: string | undefined): Promise<HistorySubject> {
    const { key } = await this.endpoints.require(orgId, endpointId);
    return { key, location: name === undefined ? null : await this.find(orgId, endpointId, name) };
  }

  /** What these locations are called; absent: its probe is deleted. No statement for the service itself alone. */
  names(orgId: string, numbers: readonly number[]): Promise<Map<number, string>> {
    return this.probes.namesIn(this.database, orgId, numbers);
  }

  private async find(orgId: string, endpointId: string, name: string): Promise<HistoryLocation> {
    const [number, assigned] = await Promise.all([
      this.numberOf(orgId, name),
      this.database.query<AssignedLocation>(ASSIGNED, [endpointId]),
    ]);
    const found = number === null ? null : historyLocation(number, assigned);
    if (found === null) throw problems.notFound();
    return found;
  }

  private async numberOf(orgId: string, name: string): Promise<number | null> {
    if (name === LOCAL_NAME) return LOCAL;
    return (await this.probes.named(this.database, orgId, [name])).get(name)?.number ?? null;
  }
}

const ASSIGNED = `
  SELECT number, ${epochMs('assigned_at')} AS "assignedMs" FROM endpoint_location WHERE endpoint_id = $1`;

const ALWAYS: TimeRange = { from: -Infinity, to: Infinity };

/** `null`: it is none of the assigned ones. Without any the endpoint is checked by the service itself. */
export function historyLocation(number: number, assigned: readonly AssignedLocation[]): HistoryLocation | null {
  if (assigned.length === 0) return number === LOCAL ? { number, alone: ALWAYS } : null;
  const own = assigned.find((location) => location.number === number);
  if (own === undefined) return null;
  if (assigned.length === 1) return { number, alone: ALWAYS };
  if (number !== LOCAL) return { number, alone: { from: own.assignedMs, to: Infinity } };
  // Before there were others the service looked alone; the hour in which the first of them came is nobody's alone.
  const others = assigned.filter((location) => location.number !== LOCAL).map(({ assignedMs }) => assignedMs);
  return { number, alone: { from: -Infinity, to: Math.min(...others) - HOUR_MS + 1 } };
}
