/** Text that YAML 1.1 and 1.2 both read as a string without quotes: words, paths, and URLs. */
const PLAIN = /^(?:https?:\/\/[\w./~%+@-]+|[A-Za-z][\w./@+-]*(?: [A-Za-z][\w./@+-]*)*)$/;
const WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Text that isn't plain is quoted as in JSON, which is also valid YAML.
const scalar = (value: unknown): string =>
  typeof value === 'string' && PLAIN.test(value) && !WORD.test(value) ? value : JSON.stringify(value);

const isFlat = (value: unknown): boolean =>
  !(isObject(value) || Array.isArray(value)) || Object.keys(value as object).length === 0;

/** Returns flat values on one line, such as `{ $secret: NAME }` or `[a, b]`. */
function flow(value: unknown): string | null {
  if (isFlat(value)) return scalar(value);
  if (Array.isArray(value)) return value.every(isFlat) ? `[${value.map(scalar).join(', ')}]` : null;
  const entries = Object.entries(value as object);
  return entries.length === 1 && entries.every(([, each]) => isFlat(each))
    ? `{ ${entries.map(([key, each]) => `${key}: ${scalar(each)}`).join(', ')} }`
    : null;
}

function lines(value: unknown): string[] {
  if (Array.isArray(value))
    return value.flatMap((each) =>
      (flow(each) === null || isObject(each) ? lines(each) : [flow(each) ?? '']).map((line, index) =>
        index === 0 ? `- ${line}` : `  ${line}`,
      ),
    );
  return Object.entries(value as object).flatMap(([key, each]) => {
    const short = flow(each);
    return short === null ? [`${key}:`, ...lines(each).map((line) => `  ${line}`)] : [`${key}: ${short}`];
  });
}

/** Returns a JSON value as YAML. Undefined values are left out. */
export const yamlOf = (value: object): string => `${lines(JSON.parse(JSON.stringify(value))).join('\n')}\n`;
