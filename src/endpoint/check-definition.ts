import { Injectable } from '@nestjs/common';
import type { Checker, CheckRequest } from '../checker/checker';
import { CheckerRegistry } from '../checker/checker.registry';
import type { Sql } from '../platform/database/database';
import { EgressPolicy } from '../platform/net/egress/egress-policy';
import { EndpointSettingsRules } from './endpoint-settings';
import type { StoredHeader } from './endpoint.entity';

/** An endpoint made ready to be checked: parsed once, used until its revision changes. */
export interface CheckDefinition {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  revision: number;
  timeoutMs: number;
  checker: Checker;
  request: CheckRequest<unknown>;
}

interface Row {
  id: string;
  key: string;
  orgId: string;
  isDefault: boolean;
  revision: number;
  timeoutSeconds: number;
  type: string;
  url: string;
  method: string;
  headers: StoredHeader[];
  body: string | null;
  followRedirects: boolean;
  assertions: CheckRequest<unknown>['assertions'];
}

/** Definitions of the endpoints this process checks, kept between checks: a steady schedule reads no wide row. */
@Injectable()
export class CheckDefinitions {
  private readonly known = new Map<string, CheckDefinition>();

  constructor(
    private readonly checkers: CheckerRegistry,
    private readonly egress: EgressPolicy,
    private readonly rules: EndpointSettingsRules,
  ) {}

  /**
   * The definitions of these endpoints at these revisions or newer; endpoints that are gone are absent. One statement for
   * those not at hand. `capacity` bounds what is kept.
   */
  async load(
    sql: Sql,
    wanted: readonly { endpointId: string; revision: number }[],
    capacity: number,
  ): Promise<Map<string, CheckDefinition>> {
    const missing = wanted.filter(
      ({ endpointId, revision }) => (this.known.get(endpointId)?.revision ?? -1) < revision,
    );
    if (missing.length > 0) {
      for (const definition of await this.read(
        sql,
        missing.map(({ endpointId }) => endpointId),
      ))
        this.keep(definition, capacity);
    }
    const found = wanted
      .map(({ endpointId }) => this.known.get(endpointId))
      .filter((definition) => definition !== undefined);
    return new Map(found.map((definition) => [definition.endpointId, definition]));
  }

  /** The definition of one endpoint as it is stored now. */
  async loadOne(sql: Sql, endpointId: string): Promise<CheckDefinition | null> {
    const [definition] = await this.read(sql, [endpointId]);
    return definition ?? null;
  }

  private keep(definition: CheckDefinition, capacity: number): void {
    this.known.delete(definition.endpointId);
    this.known.set(definition.endpointId, definition);
    const [oldest] = this.known.keys();
    if (this.known.size > capacity && oldest !== undefined) this.known.delete(oldest);
  }

  private async read(sql: Sql, ids: readonly string[]): Promise<CheckDefinition[]> {
    const rows = await sql.query<Row>(
      `SELECT e.id, e.key::text AS key, e.org_id AS "orgId", o.is_default AS "isDefault", e.revision, e.timeout_seconds AS "timeoutSeconds",
              e.type, e.url, e.method, e.headers, e.body, e.follow_redirects AS "followRedirects", e.assertions
         FROM endpoint e JOIN organization o ON o.id = e.org_id WHERE e.id = ANY($1)`,
      [ids],
    );
    return rows.filter((row) => this.checkers.has(row.type)).map((row) => this.prepare(row));
  }

  private prepare(row: Row): CheckDefinition {
    const checker = this.checkers.get(row.type);
    return {
      endpointId: row.id,
      endpointKey: row.key,
      orgId: row.orgId,
      revision: row.revision,
      timeoutMs: row.timeoutSeconds * 1000,
      checker,
      request: {
        target: checker.parseTarget(row.url),
        method: row.method,
        headers: this.rules.openHeaders(row.id, row.headers),
        body: row.body,
        followRedirects: row.followRedirects,
        assertions: row.assertions,
        egress: this.egress.forOrganization({ isDefault: row.isDefault }),
      },
    };
  }
}
