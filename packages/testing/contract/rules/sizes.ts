import { callerOf, CONTRACT, OPERATIONS, rows } from '../document/contract';
import type { Operation, Parameter, Schema } from '../document/openapi';
import { expectProblem, type Refusal } from '../session/problems';
import type { TheSession } from '../session/session';
import { callerFor, hasFields, sampleOf, sendTo } from './operations';
import { OUT_OF_REACH } from './sample';
import type { Scene } from './scene';

/** One character that takes two UTF-16 units and four bytes. */
const CHARACTER = '🔥';
/** Fields with a higher limit are files. A body can't hold that many four-byte characters. */
const MOST = 20_000;
/** A response lists up to twenty findings. */
const AT_ONCE = 10;

/** Parameters that accept values not listed in the document, by operation and name. */
const OPEN: Readonly<Record<string, string>> = {
  'GET /api/v1/alerts?type': 'alerts of a type whose extension is gone are still there',
};

type Found = NonNullable<NonNullable<Refusal['body']>['errors']>;

/** A string field with a length limit, its pointer, and how to send it in a body. */
interface TextField {
  pointer: string;
  max: number;
  body: (text: string) => object;
}

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolved(CONTRACT.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});

/** Returns an object's string fields, including those in nested objects and lists. */
function textFields(schema: Schema, pointer = '', depth = 0): TextField[] {
  const { properties = {}, required = [], allOf = [] } = resolved(schema);
  // A nested string is only validated if the other required fields of its object are present.
  const beside = depth === 0 ? [] : required.map((name) => [name, resolved(properties[name] ?? {}).example] as const);
  const own = Object.entries(properties).flatMap(([name, value]): TextField[] => {
    const at = `${pointer}/${name}`;
    const { type, maxLength, items, properties: inner, enum: values, format } = resolved(value);
    const within = (fields: TextField[], wrap: (field: object) => object): TextField[] =>
      fields.map(({ body, ...field }) => ({ ...field, body: (text) => ({ [name]: wrap(body(text)) }) }));
    if ([type].flat().includes('string') && maxLength !== undefined && maxLength < MOST && !values && !format)
      return [{ pointer: at, max: maxLength, body: (text) => ({ ...Object.fromEntries(beside), [name]: text }) }];
    if (depth >= 2) return [];
    if (items) return within(textFields(items, `${at}/0`, depth + 1), (field) => [field]);
    return inner ? within(textFields(value, at, depth + 1), (field) => field) : [];
  });
  return [...own, ...allOf.flatMap((part) => textFields(part, pointer, depth))];
}

/** Returns values that a query parameter's schema doesn't allow. */
function wrongValues({ schema }: Parameter): string[] {
  const { type, enum: values, format } = resolved(schema);
  const types = [type].flat();
  if (types.includes('boolean')) return ['1', 'TRUE', 'maybe', ''];
  if (types.includes('integer') || types.includes('number')) return ['x', '1.5', '', '1e1'];
  if (values || format === 'date-time') return ['nonsense', ''];
  return [];
}

/** Tests that the service accepts exactly the lengths and query values that the document allows. */
export function describeSizes(session: TheSession, scene: () => Scene, hasOperator: boolean): void {
  const reachable = OPERATIONS.filter(
    (each) => !(each.operationId in OUT_OF_REACH) && (hasOperator || callerOf(each) !== 'operator'),
  );
  const fieldsOf = ({ requestBody }: Operation): TextField[] =>
    textFields(requestBody?.content['application/json']?.schema ?? {});
  const withText = reachable.filter((each) => hasFields(each) && fieldsOf(each).length > 0);
  const queried = reachable.flatMap((operation) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && wrongValues(parameter).length > 0)
      .map((parameter): [string, { operation: Operation; parameter: Parameter }] => [
        `${operation.name}?${parameter.name}`,
        { operation, parameter },
      ])
      .filter(([name]) => !(name in OPEN)),
  );

  /** Returns the findings about these fields, using a body that is always rejected. */
  async function findings(operation: Operation, fields: readonly TextField[], more: number): Promise<Found> {
    const sample = await sampleOf(scene(), operation);
    const sent = fields.map(({ max, body }) => body(CHARACTER.repeat(max + more)));
    const json = Object.assign({}, sample.json, ...sent, { nonsense: 1 }) as object;
    const response: Refusal = await sendTo(callerFor(session(), operation), operation, { ...sample, json });
    expect([response.status, response.status === 400 ? '' : response.text]).toEqual([400, '']);
    return response.body?.errors ?? [];
  }

  describe('sizes', () => {
    it.each(rows(withText))('%s counts the characters of a text, as the document does', async (_, operation) => {
      const fields = fieldsOf(operation);
      const flat = fields.filter(({ pointer }) => pointer.lastIndexOf('/') === 0);
      const nested = fields.filter((field) => !flat.includes(field));
      const groups = [
        ...Array.from({ length: Math.ceil(flat.length / AT_ONCE) }, (__, n) =>
          flat.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
        ),
        ...nested.map((field) => [field]),
      ];
      for (const group of groups) {
        const pointers = group.map(({ pointer }) => pointer);
        const isTooLong = (errors: Found) =>
          pointers.filter((pointer) => errors.some((one) => one.pointer === pointer && one.code === 'too_long'));
        expect(isTooLong(await findings(operation, group, 0))).toEqual([]);
        const refused = (await findings(operation, group, 1)).map(({ pointer }) => pointer);
        expect(pointers.filter((pointer) => !refused.includes(pointer))).toEqual([]);
      }
    });

    it.each(queried)(
      '%s is refused with a value that the document does not allow',
      async (_, { operation, parameter }) => {
        const sample = await sampleOf(scene(), operation);
        for (const value of wrongValues(parameter)) {
          const query = new URLSearchParams(sample.query);
          query.set(parameter.name, value);
          const response: Refusal = await sendTo(callerFor(session(), operation), operation, {
            ...sample,
            query: query.toString(),
          });
          expect([value, response.status]).toEqual([value, 400]);
          expectProblem(response, 400, 'invalid_query');
          expect(response.body?.errors).toContainEqual(expect.objectContaining({ pointer: `?${parameter.name}` }));
        }
      },
    );
  });
}
