import { distance } from '../../platform/config/unknown-settings';
import { pointerStep } from '../../platform/problem/constraint-codes';
import { type FieldProblem, MAX_ERRORS } from '../../platform/problem/problem';
import { isRecord } from '../../platform/text/json';
import { cut } from '../../platform/text/text-limits';
import { DEFAULT, SWITCH } from './render-template';
import { pathsIn, templateParts } from './template-text';

/** The maximum size of a template as JSON, in bytes. */
export const MAX_TEMPLATE = 16 * 1024;
/** How deep the values of a template may be nested. */
export const MAX_DEPTH = 16;

/** Returns all problems of a body template, with pointers relative to it. `known` are the paths of placeholders. */
export function templateProblems(template: unknown, known: ReadonlySet<string>): FieldProblem[] {
  if (depthOf(template, MAX_DEPTH + 1) > MAX_DEPTH)
    return [invalid('', `must have at most ${MAX_DEPTH} levels of nesting`)];
  const size = Buffer.byteLength(JSON.stringify(template));
  if (size > MAX_TEMPLATE) return [invalid('', `must have at most ${MAX_TEMPLATE} bytes as JSON, but has ${size}`)];
  return problemsIn(template, '', known).filter((_, index) => index < MAX_ERRORS);
}

/** Returns the problems of a template that is sent as a form: it must be an object without nested values. */
export function formProblems(template: unknown, pointer = ''): FieldProblem[] {
  if (isSwitch(template))
    return branchesOf(template).flatMap(([key, branch]) => formProblems(branch, `${pointer}/${pointerStep(key)}`));
  if (!isRecord(template)) return [invalid(pointer, 'must be an object if encoding is form')];
  return Object.entries(template).flatMap(([key, value]) => flatProblems(value, `${pointer}/${pointerStep(key)}`));
}

function flatProblems(value: unknown, pointer: string): FieldProblem[] {
  if (isSwitch(value))
    return branchesOf(value).flatMap(([key, branch]) => flatProblems(branch, `${pointer}/${pointerStep(key)}`));
  return typeof value === 'object' && value !== null
    ? [invalid(pointer, 'must not be nested if encoding is form')]
    : [];
}

/** Returns the problems of a text with placeholders. */
export function textProblems(text: string, pointer: string, known: ReadonlySet<string>): FieldProblem[] {
  if (templateParts(text) === null)
    return [invalid(pointer, 'contains {{ without a path and }}: write a placeholder such as {{title}}')];
  return pathsIn(text).flatMap((path) => pathProblems(path, pointer, known));
}

function pathProblems(path: string, pointer: string, known: ReadonlySet<string>): FieldProblem[] {
  if (known.has(path)) return [];
  const nearest = nearestOf(cut(path, 100, ''), known);
  const shown = JSON.stringify(cut(path, 60));
  return [{ pointer, code: 'unknown_placeholder', message: `${shown} is not a placeholder; did you mean ${nearest}?` }];
}

function nearestOf(path: string, known: ReadonlySet<string>): string {
  const last = path.split('.').at(-1) ?? path;
  const ranked = [...known].map((name) => ({
    name,
    far: Math.min(distance(path, name), distance(last, name.split('.').at(-1) ?? name) + 2),
  }));
  return ranked.sort((a, b) => a.far - b.far)[0]?.name ?? '';
}

function problemsIn(value: unknown, pointer: string, known: ReadonlySet<string>): FieldProblem[] {
  if (typeof value === 'string') return textProblems(value, pointer, known);
  if (Array.isArray(value)) return value.flatMap((item, index) => problemsIn(item, `${pointer}/${index}`, known));
  if (!isRecord(value)) return [];
  if (!Object.hasOwn(value, SWITCH))
    return Object.entries(value).flatMap(([key, each]) => problemsIn(each, `${pointer}/${pointerStep(key)}`, known));
  return switchProblems(value, pointer, known);
}

function switchProblems(
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  known: ReadonlySet<string>,
): FieldProblem[] {
  const path = value[SWITCH];
  const at = `${pointer}/${SWITCH}`;
  const ofPath =
    typeof path === 'string'
      ? pathProblems(path.trim(), at, known)
      : [invalid(at, 'must be the path of a placeholder, such as "type"')];
  const branches = branchesOf(value);
  if (branches.length === 0)
    return [...ofPath, invalid(pointer, 'must have at least one branch in addition to $switch')];
  const isRootWithoutDefault = pointer === '' && !Object.hasOwn(value, DEFAULT);
  return [
    ...ofPath,
    ...(isRootWithoutDefault
      ? [invalid(pointer, 'must have a branch "default", because the body cannot be left out')]
      : []),
    ...branches.flatMap(([key, branch]) => problemsIn(branch, `${pointer}/${pointerStep(key)}`, known)),
  ];
}

const isSwitch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && Object.hasOwn(value, SWITCH);

const branchesOf = (value: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(value).filter(([key]) => key !== SWITCH);

/** Returns the number of levels, at most `most`. A text has one level. */
function depthOf(value: unknown, most: number): number {
  if (most <= 1 || typeof value !== 'object' || value === null) return 1;
  let deepest = 0;
  for (const each of Object.values(value)) deepest = Math.max(deepest, depthOf(each, most - 1));
  return 1 + deepest;
}

const invalid = (pointer: string, message: string): FieldProblem => ({ pointer, code: 'invalid_template', message });
