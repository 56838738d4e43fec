import { ApiProblem, post, put, remove } from '../api/client';
import { forEachInTurn } from '../logic/bulk';
import { ladderRequests, type LadderPlan, type LadderRequest } from '../logic/escalation';
import { errorMessage } from './toast';

const send = ({ method, path, body }: LadderRequest): Promise<unknown> =>
  method === 'DELETE' ? remove(path) : method === 'PUT' ? put(path, body) : post(path, body);

/** Makes the alerts those of a ladder. Throws what went wrong first; a plan made after that has what is left to do. */
export async function carryOut(plan: LadderPlan): Promise<void> {
  for (const stage of ladderRequests(plan)) {
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
