import { Injectable } from '@nestjs/common';
import { assertionProblems } from '../../checker/assertion/assertion-rules';
import { resultOf, unknown } from '../../checker/check-failure';
import { HTTP_METHODS, toCheckRequest } from '../../checker/check-request';
import { type Checker, type CheckRequest, type CheckResult, InvalidTarget } from '../../checker/checker';
import { CheckerRegistry } from '../../checker/checker.registry';
import { checkerFor } from '../../checker/both-families';
import { NO_SETTINGS, settingsProblems } from '../../checker/settings-problems';
import { fromWireTls } from '../../checker/tls-settings';
import type { CheckDefinition, PreparedCheck } from '../../engine/check-definition';
import type { AssignedEndpoint, Ask, Definition } from '../../probe-protocol/protocol';
import { EgressPolicy } from '../../platform/net/egress/egress-policy';
import { SECOND_MS } from '../../platform/time/time-units';
import { VERSION } from '../../platform/version';
import { ServerClock } from '../server/server-clock';
import { ByServerTime } from './by-server-time';

/**
 * Replaces the checker for a definition that can't be read here. Its checks are `unknown` with a reason, and all other
 * checks continue.
 */
class UnknownHere implements Checker {
  readonly assertionSources = [];
  readonly targetForm = '';

  constructor(private readonly what: string) {}

  parseTarget(): null {
    return null;
  }

  check(): Promise<CheckResult> {
    const message = `This probe (${VERSION}) does not support ${this.what}: update it.`;
    return Promise.resolve(resultOf(unknown('internal', 'internal', message)));
  }
}

/**
 * Prepares definitions from the service for checking. Never throws because of unknown content, which is checked as
 * `unknown`.
 */
@Injectable()
export class DefinitionReader {
  private readonly byServerTime = new Map<Checker, Checker>();

  constructor(
    private readonly checkers: CheckerRegistry,
    private readonly egress: EgressPolicy,
    private readonly clock: ServerClock,
  ) {}

  /** The types that this probe can check. */
  get types(): string[] {
    return this.checkers.types().filter((type) => !this.checkers.isPassive(type));
  }

  /** `key` is this process's number for the endpoint, as a string. */
  read(
    { endpoint_id, organization, revision, allow_private, definition }: AssignedEndpoint,
    key: string,
  ): CheckDefinition {
    const whose = { organization, allowPrivate: allow_private };
    const { timeoutMs, checker, request } = this.prepare(definition, whose);
    return { timeoutMs, checker, request, endpointId: endpoint_id, endpointKey: key, orgId: organization, revision };
  }

  /** Returns the definition for a test check, which doesn't belong to an endpoint. */
  readTryOut({
    request_id: id,
    definition,
    organization = '',
    allow_private: allowPrivate = false,
  }: Ask): CheckDefinition | null {
    if (definition === null) return null;
    const prepared = this.prepare(definition, { organization, allowPrivate });
    return { ...prepared, endpointId: id, endpointKey: '0', orgId: organization, revision: 0 };
  }

  private prepare(definition: Definition, whose: { organization: string; allowPrivate: boolean }): PreparedCheck {
    const egress = this.egress.forAssigned(whose);
    const timeoutMs = definition.timeout * SECOND_MS;
    try {
      const what = this.unknownIn(definition);
      if (what === null) {
        const checker = this.checkers.get(definition.type);
        const request = toCheckRequest(checker, this.settingsOf(definition), egress);
        const runs = checkerFor(this.judgedByServerTime(checker), request.settings);
        return { timeoutMs, checker: runs, request };
      }
      return { timeoutMs, checker: new UnknownHere(what), request: { ...NOTHING, egress } };
    } catch (error) {
      const what = error instanceof InvalidTarget ? `its target (${error.message})` : 'its definition';
      return { timeoutMs, checker: new UnknownHere(what), request: { ...NOTHING, egress } };
    }
  }

  /** Returns the part of a definition that only a newer version supports, or `null` if everything is supported. */
  private unknownIn({ type, url, method, assertions, settings }: Definition): string | null {
    if (!this.types.includes(type)) return `the type ${type}`;
    if (!HTTP_METHODS.some((known) => known === method)) return `the method ${method}`;
    const checker = this.checkers.get(type);
    const [wrong] = settings ? settingsProblems(checker, settings, url) : [];
    if (wrong) return `the setting ${wrong.pointer.slice(1)} of the type ${type}`;
    const { assertionSources } = checker;
    const [problem] = assertionProblems(assertions, assertionSources);
    if (problem === undefined) return null;
    const { source, comparison } = assertions[Number(problem.pointer.split('/')[1])] ?? {};
    return `the assertion ${source ?? ''} ${comparison ?? ''}`.trimEnd();
  }

  private settingsOf(definition: Definition): Parameters<typeof toCheckRequest>[1] {
    const { url, method, headers, body, assertions, tls } = definition;
    return {
      url,
      method,
      headers,
      body,
      followRedirects: definition.follow_redirects,
      tls: tls && fromWireTls(tls),
      settings: definition.settings,
      assertions,
      certificateWarnDays: definition.certificate_warn_days,
      now: this.now,
    };
  }

  private readonly now = (): number => this.clock.now();

  private judgedByServerTime(checker: Checker): Checker {
    const known = this.byServerTime.get(checker);
    if (known) return known;
    const judged = new ByServerTime(checker, this.clock);
    this.byServerTime.set(checker, judged);
    return judged;
  }
}

const NOTHING: Omit<CheckRequest<unknown>, 'egress'> = {
  target: null,
  settings: NO_SETTINGS,
  method: 'GET',
  headers: [],
  body: null,
  followRedirects: false,
  assertions: [],
  tls: null,
};
