import { ApiProblem, post, put, remove } from '../api/client';
import { forEachInTurn } from '../logic/bulk';
import { escalationRequests, type EscalationPlan, type EscalationRequest } from '../logic/escalation';
import { errorMessage } from './toast';

const send = ({ method, path, body }: EscalationRequest): Promise<unknown> =>
  method === 'DELETE' ? remove(path) : method === 'PUT' ? put(path, body) : post(path, body);

/** Applies an escalation plan. Throws: the first failure. A new plan then contains the remaining changes. */
export async function carryOut(plan: EscalationPlan): Promise<void> {
  for (const stage of escalationRequests(plan)) {
    const failures = await forEachInTurn(stage, send, {
      retryAfter: (error) => (error instanceof ApiProblem ? error.retryAfter : null),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      isStopped: () => false,
      onDone: () => undefined,
    });
    const [first] = failures;
    if (first) throw new Error(`${failures.length} of ${stage.length} requests failed: ${errorMessage(first.error)}`);
  }
}
