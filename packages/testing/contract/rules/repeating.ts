import { callerOf, OPERATIONS, rows } from '../document/contract';
import type { Operation } from '../document/openapi';
import { expectProblem } from '../session/problems';
import type { TheSession } from '../session/session';
import { callerFor, sampleOf, sendTo } from './operations';
import { OUT_OF_REACH } from './sample';
import type { Scene } from './scene';

const takes = (operation: Operation, header: string): boolean =>
  operation.parameters?.some(({ name }) => name === header) ?? false;

/** Tests which requests can be repeated safely, and which can be made conditional. */
export function describeRepeating(session: TheSession, scene: () => Scene, hasOperator: boolean): void {
  const writing = OPERATIONS.filter(
    (each) =>
      each.method !== 'GET' && !(each.operationId in OUT_OF_REACH) && (hasOperator || callerOf(each) !== 'operator'),
  );
  const posts = writing.filter(({ method }) => method === 'POST');
  const sendWith = async (operation: Operation, headers: Record<string, string>) => {
    const sample = await sampleOf(scene(), operation);
    const all = { ...sample, headers: { ...sample.headers, ...headers } };
    return () => sendTo(callerFor(session(), operation), operation, all);
  };

  describe('repeating', () => {
    it.each(rows(posts.filter((each) => takes(each, 'Idempotency-Key'))))(
      '%s with an Idempotency-Key is carried out once, and has the same response again',
      async (_, operation) => {
        const send = await sendWith(operation, { 'idempotency-key': session().key('repeated') });
        const [first, again] = [await send(), await send()];
        expect([again.status, again.text]).toEqual([first.status, first.text]);
        expect([first.status < 300, again.headers['idempotency-replayed']]).toEqual([true, 'true']);
      },
    );

    it.each(rows(posts.filter((each) => !takes(each, 'Idempotency-Key') && each.path.startsWith('/api/'))))(
      '%s refuses an Idempotency-Key, which it does not honour',
      async (_, operation) => {
        const send = await sendWith(operation, { 'idempotency-key': session().key('repeated') });
        expectProblem(await send(), 400, 'idempotency_key_not_supported');
      },
    );

    it.each(rows(writing.filter((each) => takes(each, 'If-Match'))))(
      '%s with the If-Match of something else changes nothing and is 412',
      async (_, operation) => {
        expectProblem(
          await (
            await sendWith(operation, { 'if-match': '"something-else"' })
          )(),
          412,
          'precondition_failed',
        );
        expectProblem(await (await sendWith(operation, { 'if-match': 'no tag' }))(), 400, 'invalid_if_match');
      },
    );

    it.each(rows(writing.filter((each) => !takes(each, 'If-Match'))))(
      '%s refuses an If-Match, which it does not honour',
      async (_, operation) => {
        expectProblem(await (await sendWith(operation, { 'if-match': '"a-tag"' }))(), 400, 'if_match_not_supported');
      },
    );
  });
}
