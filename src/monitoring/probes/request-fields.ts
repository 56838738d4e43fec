import { type FieldProblem, Problem, problems, ProtocolUnsupported } from '../../platform/problem/problem';
import { isRecord } from '../../platform/text/json';
import { PROTOCOL, SESSION_FORM, SUPPORTED_PROTOCOLS } from '../../probe-protocol/protocol';

/** The year 3000 in milliseconds. Higher values aren't accepted as times. */
export const MAX_TIME = 32_503_680_000_000;

export type Fields = Readonly<Record<string, unknown>>;

/** A field's rule: a test, and the text that follows the field's name in the error. */
export interface Rule<Value> {
  is: (value: unknown) => value is Value;
  must: string;
}

/** Reads the fields of a probe's request one by one and collects errors. Unknown fields are ignored. */
export class FieldReader {
  readonly problems: FieldProblem[] = [];

  constructor(private readonly fields: Fields) {}

  /**
   * Returns the field, or `otherwise` if it is absent or invalid. If `isRequired` is true, an absent field is an error.
   */
  read<Value>(name: string, { is, must }: Rule<Value>, otherwise: Value, isRequired = false): Value {
    const value = this.fields[name];
    if (is(value)) return value;
    if (value !== undefined || isRequired) {
      const code = value === undefined ? 'required' : 'invalid_format';
      this.problems.push({ pointer: `/${name}`, code, message: `${name} must be ${must}` });
    }
    return otherwise;
  }
}

/**
 * Returns the body as fields if its protocol version is supported. Throws `malformed_json`, `validation_failed`, and
 * `protocol_unsupported`.
 */
export function fieldsOfRequest(body: unknown): Fields {
  if (body === undefined) throw new Problem('malformed_json', 'The body is empty; send a JSON object.');
  if (!isRecord(body))
    throw problems.validationFailed([{ pointer: '', code: 'wrong_type', message: 'must be a JSON object' }]);
  const { protocol } = body;
  if (typeof protocol === 'number' && !SUPPORTED_PROTOCOLS.includes(protocol))
    throw new ProtocolUnsupported(SUPPORTED_PROTOCOLS);
  return body;
}

export const PROTOCOL_RULE: Rule<number> = {
  is: (value): value is number => typeof value === 'number',
  must: `a number: ${PROTOCOL}`,
};

export const SESSION_RULE: Rule<string> = {
  is: (value): value is string => typeof value === 'string' && SESSION_FORM.test(value),
  must: '16 to 64 of 0-9, a-z, A-Z and -',
};
