import { toFields, toProperties } from './field-names';

const NAMES = { name: 'name', periodSeconds: 'period', externalKey: 'key' } as const;

describe('the plain fields of a row and of the API', () => {
  it('a row is shown with its named properties, in their order', () => {
    const row = { id: 1, externalKey: null, periodSeconds: 60, name: 'Lamp' };
    expect(Object.entries(toFields(row, NAMES))).toEqual([
      ['name', 'Lamp'],
      ['period', 60],
      ['key', null],
    ]);
  });

  it('sent fields are stored, including null, and other fields are left out', () => {
    expect(toProperties({ id: 1, period: 0, key: null, name: undefined }, NAMES)).toEqual({
      periodSeconds: 0,
      externalKey: null,
    });
  });
});
