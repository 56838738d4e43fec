// Combines the generated module and the layer on top of it into one module.
import { readFileSync } from 'node:fs';

/** In import order. */
const LAYER = ['errors', 'transport', 'stream', 'methods'];
/** The API types are above this line. The runtime below it is internal. */
const RUNTIME = '// ─── Embedded runtime';
const DEFAULT_INSTANCE = 'export const client = createClient<';
const INTERNAL = /^export (?=(type|class|async function\*?|function\*?|const) )/gm;
/** Layer types that only other types use. */
const OURS_INTERNAL =
  /^export (?=(const|async function\*?|function\*?|type (LimitedInit|OpenStream|ApiMethod)|interface (CallLimits|Frame))\b)/gm;

/** Returns the client's TypeScript source. Throws: `Error` if the generated text has an unexpected structure. */
export function compose(generated, operations) {
  const layer = LAYER.map((name) => withoutImports(readFileSync(new URL(`layer/${name}.ts`, import.meta.url), 'utf8')));
  return [
    withoutRuntimeExports(generated),
    textTypes(operations),
    ...layer.map((text) => text.replaceAll(OURS_INTERNAL, '')),
    clientClass(operations),
  ].join('\n');
}

function withoutRuntimeExports(text) {
  const operations = positionOf(text, 'export const OPERATIONS = {');
  const from = Math.min(operations, positionOf(text, RUNTIME));
  const to = positionOf(text, DEFAULT_INSTANCE);
  return text.slice(0, from) + text.slice(from, to).replaceAll(INTERNAL, '');
}

function positionOf(text, mark) {
  const position = text.indexOf(mark);
  if (position < 0) throw new Error(`The generated client has an unexpected form: it does not contain "${mark}"`);
  return position;
}

const withoutImports = (text) => text.replaceAll(/^import [^;]*;\n/gm, '');

/** Returns the default content type for each text body, and the text types of responses. */
function textTypes(operations) {
  const bodies = operations.filter(({ bodyTypes }) => bodyTypes.length > 1);
  const responses = operations.filter(({ responseTypes }) => responseTypes.length > 1 && responseTypes.every(isText));
  const bodyType = ({ bodyTypes }) => bodyTypes.find((type) => type === 'text/plain') ?? bodyTypes[1];
  return `
const TEXT_BODIES: { readonly [id: string]: string | undefined } = {
${bodies.map((operation) => `  ${operation.id}: '${bodyType(operation)}',\n`).join('')}};

const RESPONSE_TYPES: { readonly [id: string]: readonly string[] | undefined } = {
${operations.map(({ id, successTypes }) => `  ${id}: ${JSON.stringify(successTypes)},\n`).join('')}};

interface TextTypes {
${responses.map(({ id, responseTypes }) => `  ${id}: ${responseTypes.map((type) => `'${type}'`).join(' | ')};\n`).join('')}}
`;
}

const isText = (type) => !/^image\/(?!svg)/.test(type);

function clientClass(operations) {
  return `
/**
 * A client of the API, with one method for each operation. Methods resolve with what the service sends, and reject with an
 * \`UptimeError\`: an \`UptimeProblem\` when it refuses, others when no response of the service came.
 */
export class UptimeClient {
${operations.map((operation) => `${comment(operation)}  readonly ${operation.id}: ApiMethod<'${operation.id}'>;\n`).join('\n')}
  /** Throws a TypeError when \`baseUrl\` is not the address of a web server. */
  constructor(options: UptimeClientOptions) {
    const methods = bindOperations(options);
${operations.map(({ id }) => `    this.${id} = methods.${id};\n`).join('')}  }
}
`;
}

function comment({ summary, description, refusals }) {
  const codes = refusals.map((code) => `\`${code}\``).join(', ');
  const paragraphs = [`${summary}.`, description, codes && `Problems: ${codes}.`].filter(Boolean);
  const lines = paragraphs.join('\n\n').replaceAll('*/', '*\\/').split('\n');
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd() + '\n').join('')}   */\n`;
}
