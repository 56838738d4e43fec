import { refuse, under } from '../../platform/problem/findings';
import { type FieldProblem, Problem, problems } from '../../platform/problem/problem';
import type { PlanNote } from './plan';

/** Codes for problems with one resource's fields. */
const OF_FIELDS: readonly string[] = ['validation_failed', 'target_not_allowed'];

/** The maximum number of problems in a response. */
const MAX_LISTED = 20;

/** Collects the first errors in a document's resources, with their positions. */
export class PlanFindings {
  readonly notes: PlanNote[] = [];
  private readonly invalid: FieldProblem[] = [];
  private readonly forbidden: FieldProblem[] = [];
  private readonly taken: FieldProblem[] = [];

  constructor(private readonly lineOf: (pointer: string) => number | null) {}

  add(problem: FieldProblem): void {
    addSome(this.invalid, [problem]);
    // Later errors would not be listed.
    if (this.invalid.length >= MAX_LISTED) this.refuse();
  }

  addTaken(found: readonly FieldProblem[]): void {
    addSome(this.taken, found);
  }

  /**
   * Adds notes about generated secrets that no one would see. A client that uses the resource's own route sees them
   * once.
   */
  noteGenerated(path: string, keys: readonly string[]): void {
    for (const key of keys)
      this.notes.push({
        key: path,
        message: `A value for ${key} is generated and never shown. If you need to know it, declare one as {$secret: NAME}.`,
      });
  }

  /**
   * Runs a service on the resource at `pointer`. If the service rejects fields, adds them to the findings and returns
   * `null`.
   */
  attempt<Result>(pointer: string, work: () => Result): Result | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Problem) || !OF_FIELDS.includes(error.code)) throw error;
      const found = under(pointer, { invalid: error.errors, forbidden: [] }).invalid;
      if (error.code === 'target_not_allowed') addSome(this.forbidden, found);
      else for (const problem of found) this.add(problem);
      return null;
    }
  }

  /**
   * Throws `validation_failed` with all errors, otherwise `target_not_allowed`, otherwise `conflict` for other owners'
   * resources and for slugs and domains in use.
   */
  refuse(): void {
    refuse({ invalid: this.located(this.invalid), forbidden: this.located(this.forbidden) });
    if (this.taken.length === 0) return;
    const isOwned = this.taken.some(({ code }) => code === 'other_owner');
    throw problems.conflict(isOwned ? TAKEN : ADDRESSES_TAKEN, this.located(this.taken));
  }

  private located(found: readonly FieldProblem[]): FieldProblem[] {
    return found.map((problem) => ({ ...problem, line: this.lineOf(problem.pointer) }));
  }
}

function addSome(all: FieldProblem[], found: readonly FieldProblem[]): void {
  all.push(...found.slice(0, MAX_LISTED - all.length));
}

const TAKEN =
  'The resources listed in "errors" are declared by another owner. Remove them from the other document and apply that document. They then have no owner, and this document adopts them. You can also have an admin take them over with ?take_over=true, or use other keys.';

const ADDRESSES_TAKEN = 'Another status page uses the values listed in "errors". Choose other values.';

/** Returns the error for a reference under `parent` that has no value if there is no stored value either. */
export const missingSecret = (parent: string, { pointer, name }: { pointer: string; name: string }): FieldProblem => ({
  pointer: `${parent}${pointer}`,
  code: 'missing_secret',
  message: `no value is stored here yet: add one as secrets: {${name}: …}`,
});
