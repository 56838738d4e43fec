import { type FieldProblem, problems } from '../../../src/platform/problem/problem';
import { isRecord } from '../../../src/platform/text/json';
import { MAX_RESOURCES } from '../../../src/configuration/document/document';
import type { GatusSource } from './source';

/** The limit for all endpoints combined. Evaluating one condition takes about 30 µs. */
const MAX_CONDITIONS = 25_000;

const lengthOf = (value: unknown, list: string): number => {
  const items = isRecord(value) ? value[list] : null;
  return Array.isArray(items) ? items.length : 0;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/**
 * Throws: `validation_failed` if the file has more resources than a document allows. Call this before any conversion.
 */
export function refuseTooMany(source: GatusSource): void {
  const endpoints = ['endpoints', 'services', 'external-endpoints'].flatMap((section) =>
    source.items(section).map(({ value }) => value),
  );
  const providers = [...source.members('alerting').values()].map(({ value }) => value);
  const resources =
    endpoints.length +
    sum(endpoints.map((value) => lengthOf(value, 'alerts') + lengthOf(value, 'maintenance-windows'))) +
    sum(providers.map((value) => lengthOf(value, 'overrides')));
  if (resources > MAX_RESOURCES)
    throw tooLarge(
      `it has ${resources} endpoints, alerts, windows, and overrides, and a document can have at most ${MAX_RESOURCES}`,
    );
  const conditions = sum(endpoints.map((value) => lengthOf(value, 'conditions')));
  if (conditions > MAX_CONDITIONS)
    throw tooLarge(`it has ${conditions} conditions, and at most ${MAX_CONDITIONS} can be read`);
}

const tooLarge = (message: string) => {
  const problem: FieldProblem = { pointer: '', code: 'too_large', message: `${message}. Convert it in parts` };
  return problems.validationFailed([problem]);
};
