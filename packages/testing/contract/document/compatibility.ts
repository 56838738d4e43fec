import { type OpenApi, operationsOf, type Schema } from './openapi';

/**
 * Returns what a program written for the contract would miss in this document, as sentences. It compares operations,
 * parameters, success statuses, fields, and values. Additions are ignored, as clients ignore them.
 */
export function missingIn(document: OpenApi, contract: OpenApi): string[] {
  return [...missingOperations(document, contract), ...missingFields(document, contract)];
}

function missingOperations(document: OpenApi, contract: OpenApi): string[] {
  const served = new Map(operationsOf(document).map((operation) => [operation.name, operation]));
  return operationsOf(contract).flatMap(({ name, parameters = [], responses, operationId }) => {
    const found = served.get(name);
    if (!found) return [`${name} is missing`];
    const parameter = new Set(found.parameters?.map((each) => `${each.in} ${each.name}`));
    const successes = Object.keys(responses).filter((status) => status < '4');
    return [
      ...(found.operationId === operationId ? [] : [`${name} is called ${found.operationId}`]),
      ...parameters
        .filter((each) => !parameter.has(`${each.in} ${each.name}`))
        .map((each) => `${name} has no parameter ${each.name}`),
      ...successes.filter((status) => !(status in found.responses)).map((status) => `${name} has no ${status}`),
    ];
  });
}

function missingFields(document: OpenApi, contract: OpenApi): string[] {
  return Object.entries(contract.components.schemas).flatMap(([name, schema]) => {
    const served = document.components.schemas[name];
    if (!served) return [`the schema ${name} is missing`];
    return [
      ...Object.keys(schema.properties ?? {})
        .filter((field) => !(field in (served.properties ?? {})))
        .map((field) => `${name} has no ${field}`),
      ...(schema.required ?? [])
        .filter((field) => !(served.required ?? []).includes(field))
        .map((field) => `${name} does not promise ${field}`),
      ...Object.entries(schema.properties ?? {}).flatMap(([field, each]) =>
        missingValues(each, served.properties?.[field]).map((value) => `${name}.${field} has no ${value}`),
      ),
    ];
  });
}

const missingValues = (schema: Schema, served: Schema | undefined): string[] =>
  (schema.enum ?? []).filter((value) => !(served?.enum ?? [value]).includes(value)).map((value) => String(value));
