import { isMasked } from '../../../src/channel/config/config-masking';
import type { Text } from '../../../src/configuration/document/document';

/** Marks the name of a variable in text. These are private-use Unicode characters, which YAML accepts as plain text. */
const OPEN = '\u{10FFF0}';
const CLOSE = '\u{10FFF1}';
const MARKED = new RegExp(`${OPEN}([^${OPEN}${CLOSE}]*)${CLOSE}`, 'gu');
const IN_FILE = /\$\$|\$\{([A-Za-z_][^}\n]{0,200})\}|\$([A-Za-z_][A-Za-z0-9_]*)/g;

/**
 * Marks the variables in a file: `${NAME}`, `$NAME`, and `$$` for a literal dollar sign. Gatus replaces them before it
 * parses the YAML. Line numbers don't change.
 */
export const markVariables = (file: string): string =>
  file.replace(IN_FILE, (found: string, braced?: string, plain?: string) =>
    found === '$$' ? '$' : `${OPEN}${braced ?? plain ?? ''}${CLOSE}`,
  );

/** Returns the variable names in a marked text, in order and without duplicates. */
export const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(MARKED)].map(([, name = '']) => name.replace(/[^A-Za-z0-9_].*/s, ''))),
];

export const hasVariable = (text: string): boolean => text.includes(OPEN);

/** Returns the text as it was in the file. */
export const asWritten = (text: string): string => text.replace(MARKED, '${$1}');

/** Replaces each variable with `x` so that the rest can be validated. */
export const filledIn = (text: string): string => text.replace(MARKED, 'x');

const MAX_SECRET_NAME = 128;

/** The secrets in one document. A name refers to the same string throughout the document. */
export class Secrets {
  private readonly names = new Map<string, string>();
  private readonly taken = new Set<string>();
  /** How often a name was already taken, so that numbering doesn't start over each time. */
  private readonly turns = new Map<string, number>();

  /**
   * Returns the string, or a secret if it contains variables or is masked. The secret is named after the variable, or
   * `name` if there is more than one variable or other text. If the required value isn't obvious, `explain` is called
   * with a description.
   */
  refer(text: string, explain: (difference: string) => void, name?: string): Text {
    if (!hasVariable(text)) return isMasked(text) ? this.askFor(text, explain, name ?? 'MASKED') : text;
    const variables = variablesIn(text);
    const isPlain = variables.length === 1 && text === `${OPEN}${variables[0] ?? ''}${CLOSE}`;
    const secret = this.standFor(text, isPlain ? (variables[0] ?? '') : (name ?? variables.join('_')));
    if (!isPlain || secret !== variables[0])
      explain(`the secret ${secret} replaces the whole value ${JSON.stringify(asWritten(text))}: set it to that value`);
    return { $secret: secret };
  }

  private askFor(masked: string, explain: (difference: string) => void, name: string): Text {
    const secret = this.standFor(masked, name.toUpperCase());
    explain(`${JSON.stringify(masked)} is masked in the file: set the secret ${secret} to the real value`);
    return { $secret: secret };
  }

  /** Returns the name of the secret for this string: `wanted`, or a similar name if that is taken. */
  standFor(text: string, wanted: string): string {
    const first = secretName(wanted);
    const known = this.names.get(`${first} ${text}`);
    if (known !== undefined) return known;
    let name = first;
    let turn = this.turns.get(first) ?? 1;
    for (; this.taken.has(name); turn++) name = `${first.slice(0, MAX_SECRET_NAME - 8)}_${turn + 1}`;
    this.turns.set(first, turn);
    this.taken.add(name);
    this.names.set(`${first} ${text}`, name);
    return name;
  }
}

const secretName = (wanted: string): string =>
  wanted
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^(?=[^A-Za-z_])/, '_')
    .slice(0, MAX_SECRET_NAME);
