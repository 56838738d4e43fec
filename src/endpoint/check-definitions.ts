import { Injectable, Logger } from '@nestjs/common';
import { toCheckRequest } from '../checker/check-request';
import { type Checker, InvalidTarget, type CheckResult } from '../checker/checker';
import { CheckerRegistry } from '../checker/checker.registry';
import type { CheckDefinition, PreparedCheck } from '../engine/check-definition';
import { BoundedMap } from '../platform/cache/bounded-map';
import type { Sql } from '../platform/database/database';
import { selectColumns } from '../platform/database/select-columns';
import { EgressPolicy } from '../platform/net/egress/egress-policy';
import { problems } from '../platform/problem/problem';
import { SecretUnreadable } from '../platform/secrets/secret-box';
import { SECOND_MS } from '../platform/time/time-units';
import { EndpointSettingsResolver } from './settings/endpoint-settings';
import { Endpoint, type EndpointSettings } from './endpoint.entity';
import { resultOf, unknown } from '../checker/check-failure';

/**
 * Stands in for the checker of an endpoint whose stored settings cannot be read, such as a header that was encrypted with
 * a key this process does not have: its checks are `unknown` and say why, those of all others go on.
 */
class UnreadableSettings implements Checker {
  readonly assertionSources = [];
  readonly targetForm = '';

  constructor(private readonly why: string) {}

  parseTarget(): null {
    return null;
  }

  check(): Promise<CheckResult> {
    return Promise.resolve(resultOf(unknown('internal', 'internal', `The settings cannot be read: ${this.why}.`)));
  }
}

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
  'tls',
  'certificateWarnDays',
] as const satisfies readonly (keyof EndpointSettings)[];

/** What a check consists of, as it is stored. */
export type CheckedSettings = Pick<EndpointSettings, (typeof CHECKED_SETTINGS)[number]>;

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

/** Definitions kept in memory, about 1 KB each besides their texts. */
const MAX_KNOWN = 100_000;
/**
 * Bytes of their texts: headers, body, assertions, certificates. Large definitions have a share of their own, so that an organization
 * with thousands of them evicts no small one of the others. One that is not kept costs a row to read at each claim.
 */
const MAX_SMALL_BYTES = 48 * 1024 * 1024;
const MAX_LARGE_BYTES = 16 * 1024 * 1024;
const LARGE_BYTES = 2048;

const READ = `
  SELECT ${selectColumns(Endpoint, 'e', ['id', 'key', 'orgId', 'revision', ...CHECKED_SETTINGS])}, o.is_default AS "isDefaultOrg"
    FROM endpoint e JOIN organization o ON o.id = e.org_id WHERE e.id = ANY($1)`;

/** About what its texts take in memory; the rest of a definition is much the same for all. */
export function textBytesOf({ request: { headers, body, assertions, tls } }: PreparedCheck): number {
  let bytes = (body?.length ?? 0) + (tls?.ca?.length ?? 0);
  for (const { key, value } of headers) bytes += key.length + value.length;
  if (assertions.length > 0) bytes += JSON.stringify(assertions).length;
  return bytes;
}

/** Definitions by endpoint, bounded by the bytes of their texts. */
class KnownDefinitions {
  private readonly small = new BoundedMap<string, CheckDefinition>(MAX_KNOWN, {
    max: MAX_SMALL_BYTES,
    of: textBytesOf,
  });
  private readonly large = new BoundedMap<string, CheckDefinition>(MAX_KNOWN, {
    max: MAX_LARGE_BYTES,
    of: textBytesOf,
  });

  get(endpointId: string): CheckDefinition | undefined {
    return this.small.get(endpointId) ?? this.large.get(endpointId);
  }

  set(definition: CheckDefinition): void {
    const [to, from] = textBytesOf(definition) > LARGE_BYTES ? [this.large, this.small] : [this.small, this.large];
    from.delete(definition.endpointId);
    to.set(definition.endpointId, definition);
  }

