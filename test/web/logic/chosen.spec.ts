import { matching } from '../../../web/src/logic/chosen';

describe('a chooser', () => {
  const options = [
    ['1', 'Checkout · Example shop'],
    ['2', 'Search · Example shop'],
    ['3', 'Checkout · Staging'],
  ] as const;
  it.each([
    ['', ['1', '2', '3']],
    ['check', ['1', '3']],
    ['shop  CHECK', ['1']],
    ['nothing', []],
  ])('for "%s" offers %j', (typed, values) => expect(matching(options, typed).map(([value]) => value)).toEqual(values));
});
