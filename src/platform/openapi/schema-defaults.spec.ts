import { withDefaultsInWords } from './schema-defaults';

const convert = (name: string, schema: object): unknown => {
  const document = { openapi: '3.1.0', components: { schemas: { [name]: schema } } };
  return withDefaultsInWords(document as never).components?.schemas?.[name];
};
const interval = { type: 'integer', description: 'Seconds.', default: 60 };
const object = (property: object, required?: string[]) => ({
  type: 'object',
  properties: { interval: property },
  ...(required && { required }),
});

describe('withDefaultsInWords', () => {
  it('tells the default of an optional field in its description', () => {
    const told = { type: 'integer', description: 'Seconds. Default: `60`.', 'x-default': 60 };
    expect(convert('CreateEndpoint', object(interval))).toEqual(object(told));
    expect(convert('CreateEndpoint', { allOf: [object(interval)] })).toEqual({ allOf: [object(told)] });
  });

  it('tells it where there is no description', () => {
    const property = { type: 'string', default: 'GET' };
    const told = { type: 'string', description: 'Default: `"GET"`.', 'x-default': 'GET' };
    expect(convert('CreateEndpoint', object(property))).toEqual(object(told));
  });

  it.each([
    ['an update, which keeps what is not sent', 'UpdateEndpoint', undefined],
    ['a field that is always there', 'Endpoint', ['interval']],
  ])('leaves it out of %s', (_, name, required) => {
    expect(convert(name, object(interval, required))).toEqual(
      object({ type: 'integer', description: 'Seconds.' }, required),
    );
  });
});
