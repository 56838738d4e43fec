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

/** One of an endpoint's locations, with the information needed to read its history. */
export interface HistoryLocation {
  /** The probe's number, or 0 for the service itself. */
  number: number;
  /**
   * Hours in which the endpoint had only one location are stored only for the endpoint. Such hours belong to this
   * location if they start in this range.
   */
  alone: TimeRange;
}

/** A row from endpoint_location. */
export interface AssignedLocation {
  number: number;
  assignedMs: number;
}

/** Decorates the query parameter `location` in routes for an endpoint's history. */
export const LocationQuery = (description: string): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ description, example: 'fra' }), Optional(), IsString(), MaxLength(100));

/**
 * The subject of a history query: the endpoint's internal number and one of its locations, or `null` for the overall
 * verdict.
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
   * Throws: `not_found` if the endpoint doesn't exist or doesn't have the location. Cost: two extra statements for a
   * location, or one for `local`.
   */
  async require(orgId: string, endpointId: string, name: string | undefined): Promise<HistorySubject> {
    const { key } = await this.endpoints.require(orgId, endpointId);
    return { key, location: name === undefined ? null : await this.find(orgId, endpointId, name) };
  }

  /**
   * Returns the names of these locations. Omits locations whose probe was deleted. Cost: no statement if the service
   * itself is the only location.
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

/** Returns `null` if the number isn't assigned. If there are no assignments, the service itself checks the endpoint. */
export function historyLocation(number: number, assigned: readonly AssignedLocation[]): HistoryLocation | null {
  if (assigned.length === 0) return number === LOCAL ? { number, alone: ALWAYS } : null;
  const own = assigned.find((location) => location.number === number);
  if (own === undefined) return null;
  if (assigned.length === 1) return { number, alone: ALWAYS };
  if (number !== LOCAL) return { number, alone: { from: own.assignedMs, to: Infinity } };
  // Until other locations were added, only the service checked the endpoint. The hour in which the first one was added
  // doesn't belong to a single location.
  const others = assigned.filter((location) => location.number !== LOCAL).map(({ assignedMs }) => assignedMs);
  return { number, alone: { from: -Infinity, to: Math.min(...others) - HOUR_MS + 1 } };
}
