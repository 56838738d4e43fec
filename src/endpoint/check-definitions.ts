import { Injectable, Logger } from '@nestjs/common';
import { toCheckRequest } from '../checker/check-request';
import { type Checker, InvalidTarget, type CheckResult } from '../checker/checker';
import { CheckerRegistry } from '../checker/checker.registry';
import { checkerFor } from '../checker/both-families';
import { NO_SETTINGS } from '../checker/settings-problems';
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
 * Stands in for the checker of an endpoint whose stored settings cannot be read, for example because a header was
 * encrypted with a key this process does not have. Its checks return `unknown` with the reason. Other endpoints are not
 * affected.
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
 * The settings that define a check. Changing one creates a new revision, and results of older revisions no longer
 * count.
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
  'settings',
  'certificateWarnDays',
] as const satisfies readonly (keyof EndpointSettings)[];

export type CheckedSettings = Pick<EndpointSettings, (typeof CHECKED_SETTINGS)[number]>;

/** The organization that owns the endpoint. It determines which hosts the endpoint's checks may connect to. */
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

/** The maximum number of definitions in memory. Each takes about 1 KB plus its strings. */
const MAX_KNOWN = 100_000;
/**
 * The maximum number of bytes that strings (headers, body, assertions, certificates) may take in memory. Large
 * definitions have a separate budget, so an organization with thousands of them doesn't evict the small ones of others.
 * A definition that is not in memory costs one row read per claim.
 */
const MAX_SMALL_BYTES = 48 * 1024 * 1024;
const MAX_LARGE_BYTES = 16 * 1024 * 1024;
const LARGE_BYTES = 2048;

const READ = `
  SELECT ${selectColumns(Endpoint, 'e', ['id', 'key', 'orgId', 'revision', ...CHECKED_SETTINGS])}, o.is_default AS "isDefaultOrg"
    FROM endpoint e JOIN organization o ON o.id = e.org_id WHERE e.id = ANY($1)`;

/**
 * Estimates how many bytes the strings of a definition take in memory. The rest is about the same size for every
 * definition.
 */
export function textBytesOf({ request: { headers, body, assertions, tls, settings } }: PreparedCheck): number {
  let bytes = (body?.length ?? 0) + (tls?.ca?.length ?? 0);
  if (settings !== NO_SETTINGS) bytes += JSON.stringify(settings).length;
  for (const { key, value } of headers) bytes += key.length + value.length;
  if (assertions.length > 0) bytes += JSON.stringify(assertions).length;
  return bytes;
}

/** Definitions by endpoint, limited by the total size of their strings. */
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

/** Caches the definitions of the endpoints that this process checks, so a steady schedule reads no wide rows. */
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

  get textBytes(): number {
    return this.known.textBytes;
  }

  /**
   * Returns the definitions of these endpoints at these revisions or newer. A definition is `null` if this instance
   * cannot run the endpoint's type: the type belongs to a later version, its extension is not loaded, or it is passive.
   * Deleted endpoints are missing. Cost: one statement for the definitions that are not in memory.
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
      // Read the row again at each claim, so that a repaired row is checked without a restart.
      if (definition.checker instanceof UnreadableSettings) this.known.delete(definition.endpointId);
      else this.known.set(definition);
    }
    return found;
  }

  /**
   * Returns the stored definition of one endpoint, or `null` if it was deleted or this instance cannot run its type.
   */
  async loadOne(sql: Sql, endpointId: string): Promise<CheckDefinition | null> {
    const [row] = await sql.query<Row>(READ, [[endpointId]]);
    return row ? this.define(row) : null;
  }

  /** Throws: `conflict` if the type is passive, because no checker runs it. */
  refusePassive(type: string): void {
    if (this.checkers.isPassive(type))
      throw problems.conflict(`No check of type ${type} is run: its results are sent to the monitor.`);
  }

  /** Builds a check from these settings, for a stored or a new endpoint. The type must have a checker. */
  prepare(endpointId: string, settings: CheckedSettings, organization: Organization): PreparedCheck {
    const { type, timeoutSeconds, ...requested } = settings;
    const checker = this.checkers.get(type);
    const opened = this.settings.openSecrets(endpointId, settings);
    const egress = this.egress.forOrganization(organization);
    return {
      timeoutMs: timeoutSeconds * SECOND_MS,
      checker: checkerFor(checker, opened.settings),
      request: toCheckRequest(checker, { ...requested, ...opened }, egress),
    };
  }

  private define({ id, key, orgId, isDefaultOrg, revision, ...settings }: Row): CheckDefinition | null {
    if (!this.checkers.has(settings.type) || this.checkers.isPassive(settings.type)) return null;
    const organization = { id: orgId, isDefault: isDefaultOrg };
    return { endpointId: id, endpointKey: key, orgId, revision, ...this.prepareStored(id, settings, organization) };
  }

  /** One unreadable row must not prevent the other checks of the same claim. */
  private prepareStored(id: string, settings: CheckedSettings, organization: Organization): PreparedCheck {
    try {
      return this.prepare(id, settings, organization);
    } catch (error) {
      const isExpected = error instanceof SecretUnreadable || error instanceof InvalidTarget;
      const why = isExpected ? error.message : 'the stored row is damaged';
      this.report(id, `${why}${isExpected ? '' : ` (${String(error)})`}`);
      const checker = new UnreadableSettings(why);
      const egress = this.egress.forOrganization(organization);
      const none = {
        settings: NO_SETTINGS,
        method: 'GET',
        headers: [],
        body: null,
        followRedirects: false,
        assertions: [],
        tls: null,
      };
      return { timeoutMs: settings.timeoutSeconds * SECOND_MS, checker, request: { ...none, target: null, egress } };
    }
  }

  /** Logs each reason once until the reason changes, instead of at every check. */
  private report(endpointId: string, why: string): void {
    if (why !== this.reported) this.logger.error(`Could not read the settings of endpoint ${endpointId}: ${why}`);
    this.reported = why;
  }
}
