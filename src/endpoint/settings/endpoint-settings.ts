import { Injectable } from '@nestjs/common';
import type { Assertion } from '../../checker/assertion/assertion';
import { assertionProblems } from '../../checker/assertion/assertion-rules';
import { type Checker, InvalidTarget } from '../../checker/checker';
import { CheckerRegistry } from '../../checker/checker.registry';
import { headerProblem, isSensitiveHeader } from '../../checker/request-headers';
import { tlsProblems, unverifiedProblem } from '../../checker/tls-settings';
import type { Caller } from '../../platform/access/caller';
import { may, type Role } from '../../platform/access/permissions';
import { Config } from '../../platform/config/config';
import type { Sql } from '../../platform/database/database';
import { EgressPolicy, type EgressRule } from '../../platform/net/egress/egress-policy';
import { type Findings, refuse } from '../../platform/problem/findings';
import type { FieldProblem } from '../../platform/problem/problem';
import { SecretBox, SecretUnreadable } from '../../platform/secrets/secret-box';
import { MASK } from '../../platform/secrets/mask';
import { readUrl } from '../../platform/text/read-url';
import { LOCAL_NAME, ProbeDirectory } from '../../probe/probe-directory';
import { type HeaderDto, sentSettings, type SentWithoutNulls, type UpdateEndpointDto } from '../endpoint.dto';
import { FIELDS_OF_CHECKS, typeProblems } from '../heartbeat/heartbeat-rules';
import { HEARTBEAT, HEARTBEAT_URL, intervalOf } from '../heartbeat/heartbeat-schedule';
import { sentAddress, type SentAddress } from '../heartbeat/heartbeat.dto';
import {
  isLocated,
  isShared,
  locationProblems,
  namedLocations,
  PROBE,
  type ProbesByLocation,
  quorumProblems,
  watchedProblems,
} from '../locations/locations';
import { judgeable } from './judgeable';
import { DEFAULT_SETTINGS, type EndpointSettings, type StoredHeader } from '../endpoint.entity';
import { sizeProblems, type SizedSettings } from './settings-size';
import { comparesCredential, isMaskedUrl, maskedUrl } from './shown-settings';
import { TypeSettings } from './type-settings';

/**
 * Merges what a client sent with what is stored, and validates the result as a whole. Reports every problem at once.
 */
@Injectable()
export class EndpointSettingsResolver {
  constructor(
    private readonly checkers: CheckerRegistry,
    private readonly egress: EgressPolicy,
    private readonly secrets: SecretBox,
    private readonly config: Config,
    private readonly probes: ProbeDirectory,
    private readonly types: TypeSettings,
  ) {}

  /** The public URL of the service, or `null` if none is configured. */
  get publicUrl(): string | null {
    return this.config.publicUrl;
  }

  /** Returns true if instances check such an endpoint on a schedule. */
  isScheduled({ type, locations }: Pick<EndpointSettings, 'type' | 'locations'>): boolean {
    return !this.checkers.isPassive(type) && locations.includes(LOCAL_NAME);
  }

  /**
   * Returns the probes in these lists (see `namedLocations`), which `examine` needs. Cost: one statement, or none if
   * all lists contain only `local`.
   */
  probesIn(sql: Sql, orgId: string, lists: readonly (readonly string[] | undefined)[]): Promise<ProbesByLocation> {
    return this.probes.named(sql, orgId, [...new Set(lists.flatMap((list) => list ?? []))]);
  }

  /**
   * Returns the settings of a new endpoint. Throws: `validation_failed` with every field problem, or
   * `target_not_allowed`.
   */
  async resolve(sql: Sql, id: string, dto: UpdateEndpointDto, caller: Caller): Promise<EndpointSettings> {
    const probes = await this.probesIn(sql, caller.orgId, [namedLocations(dto)]);
    const { settings, findings } = this.examine(id, dto, { stored: null, caller, probes });
    refuse(findings);
    return settings;
  }

