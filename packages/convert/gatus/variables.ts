import { isMasked } from '../../../src/channel/config/config-masking';
import type { Text } from '../../../src/configuration/document/document';

/** Around the name of a variable in text that has been read. Private characters of Unicode: YAML takes them as plain text. */
const OPEN = '\u{10FFF0}';
const CLOSE = '\u{10FFF1}';
const MARKED = new RegExp(`${OPEN}([^${OPEN}${CLOSE}]*)${CLOSE}`, 'gu');
const IN_FILE = /\$\$|\$\{([A-Za-z_][^}\n]{0,200})\}|\$([A-Za-z_][A-Za-z0-9_]*)/g;

/**
 * The file with its variables marked, which Gatus replaces before it reads the YAML: `${NAME}`, `$NAME`, and `$$` for a
 * dollar. Lines stay where they are.
 */
export const markVariables = (file: string): string =>
  file.replace(IN_FILE, (found: string, braced?: string, plain?: string) =>
    found === '$$' ? '$' : `${OPEN}${braced ?? plain ?? ''}${CLOSE}`,
  );

/** The names in a marked text, in order, none twice. */
export const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(MARKED)].map(([, name = '']) => name.replace(/[^A-Za-z0-9_].*/s, ''))),
];

export const hasVariable = (text: string): boolean => text.includes(OPEN);

/** As it stands in the file. */
export const asWritten = (text: string): string => text.replace(MARKED, '${$1}');

/** With an `x` in place of each variable, to judge the rest. */
export const filledIn = (text: string): string => text.replace(MARKED, 'x');

const MAX_SECRET_NAME = 128;

/** The secrets of one document: a name stands for one text in all of it. */
export class Secrets {
  /** By the name that was wanted and the text. */
  private readonly names = new Map<string, string>();
  private readonly taken = new Set<string>();
  /** How often a wanted name was another's, so that nobody counts from the start. */
  private readonly turns = new Map<string, number>();

  /**
   * The text, or a secret in its place when variables are in it. The secret has the name of the variable, or `name` where the
   * value is not that of a variable alone; `explain` hears what its value has to be when that is not plain. What was masked
   * for the eyes of others is asked for in the same way.
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

  /** The name of the secret that stands for the text: `wanted`, or one like it when that is another's. */
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
