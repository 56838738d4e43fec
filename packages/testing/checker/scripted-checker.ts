import { Injectable, Module } from '@nestjs/common';
import { down, resultOf } from '../../../src/checker/check-failure';
import {
  Checker,
  type CheckRequest,
  type CheckResult,
  type ErrorCode,
  InvalidTarget,
} from '../../../src/checker/checker';
import type { Extension } from '../../../src/extension/extension';

/** What a scripted target does at one check. */
export type ScriptedResult =
  | 'up'
  /** Up with a warning: degraded. */
  | { up: true; warning: string }
  /** Down for the target's fault; `code` `connection_refused` unless given. */
  | 'down'
  | { down: string; code?: ErrorCode }
  /** The fault is the monitor's. */
  | 'unknown';

/** A target that does as a test says: first what was queued, one check each, then always the same. */
export class ScriptedTarget {
  private readonly queue: ScriptedResult[] = [];
  private standing: ScriptedResult = 'up';
  private asked = 0;

  constructor(private readonly name: string) {}

  /** For the `url` of an endpoint of type `SCRIPTED`. */
  get url(): string {
    return `scripted://${this.name}`;
  }

  /** How often it has been checked. */
  get checks(): number {
    return this.asked;
  }

  /** For the next checks, one each, in this order, behind those that are queued already. */
  next(...results: readonly ScriptedResult[]): this {
    this.queue.push(...results);
    return this;
  }

  /** For every check that nothing is queued for; `up` from the beginning. */
  always(result: ScriptedResult): this {
    this.standing = result;
    return this;
  }

  /** Of one check. */
  check(): CheckResult {
    this.asked += 1;
    return resultFor(this.queue.shift() ?? this.standing);
  }
}

const DOWN = 'The script says that the target is down.';

function resultFor(script: ScriptedResult): CheckResult {
  if (script === 'up') return up(null);
  if (script === 'down') return resultOf(down('connection_refused', 'connect', DOWN));
  if (script === 'unknown')
    return { ...resultOf(down('internal', 'internal', 'The script says so.')), outcome: 'unknown' };
  if ('up' in script) return up(script.warning);
  return resultOf(down(script.code ?? 'connection_refused', 'connect', script.down));
}

const up = (warning: string | null): CheckResult => ({
  ...resultOf(down('internal', 'internal', '')),
  outcome: 'up',
  durationMs: 1,
  phases: { dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: null, transferMs: null },
  error: null,
  warning: warning === null ? null : { code: 'assertion_failed', phase: 'assertion', message: warning },
});

/** The scripted targets of one service under test, by their names. */
export class Scripts {
  private readonly targets = new Map<string, ScriptedTarget>();

  /** The target of this name: letters, digits, hyphens. Made at its first mention, by the test or by a check. */
  target(name: string): ScriptedTarget {
    const known = this.targets.get(name);
    if (known) return known;
    const made = new ScriptedTarget(name);
    this.targets.set(name, made);
    return made;
  }
}

const TARGET = /^scripted:\/\/([A-Za-z0-9-]{1,100})$/;

/** Checks of the type `SCRIPTED`: no network, whatever the test has queued. */
@Injectable()
@Checker('SCRIPTED')
export class ScriptedChecker implements Checker<string> {
  readonly targetForm = 'scripted://name';
  readonly assertionSources = [] as const;

  constructor(private readonly scripts: Scripts) {}

  parseTarget(url: string): string {
    const [, name] = TARGET.exec(url) ?? [];
    if (name === undefined)
      throw new InvalidTarget(
        `a scripted target must be a name of letters, digits, and hyphens, in the form ${this.targetForm}`,
      );
    return name;
  }

  async check({ target }: CheckRequest<string>): Promise<CheckResult> {
    return this.scripts.target(target).check();
  }
}

/** The checker of these targets, as an extension. */
export function scriptedChecks(scripts: Scripts): Extension {
  @Module({ providers: [ScriptedChecker, { provide: Scripts, useValue: scripts }] })
  class ScriptedChecks {}
  return { name: 'scripted-checks', modules: [ScriptedChecks] };
}