  /**
   * Returns the settings after the change and all their problems. `address` contains the ping ID and push token that a
   * client chose for a heartbeat. They are stored separately.
   */
  examine(id: string, sent: UpdateEndpointDto, { stored, caller, probes }: Circumstances): Examined {
    const before = stored ?? this.defaults();
    const type = sent.type ?? before.type;
    const found: FieldProblem[] = typeProblems(sent, type, stored && stored.type);
    const dto = ofType(sent, type, stored === null);
    const settings: EndpointSettings = { ...before, ...unmasked(sentSettings(dto), stored, found) };
    const checker = this.checkers.has(settings.type) ? this.checkers.get(settings.type) : null;
    const hasNewTarget = dto.url !== undefined || dto.type !== undefined;
    if (!checker) found.push(this.unsupportedType());
    else {
      if (hasNewTarget) found.push(...newTargetProblems(checker, settings, { stored, probes }));
      if (dto.assertions !== undefined || dto.type !== undefined)
        found.push(...assertionsProblems(checker, settings.assertions));
    }
    if (dto.heartbeat) settings.intervalSeconds = intervalOf(settings.heartbeat ?? NO_TIMING);
    if (dto.headers) settings.headers = this.storedHeaders(id, dto.headers, before.headers, found);
    const typed = checker && this.types.resolve(id, { ...settings, settings: dto.settings }, stored);
    if (typed) {
      settings.settings = typed.settings;
      found.push(...typed.problems);
    }
    found.push(...this.intervalProblems(dto));
    const isSent = (...names: (keyof UpdateEndpointDto)[]): boolean => names.some((name) => dto[name] !== undefined);
    if (isSent('headers', 'assertions', 'body'))
      found.push(...sizeProblems(this.sized(id, settings), stored && this.sized(id, stored)));
    if (dto.tls) found.push(...tlsFindings(settings));
    if (isSent('tls', 'headers', 'body', 'url', 'settings')) found.push(...unverifiedFindings(settings));
    const locations = dto.locations ?? before.locations;
    if (checker && (dto.locations !== undefined || dto.type !== undefined))
      found.push(...locationProblems(locations, { type, isLocalOnly: this.isLocalOnly(type), before: stored, probes }));
    if (isSent('locations', 'quorum')) found.push(...quorumProblems(settings.quorum, settings.locations));
    const judged = hasNewTarget ? locations : locations.filter((location) => !before.locations.includes(location));
    const forbidden = checker
      ? this.forbiddenTargets(checker, settings, { caller, probes, hasNewTarget, locations, judged: new Set(judged) })
      : [];
    if (typed) forbidden.push(...this.forbiddenIn(typed.dialed, locations, { caller, probes }));
    return { settings, address: sentAddress(dto.heartbeat ?? {}), findings: { invalid: found, forbidden } };
  }

  /**
   * Returns the problems in the well-formed fields of a body. The caller must already have removed malformed fields.
   * Incomplete headers and assertions are not validated. Required fields are checked elsewhere.
   */
  findingsIn(id: string, sent: UpdateEndpointDto, circumstances: Circumstances): Findings {
    const { dto, incomplete } = judgeable(sent);
    const isComplete = ({ pointer }: FieldProblem): boolean => !incomplete.some((item) => pointer.startsWith(item));
    const { invalid, forbidden } = this.examine(id, dto, circumstances).findings;
    return { invalid: invalid.filter(isComplete), forbidden };
  }

  /** Returns the secrets of a check, decrypted. Throws: `SecretUnreadable`. */
  openSecrets(
    id: string,
    { type, headers, settings }: Pick<EndpointSettings, 'type' | 'headers' | 'settings'>,
  ): OpenedSecrets {
    return { headers: this.openHeaders(id, headers), settings: this.types.open(id, type, settings) };
  }

  /** See `TypeSettings.hidesAt`. */
  hidesSetting(type: string, path: readonly (string | number)[]): boolean {
    return this.types.hidesAt(type, path);
  }

  /** See `TypeSettings.namedSecrets`. */
  namedSecrets(type: string, settings: object): string[] {
    return this.types.namedSecrets(type, settings);
  }

