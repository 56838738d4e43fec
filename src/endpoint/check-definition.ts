import { Injectable } from '@nestjs/common';
import { toCheckRequest } from '../checker/check-request';
import type { Checker, CheckRequest } from '../checker/checker';
import { CheckerRegistry } from '../checker/checker.registry';
import { BoundedMap } from '../platform/cache/bounded-map';
import type { Sql } from '../platform/database/database';
import { selectColumns } from '../platform/database/select-columns';
import { EgressPolicy } from '../platform/net/egress/egress-policy';
import { SECOND_MS } from '../platform/time/time-units';
import { EndpointSettingsResolver } from './endpoint-settings';
import { Endpoint, type EndpointSettings } from './endpoint.entity';

/**
 * The settings that a check consists of. A change of one is a change of what is checked: it makes a new revision, and
 * results of the old one no longer count.
 */
export const CHECKED_SETTINGS = [
  'type',
  'url',
  'timeoutSeconds',
  'method',
  'headers',
  'body',
  'followRedirects',
  'assertions',
] as const satisfies readonly (keyof EndpointSettings)[];

type CheckedSettings = Pick<EndpointSettings, (typeof CHECKED_SETTINGS)[number]>;

/** What it takes to ask a target once. */
export interface PreparedCheck {
  timeoutMs: number;
  checker: Checker;
  request: CheckRequest<unknown>;
}

/** An endpoint made ready to be checked: parsed once, used until its revision changes. */
export interface CheckDefinition extends PreparedCheck {
  endpointId: string;
  endpointKey: string;
  orgId: string;
  revision: number;
}

/** Whose endpoint it is: decides where its checks may connect to. */
interface Organization {
  id: string;
  isDefault: boolean;
}

interface Row extends CheckedSettings {
  id: string;
  key: string;
  orgId: string;
  isDefaultOrg: boolean;
  revision: number;
}

/** Definitions kept in memory, about 1 KB each. */
const MAX_KNOWN = 100_000;

const READ = `
  SELECT ${selectColumns(Endpoint, 'e', ['id', 'key', 'orgId', 'revision', ...CHECKED_SETTINGS])}, o.is_default AS "isDefaultOrg"
    FROM endpoint e JOIN organization o ON o.id = e.org_id WHERE e.id = ANY($1)`;

/** Definitions of the endpoints this process checks, kept between checks: a steady schedule reads no wide row. */
@Injectable()
export class CheckDefinitions {
  private readonly known = new BoundedMap<string, CheckDefinition>(MAX_KNOWN);

  constructor(
    private readonly checkers: CheckerRegistry,
    private readonly egress: EgressPolicy,
    private readonly settings: EndpointSettingsResolver,
  ) {}

  /**
   * The definitions of these endpoints at these revisions or newer; deleted endpoints are absent. One statement for those
   * that are not in memory.
   */
  async load(
    sql: Sql,
    wanted: readonly { endpointId: string; revision: number }[],
  ): Promise<Map<string, CheckDefinition>> {
    const found = new Map<string, CheckDefinition>();
    const missing: string[] = [];
    for (const { endpointId, revision } of wanted) {
      const known = this.known.get(endpointId);
      if (known && known.revision >= revision) found.set(endpointId, known);
      else missing.push(endpointId);
    }
    if (missing.length === 0) return found;
    for (const definition of await this.read(sql, missing)) {
      this.known.set(definition.endpointId, definition);
      found.set(definition.endpointId, definition);
    }
    return found;
  }

  /** The definition of one endpoint as it is stored now. */
  async loadOne(sql: Sql, endpointId: string): Promise<CheckDefinition | null> {
    const [definition] = await this.read(sql, [endpointId]);
    return definition ?? null;
  }

  /** A check with these settings, whether the endpoint is stored or not. Its type must have a checker. */
  prepare(endpointId: string, settings: CheckedSettings, organization: Organization): PreparedCheck {
    const { type, timeoutSeconds, ...requested } = settings;
    const checker = this.checkers.get(type);
    const headers = this.settings.openHeaders(endpointId, settings.headers);
    const egress = this.egress.forOrganization(organization);
    return {
      timeoutMs: timeoutSeconds * SECOND_MS,
      checker,
      request: toCheckRequest(checker, { ...requested, headers }, egress),
    };
  }

  private async read(sql: Sql, ids: readonly string[]): Promise<CheckDefinition[]> {
    const rows = await sql.query<Row>(READ, [ids]);
    return rows.filter(({ type }) => this.checkers.has(type)).map((row) => this.define(row));
  }

  private define({ id, key, orgId, isDefaultOrg, revision, ...settings }: Row): CheckDefinition {
    const prepared = this.prepare(id, settings, { id: orgId, isDefault: isDefaultOrg });
    return { endpointId: id, endpointKey: key, orgId, revision, ...prepared };
  }
}
