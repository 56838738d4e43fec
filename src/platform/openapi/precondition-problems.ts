import type { OpenAPIObject } from '@nestjs/swagger';
import type { ProblemCode } from '../problem/problem';
import { addProblem, type Operation } from './transport-problems';

const HEADER = 'If-Match';
const HONOURED: readonly ProblemCode[] = ['precondition_failed', 'invalid_if_match'];
const REFUSED: readonly ProblemCode[] = ['if_match_not_supported'];
const METHODS = ['post', 'put', 'patch', 'delete'] as const;

/** Adds to each change what an `If-Match` may lead to. Routes with the header honour it, the others refuse it. */
export function documentPreconditions(document: OpenAPIObject): void {
  for (const path of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = path[method] as Operation | undefined;
      if (!operation) continue;
      const honours = operation.parameters?.some(({ name }) => name === HEADER) ?? false;
      for (const code of honours ? HONOURED : REFUSED) addProblem(operation, code);
    }
  }
}
