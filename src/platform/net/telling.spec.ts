import { decisive, type Telling, TELLING } from './telling';

const labelled = (...tellings: Telling[]) => tellings.map((telling, place) => ({ telling, place }));

describe('the deciding result after several addresses, families, or resolvers were tried', () => {
  it.each<[Telling[], number]>([
    [['ours'], 0],
    [['silence'], 0],
    [['ours', 'silence'], 1],
    [['silence', 'ours'], 0],
    [['ours', 'ours'], 0],
    [['silence', 'way'], 1],
    [['way', 'target'], 1],
    [['ours', 'silence', 'way', 'target'], 3],
    [['ours', 'target', 'silence', 'target'], 1],
  ])('of %j is number %i', (tellings, place) => {
    expect(decisive(labelled(...tellings), ({ telling }) => telling)).toMatchObject({ place });
  });

  it('does not exist if nothing was tried', () => {
    expect(decisive([], () => 'ours')).toBeUndefined();
  });

  it('is a fault of the service only if all attempts have one', () => {
    for (const telling of TELLING) {
      const mixed = labelled('ours', telling, 'ours');
      expect(decisive(mixed, (attempt) => attempt.telling)?.telling).toBe(telling);
    }
  });
});