  /** Returns the headers to send, with decrypted values. */
  openHeaders(id: string, headers: readonly StoredHeader[]): HeaderDto[] {
    return headers.map(({ key, value, sealed }) => ({
      key,
      value: sealed ? this.secrets.open(value, headerContext(id)) : value,
    }));
  }

  /**
   * Returns the headers as the API shows them. Only values that the role may see are decrypted. A value that cannot be
   * decrypted is masked. If a client sends a mask back, the stored value is kept.
   */
  shownHeaders(id: string, headers: readonly StoredHeader[], role: Role): HeaderDto[] {
    const isHidden = (key: string): boolean => !may({ role }, 'secrets.read') && isSensitiveHeader(key);
    return headers.map((header) => ({
      key: header.key,
      value: isHidden(header.key) ? MASK : (this.openHeader(id, header) ?? MASK),
    }));
  }

  private defaults(): EndpointSettings {
    const intervalSeconds = Math.max(DEFAULT_SETTINGS.intervalSeconds, this.config.minIntervalSeconds);
    return { ...DEFAULT_SETTINGS, intervalSeconds };
  }

  private unsupportedType(): FieldProblem {
    const message = `type must be one of ${this.checkers.types().join(', ')}`;
    return { pointer: '/type', code: 'unsupported_type', message };
  }

  private intervalProblems({ interval }: SentWithoutNulls): FieldProblem[] {
    const floor = this.config.minIntervalSeconds;
    if (interval === undefined || interval >= floor) return [];
    const message = `interval must not be less than ${floor} on this installation`;
    return [{ pointer: '/interval', code: 'out_of_range', message }];
  }

  private sized(id: string, { headers, body, assertions }: EndpointSettings): SizedSettings {
    const opened = headers.map((header) => ({ key: header.key, value: this.openHeader(id, header) ?? header.value }));
    return { headers: opened, body, assertions };
  }

  /**
   * Returns true for passive types, whose results come from elsewhere, and for probes, because only the service itself
   * knows whether a probe is online.
   */
  private isLocalOnly(type: string): boolean {
    return this.checkers.isPassive(type) || type === PROBE;
  }

  /**
   * For each location, reports the first host that the location's egress policy refuses. Reports nothing if the target
   * cannot be parsed.
   */
  private forbiddenTargets(checker: Checker, settings: EndpointSettings, places: Places): FieldProblem[] {
    const { hasNewTarget, locations, judged } = places;
    if (judged.size === 0 || targetProblems(checker, settings.url).length > 0) return [];
    const hosts = checker.hostsOf?.(checker.parseTarget(settings.url)) ?? [];
    return locations.flatMap((location, i): FieldProblem[] => {
      const rule = judged.has(location) && locations.indexOf(location) === i ? this.ruleAt(location, places) : null;
      const refusals = rule ? hosts.map((host) => this.egress.refusalOfHost(host, rule)) : [];
      const refusal = refusals.find((text) => text !== null) ?? null;
      if (refusal === null) return [];
      const pointer = location === LOCAL_NAME && hasNewTarget ? '/url' : `/locations/${i}`;
      const message = isLocated(settings.locations) ? `${refusal} at the location ${location}` : refusal;
      return [{ pointer, code: 'invalid_format', message }];
    });
  }

  /** Reports the hosts in the settings that the egress policy of a location refuses. */
  private forbiddenIn(
    dialed: readonly { pointer: string; value: string }[],
    locations: readonly string[],
    places: Pick<Places, 'caller' | 'probes'>,
  ): FieldProblem[] {
    return dialed.flatMap(({ pointer, value }): FieldProblem[] => {
      const rules = locations.map((location) => this.ruleAt(location, places)).filter((rule) => rule !== null);
      const host = readUrl(value)?.hostname || value;
      const refusal = rules.map((rule) => this.egress.refusalOfHost(host, rule)).find((text) => text !== null);
      return refusal === undefined || refusal === null ? [] : [{ pointer, code: 'invalid_format', message: refusal }];
    });
  }

