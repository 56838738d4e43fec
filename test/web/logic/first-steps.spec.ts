import { firstSteps, type SoFar } from '../../../web/src/logic/first-steps';

const NOTHING: SoFar = { endpoints: 0, contacts: 0, pages: 0, people: 1 };

describe('the checklist for the first hour', () => {
  const ticked = (soFar: Partial<SoFar>): string[] =>
    firstSteps({ ...NOTHING, ...soFar }).flatMap(({ id, isDone }) => (isDone ? [id] : []));

  it.each<[string, Partial<SoFar>, string[]]>([
    ['nothing at first', {}, []],
    ['the first endpoint', { endpoints: 1 }, ['endpoint']],
    ['the rest from five endpoints', { endpoints: 5 }, ['endpoint', 'rest']],
    ['contact and status page', { contacts: 1, pages: 1 }, ['contact', 'page']],
    ['a colleague, also an invited one', { people: 2 }, ['colleague']],
  ])('ticks %s', (_, soFar, expected) => {
    expect(ticked(soFar)).toEqual(expected);
  });

  it('leaves out colleagues for a user who cannot invite anyone', () => {
    expect(firstSteps({ ...NOTHING, people: null }).map(({ id }) => id)).not.toContain('colleague');
  });

  it.each<[string, SoFar]>([
    ['all steps are done', { endpoints: 5, contacts: 1, pages: 1, people: 2 }],
    ['there are many endpoints', { endpoints: 21, contacts: 0, pages: 0, people: 1 }],
  ])('disappears when %s', (_, soFar) => {
    expect(firstSteps(soFar)).toEqual([]);
  });
});
