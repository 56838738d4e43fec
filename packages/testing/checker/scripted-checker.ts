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

/** The result of one check on a scripted target. */
export type ScriptedResult =
  | 'up'
  /** Up with a warning, which counts as degraded. */
  | { up: true; warning: string }
  /** Down because of the target. `code` defaults to `connection_refused`. */
  | 'down'
  | { down: string; code?: ErrorCode }
  /** Unknown because of a problem in the monitor itself. */
  | 'unknown';

/**
 * A target that follows a test's script. Each check takes the next result from the queue. When the queue is empty, the
 * result is always the same.
 */
export class ScriptedTarget {
  private readonly queue: ScriptedResult[] = [];
  private standing: ScriptedResult = 'up';
  private asked = 0;

  constructor(private readonly name: string) {}

  /** The `url` to use for an endpoint of type `SCRIPTED`. */
  get url(): string {
    return `scripted://${this.name}`;
  }

  /** The number of checks so far. */
  get checks(): number {
    return this.asked;
  }

  /** Adds results to the queue, one for each of the next checks. */
  next(...results: readonly ScriptedResult[]): this {
    this.queue.push(...results);
    return this;
  }

  /** Sets the result to use when the queue is empty. Initially `up`. */
  always(result: ScriptedResult): this {
    this.standing = result;
    return this;
  }

  /** Returns the result of one check. */
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

/** The scripted targets for one service under test, by name. */
export class Scripts {
  private readonly targets = new Map<string, ScriptedTarget>();

  /**
   * Returns the target with this name (letters, digits, hyphens). Creates it when a test or a check first asks for it.
   */
  target(name: string): ScriptedTarget {
    const known = this.targets.get(name);
    if (known) return known;
    const made = new ScriptedTarget(name);
    this.targets.set(name, made);
    return made;
  }
}

const TARGET = /^scripted:\/\/([A-Za-z0-9-]{1,100})$/;

/** The checker for `SCRIPTED` endpoints. It returns the test's results without using the network. */
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

/** Returns the checker for these targets as an extension. */
export function scriptedChecks(scripts: Scripts): Extension {
  @Module({ providers: [ScriptedChecker, { provide: Scripts, useValue: scripts }] })
  class ScriptedChecks {}
  return { name: 'scripted-checks', modules: [ScriptedChecks] };
}