  /** Returns `null` for an unknown location, which is reported elsewhere. */
  private ruleAt(location: string, { caller, probes }: Pick<Places, 'caller' | 'probes'>): EgressRule | null {
    if (location === LOCAL_NAME)
      return this.egress.forOrganization({ id: caller.orgId, isDefault: caller.isDefaultOrg });
    const probe = probes.get(location);
    if (!probe) return null;
    return this.egress.elsewhere({ allowsPrivate: probe.allowPrivate && (!isShared(location) || caller.isDefaultOrg) });
  }

  /**
   * A masked value keeps the value stored under the same name. If a name occurs twice, values are matched by order. An
   * unchanged value keeps its encrypted form, so sending back what was read changes nothing. All other values are
   * validated, and encrypted if they are sensitive.
   */
  private storedHeaders(
    id: string,
    sent: readonly HeaderDto[],
    stored: readonly StoredHeader[],
    found: FieldProblem[],
  ): StoredHeader[] {
    const isNamed = (name: string) => (header: { key: string }) => header.key.toLowerCase() === name.toLowerCase();
    return sent.map(({ key, value }, i): StoredHeader => {
      const turn = sent.slice(0, i).filter(isNamed(key)).length;
      const before = stored.filter(isNamed(key))[turn];
      const present = before ? this.openHeader(id, before) : null;
      if (before && value === MASK && present === null) return { ...before, key };
      if (before && present !== null && (value === MASK || value === present)) {
        const isCurrent = !before.sealed || this.secrets.isCurrent(before.value);
        return isCurrent ? { ...before, key } : this.storedHeader(id, key, present);
      }
      const problem = value === MASK ? MASK_OF_NOTHING : headerProblem(key, value);
      if (problem)
        found.push({ pointer: `/headers/${i}/${problem.part}`, code: problem.code, message: problem.message });
      return this.storedHeader(id, key, value);
    });
  }

  private storedHeader(id: string, key: string, value: string): StoredHeader {
    if (!isSensitiveHeader(key)) return { key, value };
    return { key, value: this.secrets.seal(value, headerContext(id)), sealed: true };
  }

  /** Returns `null` if the value cannot be decrypted. */
  private openHeader(id: string, { value, sealed }: StoredHeader): string | null {
    if (!sealed) return value;
    try {
      return this.secrets.open(value, headerContext(id));
    } catch (error) {
      if (error instanceof SecretUnreadable) return null;
      throw error;
    }
  }
}

/** The decrypted secrets of a check. */
export interface OpenedSecrets {
  headers: HeaderDto[];
  settings: object;
}

/** The context for validating a change. */
export interface Circumstances {
  /** The settings before the change, or `null` on create. On create, the DTO contains name, URL, and type. */
  stored: EndpointSettings | null;
  caller: Caller;
  /** The result of `probesIn` for the locations that were sent, or for the stored ones if none were sent. */
  probes: ProbesByLocation;
}

/** The locations for which a target is validated. */
interface Places extends Pick<Circumstances, 'caller' | 'probes'> {
  hasNewTarget: boolean;
  /** The locations as they were sent. */
  locations: readonly string[];
  /** The locations for which the target is new. */
  judged: ReadonlySet<string>;
}

export interface Examined {
  settings: EndpointSettings;
  address: SentAddress;
  findings: Findings;
}

const NO_TIMING = { every: null, cron: null, timezone: null };

/** Returns the fields of a body that apply to the type. Fields that don't apply were already refused. */
function ofType(sent: UpdateEndpointDto, type: string, isNew: boolean): SentWithoutNulls {
  if (type !== HEARTBEAT) return { ...withoutNulls(sent), heartbeat: undefined };
  const { url: _url, ...fields } = sent;
  const kept = Object.entries(fields).filter(([name]) => !FIELDS_OF_CHECKS.some((field) => field === name));
  return { ...(Object.fromEntries(kept) as SentWithoutNulls), ...(isNew && { url: HEARTBEAT_URL }) };
}

