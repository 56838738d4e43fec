import { asOpenApi31 } from './openapi-31';

const convert = (schema: object): unknown => {
  const document = { openapi: '3.0.0', components: { schemas: { A: schema } } };
  return asOpenApi31(document as never).components?.schemas?.['A'];
};
const REF = { $ref: '#/components/schemas/B' };
const NULL = { type: 'null' };

describe('asOpenApi31', () => {
  it('says which version it is', () => {
    expect(asOpenApi31({ openapi: '3.0.0' } as never)).toEqual({ openapi: '3.1.0' });
  });

  it.each([
    [
      'a type',
      { type: 'string', nullable: true, format: 'date-time' },
      { type: ['string', 'null'], format: 'date-time' },
    ],
    ['values', { type: 'string', enum: ['a'], nullable: true }, { type: ['string', 'null'], enum: ['a', null] }],
    [
      'a schema with a description',
      { type: 'object', nullable: true, description: 'x', allOf: [REF] },
      { description: 'x', anyOf: [REF, NULL] },
    ],
    ['a reference', { ...REF, nullable: true }, { anyOf: [REF, NULL] }],
    [
      'one of several',
      { nullable: true, oneOf: [REF, { type: 'string' }] },
      { anyOf: [REF, { type: 'string' }, NULL] },
    ],
    [
      'all of several',
      { nullable: true, allOf: [REF, { type: 'object' }] },
      { anyOf: [{ allOf: [REF, { type: 'object' }] }, NULL] },
    ],
  ])('makes null a type beside %s', (_, before, after) => {
    expect(convert(before)).toEqual(after);
  });

  it('keeps what is not nullable, whatever it is called', () => {
    const schema = {
      type: 'object',
      properties: { nullable: { type: 'boolean' }, other: { type: 'string', nullable: false } },
    };
    expect(convert(schema)).toEqual({
      type: 'object',
      properties: { nullable: { type: 'boolean' }, other: { type: 'string' } },
    });
  });

  it('keeps examples as they are', () => {
    const schema = { type: 'object', example: { nullable: true, type: 'x' } };
    expect(convert(schema)).toEqual(schema);
  });
});
