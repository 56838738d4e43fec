import { refuse, under } from '../../platform/problem/findings';
import { type FieldProblem, Problem, problems } from '../../platform/problem/problem';
import type { PlanNote } from './plan';

/** Codes of problems that are about fields of one resource. */
const OF_FIELDS: readonly string[] = ['validation_failed', 'target_not_allowed'];

/** Collects what is wrong with the resources of a document, at their places in it, until all are planned. */
export class PlanFindings {
  readonly notes: PlanNote[] = [];
  private readonly invalid: FieldProblem[] = [];
  private readonly forbidden: FieldProblem[] = [];
  private readonly taken: FieldProblem[] = [];

  constructor(private readonly lineOf: (pointer: string) => number | null) {}

  add(problem: FieldProblem): void {
    this.invalid.push(problem);
  }

  addTaken(found: readonly FieldProblem[]): void {
    this.taken.push(...found);
  }

  /** Secrets that nobody would ever see: a client of the single route is shown them once. */
  noteGenerated(path: string, keys: readonly string[]): void {
    for (const key of keys)
      this.notes.push({
        key: path,
        message: `A value for ${key} is generated and shown nowhere: declare one as {$secret: NAME} if somebody has to know it.`,
      });
  }

  /** What a service makes of the resource at `pointer`; `null` when it refuses fields of it, which are noted. */
  attempt<Result>(pointer: string, work: () => Result): Result | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Problem) || !OF_FIELDS.includes(error.code)) throw error;
      const found = under(pointer, { invalid: error.errors, forbidden: [] }).invalid;
      (error.code === 'target_not_allowed' ? this.forbidden : this.invalid).push(...found);
      return null;
    }
  }

  /** Throws `validation_failed` with everything, else `target_not_allowed`, else `conflict` for what others declared. */
  refuse(): void {
    refuse({ invalid: this.located(this.invalid), forbidden: this.located(this.forbidden) });
    if (this.taken.length > 0) throw problems.conflict(TAKEN, this.located(this.taken));
  }

  private located(found: readonly FieldProblem[]): FieldProblem[] {
    return found.map((problem) => ({ ...problem, line: this.lineOf(problem.pointer) }));
  }
}

const TAKEN =
  'What "errors" lists is declared by another owner. Nothing is taken over: remove it there first, or use other keys.';

/** A reference below `parent` that has no value, where none is stored. */
export const missingSecret = (parent: string, { pointer, name }: { pointer: string; name: string }): FieldProblem => ({
  pointer: `${parent}${pointer}`,
  code: 'missing_secret',
  message: `no value is stored here yet: send one as secrets: {${name}: …}`,
});