  delete(endpointId: string): void {
    this.small.delete(endpointId);
    this.large.delete(endpointId);
  }

  get textBytes(): number {
    return this.small.weight + this.large.weight;
  }
}

/** Definitions of the endpoints this process checks, kept between checks: a steady schedule reads no wide row. */
@Injectable()
export class CheckDefinitions {
  private readonly logger = new Logger(CheckDefinitions.name);
  private readonly known = new KnownDefinitions();
  private reported = '';

  constructor(
    private readonly checkers: CheckerRegistry,
    private readonly egress: EgressPolicy,
    private readonly settings: EndpointSettingsResolver,
  ) {}

  /** What the texts of the definitions in memory take. */
  get textBytes(): number {
    return this.known.textBytes;
  }

  /**
   * The definitions of these endpoints at these revisions or newer; `null` of a type that is not run here: a later version's,
   * an extension's that is not loaded, a passive one. Deleted endpoints are absent. One statement for those not in memory.
   */
  async load(
    sql: Sql,
    wanted: readonly { endpointId: string; revision: number }[],
  ): Promise<Map<string, CheckDefinition | null>> {
    const found = new Map<string, CheckDefinition | null>();
    const missing: string[] = [];
    for (const { endpointId, revision } of wanted) {
      const known = this.known.get(endpointId);
      if (known && known.revision >= revision) found.set(endpointId, known);
      else missing.push(endpointId);
    }
    if (missing.length === 0) return found;
    for (const row of await sql.query<Row>(READ, [missing])) {
      const definition = this.define(row);
      found.set(row.id, definition);
      if (definition === null) continue;
      // Read again at each claim, so that a repaired row is checked without a restart.
      if (definition.checker instanceof UnreadableSettings) this.known.delete(definition.endpointId);
      else this.known.set(definition);
    }
    return found;
  }

  /** The definition of one endpoint as it is stored now; `null` when it was deleted or its type is not run here. */
  async loadOne(sql: Sql, endpointId: string): Promise<CheckDefinition | null> {
    const [row] = await sql.query<Row>(READ, [[endpointId]]);
    return row ? this.define(row) : null;
  }

  /** Throws `conflict` for a type that nothing runs. */
  refusePassive(type: string): void {
    if (this.checkers.isPassive(type))
      throw problems.conflict(`No check of type ${type} is run: its results are sent to the monitor.`);
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

  private define({ id, key, orgId, isDefaultOrg, revision, ...settings }: Row): CheckDefinition | null {
    if (!this.checkers.has(settings.type) || this.checkers.isPassive(settings.type)) return null;
    const organization = { id: orgId, isDefault: isDefaultOrg };
    return { endpointId: id, endpointKey: key, orgId, revision, ...this.prepareStored(id, settings, organization) };
  }

  /** One row that cannot be read must not keep the others of its claim from being checked. */
  private prepareStored(id: string, settings: CheckedSettings, organization: Organization): PreparedCheck {
    try {
      return this.prepare(id, settings, organization);
    } catch (error) {
      const isExpected = error instanceof SecretUnreadable || error instanceof InvalidTarget;
      const why = isExpected ? error.message : 'the stored row is damaged';
      this.report(id, `${why}${isExpected ? '' : ` (${String(error)})`}`);
      const checker = new UnreadableSettings(why);
      const egress = this.egress.forOrganization(organization);
      const none = { method: 'GET', headers: [], body: null, followRedirects: false, assertions: [], tls: null };
      return { timeoutMs: settings.timeoutSeconds * SECOND_MS, checker, request: { ...none, target: null, egress } };
    }
  }

  /** Once for each reason in a row, not at every check. */
  private report(endpointId: string, why: string): void {
    if (why !== this.reported) this.logger.error(`Could not read the settings of endpoint ${endpointId}: ${why}`);
    this.reported = why;
  }
}