const withoutNulls = ({
  method,
  interval,
  timeout,
  headers,
  follow_redirects,
  assertions,
  ...rest
}: UpdateEndpointDto): SentWithoutNulls => ({
  ...rest,
  method: method ?? undefined,
  interval: interval ?? undefined,
  timeout: timeout ?? undefined,
  headers: headers ?? undefined,
  follow_redirects: follow_redirects ?? undefined,
  assertions: assertions ?? undefined,
});

const MASK_OF_NOTHING = {
  part: 'value',
  code: 'invalid_format',
  message: 'is the mask ********, but no value is stored for this header; send the real value',
} as const;

/**
 * Replaces masks in the URL, body, and assertions with the stored values. A mask without a stored value is a problem.
 */
function unmasked(
  { url, body, assertions, ...sent }: Partial<EndpointSettings>,
  stored: EndpointSettings | null,
  found: FieldProblem[],
): Partial<EndpointSettings> {
  const settings: Partial<EndpointSettings> = { ...sent };
  const isUrlKept = url !== undefined && isMaskedUrl(url) && stored !== null && url === maskedUrl(stored.url);
  const isBodyKept = body === MASK && Boolean(stored?.body);
  if (url !== undefined && !isUrlKept) settings.url = url;
  if (body !== undefined && !isBodyKept) settings.body = body;
  if (settings.url !== undefined && isMaskedUrl(settings.url)) found.push(refusedMask('/url'));
  if (settings.body === MASK) found.push(refusedMask('/body'));
  if (assertions !== undefined) settings.assertions = unmaskedAssertions(assertions, stored?.assertions ?? [], found);
  return settings;
}

/** Masked assertions on the same header with the same comparison are given their stored targets, in order. */
function unmaskedAssertions(
  sent: readonly Assertion[],
  stored: readonly Assertion[],
  found: FieldProblem[],
): Assertion[] {
  return sent.map((assertion, i) => {
    if (assertion.target !== MASK || !comparesCredential(assertion)) return assertion;
    const isAlike = ({ property, comparison }: Assertion): boolean =>
      property?.toLowerCase() === assertion.property?.toLowerCase() && comparison === assertion.comparison;
    const before = stored.filter(isAlike)[sent.slice(0, i).filter(isAlike).length];
    if (before && comparesCredential(before)) return { ...assertion, target: before.target };
    found.push(refusedMask(`/assertions/${i}/target`));
    return assertion;
  });
}

const refusedMask = (pointer: string): FieldProblem => ({
  pointer,
  code: 'invalid_format',
  message: `${pointer.split('/').at(-1)} is a mask, but no value is stored for it; send the real value`,
});

const headerContext = (id: string): string => `endpoint:${id}:headers`;

function targetProblems(checker: Checker, url: string): FieldProblem[] {
  try {
    checker.parseTarget(url);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidTarget)) throw error;
    return [{ pointer: '/url', code: 'invalid_format', message: error.message }];
  }
}

/** A target that cannot be parsed refers to no probe. */
function newTargetProblems(
  checker: Checker,
  settings: EndpointSettings,
  { stored, probes }: Pick<Circumstances, 'stored' | 'probes'>,
): FieldProblem[] {
  const found = targetProblems(checker, settings.url);
  return found.length > 0 ? found : watchedProblems(settings, stored, probes);
}

const assertionsProblems = (checker: Checker, assertions: EndpointSettings['assertions']): FieldProblem[] =>
  assertionProblems(assertions, checker.assertionSources).map((problem) => ({
    ...problem,
    pointer: `/assertions${problem.pointer}`,
  }));

const tlsFindings = ({ tls }: EndpointSettings): FieldProblem[] =>
  (tls ? tlsProblems(tls) : []).map(({ part, code, message }) => ({ pointer: `/tls/${part}`, code, message }));

function unverifiedFindings({ tls, ...sent }: EndpointSettings): FieldProblem[] {
  const problem = tls && unverifiedProblem(tls, { ...sent, hasSecrets: sent.settings?.sealed !== undefined });
  return problem ? [{ pointer: `/tls/${problem.part}`, code: problem.code, message: problem.message }] : [];
}
