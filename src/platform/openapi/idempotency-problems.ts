import type { OpenAPIObject } from '@nestjs/swagger';
import type { ProblemCode } from '../problem/problem';
import { addProblem, type Operation } from './transport-problems';

const HEADER = 'Idempotency-Key';
const HONOURED: readonly ProblemCode[] = [
  'invalid_idempotency_key',
  'idempotency_key_in_use',
  'idempotency_key_reused',
];
const REFUSED: readonly ProblemCode[] = ['idempotency_key_not_supported'];

const REPLAYED = {
  description: '`true` on a response that is sent again for its `Idempotency-Key`; otherwise absent.',
  schema: { type: 'string', enum: ['true'] },
  example: 'true',
};

/** Adds to each POST what an `Idempotency-Key` may lead to. Routes with the header honour it, the others refuse it. */
export function documentIdempotency(document: OpenAPIObject): void {
  for (const path of Object.values(document.paths)) {
    const operation = path.post as Operation | undefined;
    if (!operation) continue;
    const honours = operation.parameters?.some(({ name }) => name === HEADER) ?? false;
    for (const code of honours ? HONOURED : REFUSED) addProblem(operation, code);
    if (!honours) continue;
    for (const [status, response] of Object.entries(operation.responses))
      if (status.startsWith('2')) response.headers = { ...response.headers, 'Idempotency-Replayed': REPLAYED };
  }
}
