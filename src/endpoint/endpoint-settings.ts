import { Injectable } from '@nestjs/common';
import { assertionProblems } from '../checker/assertion/assertion-rules';
import type { Assertion } from '../checker/assertion/assertion';
import { type Checker, InvalidTarget } from '../checker/checker';
import { CheckerRegistry } from '../checker/checker.registry';
import { headerProblem, isSensitiveHeader } from '../checker/request-headers';
import type { Caller } from '../platform/access/caller';
import { Config } from '../platform/config/config';
import { EgressPolicy } from '../platform/net/egress/egress-policy';
import { type FieldProblem, problems } from '../platform/problem/problem';
import { SecretBox } from '../platform/secrets/secret-box';
import { type HeaderDto, MASK, type UpdateEndpointDto } from './endpoint.dto';
import type { Endpoint, StoredHeader } from './endpoint.entity';

/** The stored settings of an endpoint. */
export type EndpointSettings = Pick<
  Endpoint,
  | 'name'
  | 'url'
  | 'type'
  | 'method'
  | 'intervalSeconds'
  | 'timeoutSeconds'
  | 'enabled'
  | 'headers'
  | 'body'
  | 'followRedirects'
  | 'assertions'
>;

const MAX_BODY_BYTES = 64 * 1024;
const DEFAULTS = {
  method: 'GET',
  intervalSeconds: 60,
  timeoutSeconds: 10,
  enabled: true,
  headers: [],
  body: null,
  followRedirects: true,
  assertions: [],
};

/** Judges what a client sends for an endpoint, as a whole: every problem at once. */
@Injectable()
export class EndpointSettingsRules {
  constructor(
    private readonly checkers: CheckerRegistry,
    private readonly egress: EgressPolicy,
    private readonly secrets: SecretBox,
    private readonly config: Config,
  ) {}

  /**
   * The settings after the change, `stored` being those before it (`null` on create, where the dto has name, url, type).
   * Throws `validation_failed` with every field problem, or `target_not_allowed`.
   */
  settle(id: string, dto: UpdateEndpointDto, stored: EndpointSettings | null, caller: Caller): EndpointSettings {
    const found: FieldProblem[] = [];
    const type = dto.type ?? stored?.type ?? '';
    const url = dto.url ?? stored?.url ?? '';
    const checker = this.checkers.has(type) ? this.checkers.get(type) : null;
    if (!checker)
      found.push({
        pointer: '/type',
        code: 'unsupported_type',
        message: `type must be one of ${this.checkers.types().join(', ')}`,
      });
    else if (dto.url !== undefined || dto.type !== undefined) found.push(...targetProblems(checker, url));
    const assertions = dto.assertions?.map(plainAssertion) ?? stored?.assertions ?? DEFAULTS.assertions;
    if (checker && (dto.assertions !== undefined || dto.type !== undefined)) {
      found.push(
        ...assertionProblems(assertions, checker.assertionSources).map((problem) => ({
          ...problem,
          pointer: `/assertions${problem.pointer}`,
        })),
      );
    }
    const settings: EndpointSettings = {
      name: dto.name?.trim() ?? stored?.name ?? '',
      url: url.trim(),
      type,
      method: dto.method ?? stored?.method ?? DEFAULTS.method,
      intervalSeconds:
        dto.interval ?? stored?.intervalSeconds ?? Math.max(DEFAULTS.intervalSeconds, this.config.minIntervalSeconds),
      timeoutSeconds: dto.timeout ?? stored?.timeoutSeconds ?? DEFAULTS.timeoutSeconds,
      enabled: dto.enabled ?? stored?.enabled ?? DEFAULTS.enabled,
      headers: dto.headers
        ? this.storedHeaders(id, dto.headers, stored?.headers ?? [], found)
        : (stored?.headers ?? DEFAULTS.headers),
      body: dto.body === undefined ? (stored?.body ?? DEFAULTS.body) : dto.body,
      followRedirects: dto.follow_redirects ?? stored?.followRedirects ?? DEFAULTS.followRedirects,
      assertions,
    };
    found.push(...this.boundProblems(settings, dto));
    if (found.length > 0) throw problems.validationFailed(found);
    if (checker && (dto.url !== undefined || dto.type !== undefined))
      this.refuseForbiddenTarget(checker, settings.url, caller);
    return settings;
  }

  /** Headers as they are sent: sealed values opened. */
  openHeaders(id: string, headers: readonly StoredHeader[]): HeaderDto[] {
    return headers.map(({ key, value, sealed }) => ({
      key,
      value: sealed ? this.secrets.open(value, headerContext(id)) : value,
    }));
  }

  private boundProblems(settings: EndpointSettings, dto: UpdateEndpointDto): FieldProblem[] {
    const found: FieldProblem[] = [];
    const floor = this.config.minIntervalSeconds;
    if (dto.interval !== undefined && dto.interval < floor) {
      found.push({
        pointer: '/interval',
        code: 'out_of_range',
        message: `interval must not be less than ${floor} on this installation`,
      });
    }
    if (settings.body !== null && Buffer.byteLength(settings.body) > MAX_BODY_BYTES) {
      found.push({ pointer: '/body', code: 'too_long', message: `body may have at most ${MAX_BODY_BYTES} bytes` });
    }
    return found;
  }

  private refuseForbiddenTarget(checker: Checker, url: string, caller: Caller): void {
    const hosts = checker.hostsOf?.(checker.parseTarget(url)) ?? [];
    const rule = this.egress.forOrganization({ isDefault: caller.isDefaultOrg });
    for (const host of hosts) {
      const refusal = this.egress.refusalOfHost(host, rule);
      if (refusal !== null) throw problems.targetNotAllowed('/url', refusal);
    }
  }

  /** A masked value keeps what is stored under the same name; the others are judged, and sealed when they are credentials. */
  private storedHeaders(
    id: string,
    sent: readonly HeaderDto[],
    stored: readonly StoredHeader[],
    found: FieldProblem[],
  ): StoredHeader[] {
    return sent.map(({ key, value }, i): StoredHeader => {
      const kept = value === MASK ? stored.find((header) => header.key.toLowerCase() === key.toLowerCase()) : undefined;
      if (kept) return { ...kept, key };
      const problem = headerProblem(key, value);
      if (problem)
        found.push({ pointer: `/headers/${i}/${problem.part}`, code: problem.code, message: problem.message });
      return isSensitiveHeader(key)
        ? { key, value: this.secrets.seal(value, headerContext(id)), sealed: true }
        : { key, value };
    });
  }
}

const headerContext = (id: string): string => `endpoint:${id}:headers`;

function targetProblems(checker: Checker, url: string): FieldProblem[] {
  try {
    checker.parseTarget(url.trim());
    return [];
  } catch (error) {
    if (!(error instanceof InvalidTarget)) throw error;
    return [{ pointer: '/url', code: 'invalid_format', message: error.message }];
  }
}

/** Absent keys stay absent, in a fixed order, so that equal assertions compare equal. */
const plainAssertion = ({ source, property, comparison, target }: Assertion): Assertion =>
  property === undefined ? { source, comparison, target } : { source, property, comparison, target };
