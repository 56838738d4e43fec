import { KEY } from '../../platform/http/body/resource-key';
import { pointerStep } from '../../platform/problem/constraint-codes';
import type { FieldProblem, FieldProblemCode } from '../../platform/problem/problem';
import { isRecord } from '../../platform/text/json';
import { cut } from '../../platform/text/text-limits';

export type Members = Readonly<Record<string, unknown>>;

const KEY_RULE = 'must be 1 to 64 of a-z 0-9 . _ - and start with a letter or a digit';
const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const SECRET_NAME_RULE = 'must be 1 to 128 letters, digits and _ and must not start with a digit';

/** The maximum number of problems in a response. */
const MAX_PROBLEMS = 20;

/** Collects a document's first problems, in the order in which they are found. Later ones are ignored. */
export class ShapeProblems {
  readonly all: FieldProblem[] = [];

  /** True if more problems would be ignored. */
  get isFull(): boolean {
    return this.all.length >= MAX_PROBLEMS;
  }

  add(pointer: string, code: FieldProblemCode, message: string): void {
    if (!this.isFull) this.all.push({ pointer, code, message });
  }

  /** Adds a problem and returns false if the value isn't an object. */
  isObject(value: unknown, pointer: string): value is Members {
    if (isRecord(value)) return true;
    this.add(pointer, value === undefined ? 'required' : 'wrong_type', 'must be an object');
    return false;
  }

  /** Returns the items of a list. If the value isn't a list, adds a problem and returns no items. */
  items(value: unknown, pointer: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.add(pointer, value === undefined ? 'required' : 'wrong_type', 'must be a list');
    return [];
  }

  onlyFields(value: Members, known: readonly string[], pointer: string): void {
    for (const name of Object.keys(value)) {
      if (this.isFull) return;
      if (!known.includes(name))
        this.add(
          `${pointer}/${pointerStep(name)}`,
          'unknown_field',
          `${cut(name, 100, '')} is not a field of this object`,
        );
    }
  }

  /** Checks a resource's key, which must be different from the keys of its siblings in `taken`. */
  key({ key }: Members, taken: Set<string>, pointer: string): void {
    const at = `${pointer}/key`;
    if (key === undefined) return this.add(at, 'required', `key is required: it ${KEY_RULE}`);
    if (typeof key !== 'string') return this.add(at, 'wrong_type', 'key must be a string');
    if (!KEY.test(key)) return this.add(at, 'invalid_format', `key ${KEY_RULE}`);
    if (taken.has(key)) return this.add(at, 'duplicate_key', `another resource in this list has the key ${key}`);
    taken.add(key);
    return undefined;
  }

  /** Checks a key path with this number of keys: `shop`, or `shop/front`. Doesn't check whether the resource exists. */
  path(value: unknown, keys: 1 | 2, pointer: string): void {
    const steps = typeof value === 'string' ? value.split('/') : [];
    if (steps.length === keys && steps.every((step) => KEY.test(step))) return;
    const form = keys === 1 ? 'a key such as shop' : 'a key path such as shop/front';
    this.add(pointer, typeof value === 'string' ? 'invalid_format' : 'wrong_type', `must be ${form}`);
  }

  paths(value: unknown, keys: 1 | 2, most: number, pointer: string): void {
    const items = this.items(value, pointer);
    if (items.length > most) this.add(pointer, 'out_of_range', `must contain at most ${most} items`);
    items.slice(0, most).forEach((item, i) => this.path(item, keys, `${pointer}/${i}`));
  }

  /**
   * If the value is a well-formed `{$secret: NAME}`, returns a placeholder, so that the rest of the resource can be
   * validated.
   */
  text(value: unknown, pointer: string): unknown {
    if (!isRecord(value) || !Object.hasOwn(value, '$secret')) return value;
    this.reference(value, pointer);
    return 'secret';
  }

  /** Checks that every `{$secret: NAME}` in a config is well-formed. */
  references(value: unknown, pointer: string): void {
    if (typeof value !== 'object' || value === null || this.isFull) return;
    if (Object.hasOwn(value, '$secret')) return this.reference(value as Members, pointer);
    for (const [name, item] of Object.entries(value)) this.references(item, `${pointer}/${pointerStep(name)}`);
    return undefined;
  }

  secretName(name: unknown, pointer: string): void {
    if (typeof name !== 'string') this.add(pointer, 'wrong_type', 'the name of a secret must be a string');
    else if (!SECRET_NAME.test(name)) this.add(pointer, 'invalid_format', `the name of a secret ${SECRET_NAME_RULE}`);
  }

  private reference(value: Members, pointer: string): void {
    this.onlyFields(value, ['$secret'], pointer);
    this.secretName(value['$secret'], `${pointer}/$secret`);
  }
}
