import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { type Finding, RULE_CONTEXT, type RuleContext, type ValueRule } from './config-rules';

type ConfigClass = new () => object;

/** Codes of class-validator's own constraints, for channels that use them instead of `Rule`. */
const CODE_OF_CONSTRAINT: Readonly<Record<string, Finding['code']>> = {
  isDefined: 'required',
  isNotEmpty: 'required',
  isString: 'wrong_type',
  isInt: 'wrong_type',
  isNumber: 'wrong_type',
  isBoolean: 'wrong_type',
  isArray: 'wrong_type',
  isObject: 'wrong_type',
  min: 'out_of_range',
  max: 'out_of_range',
  maxLength: 'too_long',
  isLength: 'too_long',
  arrayMaxSize: 'too_long',
  matches: 'invalid_format',
  isIn: 'invalid_format',
  isUrl: 'invalid_format',
  isEmail: 'invalid_format',
};

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The keys a config class accepts: those that carry a validation rule. */
export const knownKeys = (type: ConfigClass): string[] => [
  ...new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(type, '', false, false)
      .map((metadata) => metadata.propertyName),
  ),
];

/** Everything that is wrong with a config, at once; pointers are relative to it. Keys the class does not know are wrong. */
export function configFindings(type: ConfigClass, input: unknown): Finding[] {
  if (!isPlainObject(input)) return [{ pointer: '', code: 'wrong_type', message: 'must be an object' }];
  const known = knownKeys(type);
  const instance = new type();
  const findings: Finding[] = [];
  for (const [key, value] of Object.entries(input)) {
    const pointer = `/${key.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!known.includes(key))
      findings.push({ pointer, code: 'unknown_field', message: `is not a key here; known are: ${known.join(', ')}` });
    else if (value === null)
      findings.push({ pointer, code: 'wrong_type', message: 'must not be null; leave the key out instead' });
    else Object.assign(instance, { [key]: value });
  }
  const nulls = new Set(findings.map((found) => found.pointer));
  const judged = validateSync(instance, { forbidUnknownValues: false }).flatMap((error) => fromError(error));
  return [...findings, ...judged.filter((found) => !nulls.has(found.pointer))];
}

function fromError(error: ValidationError): Finding[] {
  const rule = error.contexts?.[RULE_CONTEXT] as RuleContext | undefined;
  const own = rule?.judged(error.value).map((found) => ({ ...found, pointer: `/${error.property}${found.pointer}` }));
  if (own && own.length > 0) return own;
  const nested = (error.children ?? []).flatMap((child) =>
    fromError(child).map((found) => ({ ...found, pointer: `/${error.property}${found.pointer}` })),
  );
  const constraint = strongest(error);
  return constraint ? [{ pointer: `/${error.property}`, ...constraint }, ...nested] : nested;
}

/** The one constraint that is told: a missing key before a wrong type before everything else. */
function strongest({ property, value, constraints }: ValidationError): Omit<Finding, 'pointer'> | null {
  const broken = Object.entries(constraints ?? {}).map(([name, message]) => ({
    code: CODE_OF_CONSTRAINT[name] ?? 'invalid_config',
    message: message.startsWith(`${property} `) ? message.slice(property.length + 1) : message,
  }));
  const [first] = broken;
  if (first && value === undefined) return { code: 'required', message: 'is required' };
  return broken.find(({ code }) => code === 'wrong_type') ?? first ?? null;
}

/** Judges a nested object by its own class. */
export const nestedObject =
  (type: () => ConfigClass): ValueRule =>
  (value) =>
    configFindings(type(), value);
