import { Injectable } from '@nestjs/common';
import { assertionProblems } from '../checker/assertion/assertion-rules';
import { type Checker, InvalidTarget } from '../checker/checker';
import { CheckerRegistry } from '../checker/checker.registry';
import { headerProblem, isSensitiveHeader } from '../checker/request-headers';
import type { Caller } from '../platform/access/caller';
import { Config } from '../platform/config/config';
import { EgressPolicy } from '../platform/net/egress/egress-policy';
import { type FieldProblem, problems } from '../platform/problem/problem';
import { SecretBox } from '../platform/secrets/secret-box';
import { MASK } from '../platform/secrets/mask';
import { type HeaderDto, sentSettings, type UpdateEndpointDto } from './endpoint.dto';
import { DEFAULT_SETTINGS, type EndpointSettings, type StoredHeader } from './endpoint.entity';

const MAX_BODY_BYTES = 64 * 1024;

/** Merges what a client sent with what is stored, and validates the result as a whole: every problem at once. */
@Injectable()
export class EndpointSettingsResolver {
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
  resolve(id: string, dto: UpdateEndpointDto, stored: EndpointSettings | null, caller: Caller): EndpointSettings {
    const before = stored ?? this.defaults();
    const settings: EndpointSettings = { ...before, ...sentSettings(dto) };
    const checker = this.checkers.has(settings.type) ? this.checkers.get(settings.type) : null;
    const hasNewTarget = dto.url !== undefined || dto.type !== undefined;
    const found: FieldProblem[] = [];
    if (!checker) found.push(this.unsupportedType());
    else {
      if (hasNewTarget) found.push(...targetProblems(checker, settings.url));
      if (dto.assertions !== undefined || dto.type !== undefined)
        found.push(...assertionsProblems(checker, settings.assertions));
    }
    if (dto.headers) settings.headers = this.storedHeaders(id, dto.headers, before.headers, found);
    found.push(...this.boundProblems(settings, dto));
    if (found.length > 0) throw problems.validationFailed(found);
    if (checker && hasNewTarget) this.refuseForbiddenTarget(checker, settings.url, caller);
    return settings;
  }

  /** Headers as they are sent: sealed values opened. */
  openHeaders(id: string, headers: readonly StoredHeader[]): HeaderDto[] {
    return headers.map(({ key, value, sealed }) => ({
      key,
      value: sealed ? this.secrets.open(value, headerContext(id)) : value,
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
    const rule = this.egress.forOrganization({ id: caller.orgId, isDefault: caller.isDefaultOrg });
    for (const host of hosts) {
      const refusal = this.egress.refusalOfHost(host, rule);
      if (refusal !== null) throw problems.targetNotAllowed('/url', refusal);
    }
  }

  /** A masked value keeps what is stored under the same name; all others are validated, and sealed when they are credentials. */
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
    checker.parseTarget(url);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidTarget)) throw error;
    return [{ pointer: '/url', code: 'invalid_format', message: error.message }];
  }
}

const assertionsProblems = (checker: Checker, assertions: EndpointSettings['assertions']): FieldProblem[] =>
  assertionProblems(assertions, checker.assertionSources).map((problem) => ({
    ...problem,
    pointer: `/assertions${problem.pointer}`,
  }));
