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

/** A location of an endpoint for reading its history. */
export interface HistoryLocation {
  /** The number of its probe, or 0 for the service itself. */
  number: number;
  /**
   * Hours in which the endpoint had one location are stored only for the endpoint. The hours that start in this range
   * belong to this location.
   */
  alone: TimeRange;
}

/** A row of endpoint_location. */
export interface AssignedLocation {
  number: number;
  assignedMs: number;
}

/** Decorates the query parameter `location` of routes about the history of an endpoint. */
export const LocationQuery = (description: string): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ description, example: 'fra' }), Optional(), IsString(), MaxLength(100));

/**
 * The subject of a history query: the internal number of the endpoint, and one of its locations, or `null` for the
 * verdict of all.
 */
export interface HistorySubject {
  key: string;
  location: HistoryLocation | null;
}

@Injectable()
export class HistoryLocations {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly database: Database,
    private readonly probes: ProbeDirectory,
  ) {}

  /**
   * Throws `not_found`, also if the endpoint doesn't have the location. Cost: two more statements for a location, one
   * more for `local`.
   */
  async require(orgId: string, endpointId: string, name: string | undefined): Promise<HistorySubject> {
    const { key } = await this.endpoints.require(orgId, endpointId);
    return { key, location: name === undefined ? null : await this.find(orgId, endpointId, name) };
  }

  /**
   * Returns the names of these locations. A location is missing if its probe is deleted. Cost: no statement for the
   * service itself alone.
   */
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

/** Returns `null` if the number isn't assigned. Without assignments, the service itself checks the endpoint. */
export function historyLocation(number: number, assigned: readonly AssignedLocation[]): HistoryLocation | null {
  if (assigned.length === 0) return number === LOCAL ? { number, alone: ALWAYS } : null;
  const own = assigned.find((location) => location.number === number);
  if (own === undefined) return null;
  if (assigned.length === 1) return { number, alone: ALWAYS };
  if (number !== LOCAL) return { number, alone: { from: own.assignedMs, to: Infinity } };
  // Before there were others, only the service checked the endpoint. The hour in which the first of them was added
  // belongs to none alone.
  const others = assigned.filter((location) => location.number !== LOCAL).map(({ assignedMs }) => assignedMs);
  return { number, alone: { from: -Infinity, to: Math.min(...others) - HOUR_MS + 1 } };
}
