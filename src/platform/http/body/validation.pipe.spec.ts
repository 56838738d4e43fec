import 'reflect-metadata';
import { IsOptional, IsString } from 'class-validator';
import type { FieldProblem } from '../../problem/problem';
import { Problem } from '../../problem/problem';
import { IsName, Nested, ObjectList, Optional } from '../validators';
import { RequestValidationPipe } from './validation.pipe';

let judged = 0;

class ItemDto {
  @IsString({
    message: () => {
      judged++;
      return 'name must be a string';
    },
  })
  name!: string;
}

class BodyDto {
  @IsName(20)
  name!: string;

  @Optional()
  @Nested(() => ItemDto)
  item?: ItemDto;

  @Optional()
  @ObjectList(() => ItemDto, 5)
  items?: ItemDto[];

  @IsOptional()
  extra?: unknown;
}

const pipe = new RequestValidationPipe();

async function problemsOf(body: object): Promise<readonly FieldProblem[]> {
  try {
    await pipe.transform(body, { type: 'body', metatype: BodyDto });
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors;
  }
}

function counting(names: readonly string[], value: unknown): { body: object; reads: () => number } {
  let reads = 0;
  const get = () => {
    reads++;
    return value;
  };
  const body = Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, { get, enumerable: true }])));
  return { body, reads: () => reads };
}
const names = (prefix: string) => Array.from({ length: 8000 }, (_, i) => `${prefix}${i}`);

describe('the validation of bodies', () => {
  it.each<[string, string, unknown, string]>([
    ['unknown fields', 'f', 0, 'unknown_field'],
    ['texts with NUL', 'f', '\0', 'unknown_field'],
    ['names with NUL', '\0', 0, 'invalid_characters'],
  ])('looks at no more than twenty of 8,000 %s', async (_, prefix, value, code) => {
    const { body, reads } = counting(names(prefix), value);
    const found = await problemsOf(body);
    expect(found).toHaveLength(20);
    expect(found[0]?.code).toBe(code);
    expect(reads()).toBeLessThanOrEqual(20);
  });

  it.each<[string, (inner: object) => object, string]>([
    ['an object', (inner) => ({ name: 'n', item: inner }), '/item/f0'],
    ['an item of a list', (inner) => ({ name: 'n', items: [inner] }), '/items/0/f0'],
  ])('looks at no more than twenty inside %s', async (_, around, first) => {
    const { body, reads } = counting(names('f'), 0);
    const found = await problemsOf(around(body));
    expect(found.map(({ pointer }) => pointer)).toContain(first);
    expect(found).toHaveLength(20);
    expect(reads()).toBeLessThanOrEqual(20);
  });

  it('judges no more items than a list may have, and one', async () => {
    judged = 0;
    const found = await problemsOf({ name: 'n', items: Array.from({ length: 1000 }, () => ({ name: 1 })) });
    expect(found[0]).toMatchObject({ pointer: '/items', message: 'items must contain at most 5 items' });
    expect(judged).toBeLessThanOrEqual(6);
  });

  it('names a wrong text in a list of thousands of right ones', async () => {
    const extra = [...Array.from({ length: 5000 }, () => 'fine'), 'a\0b', { deep: ['\ud800'] }];
    expect((await problemsOf({ name: 'n', extra })).map(({ pointer }) => pointer)).toEqual([
      '/extra/5000',
      '/extra/5001/deep/0',
    ]);
  });

  it('names every wrong field where they are few', async () => {
    const body = { name: 1, unknown: 1, item: { name: 2, more: 3 }, items: [{ name: '\0' }], extra: '\0' };
    const found = (await problemsOf(body)).map(({ pointer, code }) => `${pointer} ${code}`).sort();
    expect(found).toEqual([
      '/extra invalid_characters',
      '/item/more unknown_field',
      '/item/name wrong_type',
      '/items/0/name invalid_characters',
      '/name wrong_type',
      '/unknown unknown_field',
    ]);
  });
});
