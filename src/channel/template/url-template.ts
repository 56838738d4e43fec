import type { FieldProblem } from '../../platform/problem/problem';
import { type TemplateValues, textOf, valueAt } from './json-value';
import { wellFormed } from './render-template';
import { textProblems } from './template-problems';
import { templateParts } from './template-text';

/** The most characters that the values of one URL may take, encoded. */
const MAX_VALUES = 6000;

/** Scheme, host, and port: everything before the path, the query, and the fragment. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Returns the problems of a URL with placeholders. They may be in the path and in the query only. */
export function urlTemplateProblems(url: string, known: ReadonlySet<string>): FieldProblem[] {
  const origin = ORIGIN.exec(url)?.[0] ?? url;
  if (origin.includes('{{'))
    return [
      {
        pointer: '',
        code: 'forbidden_placeholder',
        message: 'must not have a placeholder in the scheme, the host, or the port',
      },
    ];
  return textProblems(url, '', known);
}

/**
 * Fills in the path and query of a URL. Each value is percent-encoded, and none can become a step to a parent folder.
 * The scheme, host, and port are the template's.
 */
export function renderUrl(template: string, values: TemplateValues): string {
  const parts = templateParts(template) ?? [template];
  let room = MAX_VALUES;
  const filled = parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = encodedWithin(textOf(valueAt(values, part.path)), room);
      room -= value.length;
      return value;
    })
    .join('');
  if (filled === template) return template;
  const origin = ORIGIN.exec(filled)?.[0] ?? '';
  const rest = filled.slice(origin.length);
  const end = rest.search(/[?#]/);
  const path = end === -1 ? rest : rest.slice(0, end);
  const safe = path
    .split('/')
    .map((step) => (DOTS.test(step) ? '_' : step))
    .join('/');
  return origin + safe + (end === -1 ? '' : rest.slice(end));
}

/** A path segment that a URL parser removes together with the one before it. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** Returns as many characters of the value as fit, percent-encoded. */
function encodedWithin(value: string, room: number): string {
  let encoded = '';
  for (const character of wellFormed(value.slice(0, room))) {
    const next = encoded + encodeURIComponent(character);
    if (next.length > room) return encoded;
    encoded = next;
  }
  return encoded;
}
