import { OPERATIONS, rows } from '../document/contract';
import { expectFieldError, expectProblem, type Refusal } from '../session/problems';
import type { TheSession } from '../session/session';
import { callerFor, hasFields, sampleOf, sendTo } from './operations';
import { callerOf } from '../document/contract';
import { OUT_OF_REACH } from './sample';
import type { Scene } from './scene';

/** Tests that no client input is silently dropped. */
export function describeInput(session: TheSession, scene: () => Scene, hasOperator: boolean): void {
  const reachable = OPERATIONS.filter(
    (each) => !(each.operationId in OUT_OF_REACH) && (hasOperator || callerOf(each) !== 'operator'),
  );
  const withFields = reachable.filter(hasFields);
  // Probes with a later version may send more fields.
  const strict = withFields.filter((each) => callerOf(each) !== 'probe');

  describe('input', () => {
    it.each(rows(reachable))('%s refuses an unknown query parameter by its name', async (_, operation) => {
      const sample = await sampleOf(scene(), operation);
      const query = [sample.query, 'nonsense=1'].filter(Boolean).join('&');
      const response: Refusal = await sendTo(callerFor(session(), operation), operation, { ...sample, query });
      expectProblem(response, 400, 'invalid_query');
      expect(response.body?.errors).toContainEqual(expect.objectContaining({ pointer: '?nonsense' }));
    });

    it.each(rows(strict))('%s refuses an unknown field by its pointer', async (_, operation) => {
      const sample = await sampleOf(scene(), operation);
      const json = { ...(sample.json as object), nonsense: 1 };
      const response = await sendTo(callerFor(session(), operation), operation, { ...sample, json });
      expectFieldError(response, '/nonsense', 'unknown_field');
    });

    it.each(rows(withFields))("%s refuses a body that isn't an object", async (_, operation) => {
      const sample = await sampleOf(scene(), operation);
      for (const json of [null, [], 'text', 7]) {
        const response = await sendTo(callerFor(session(), operation), operation, { ...sample, json });
        expect([json, response.status]).toEqual([json, 400]);
      }
    });

    it.each(rows(withFields))('%s refuses broken JSON and other content types', async (_, operation) => {
      const { params = {}, query, headers = {} } = await sampleOf(scene(), operation);
      const by = callerFor(session(), operation);
      const send = (text: string, type: string) =>
        sendTo(by, operation, { params, headers, text, type, ...(query !== undefined && { query }) });
      expectProblem(await send('{"name":', 'application/json'), 400, 'malformed_json');
      expectProblem(await send('name=x', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type');
    });
  });
}
